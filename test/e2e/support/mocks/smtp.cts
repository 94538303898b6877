import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { SMTPServer } from 'smtp-server';

export interface ReceivedMail {
	from: string;
	to: string[];
	/** Headers and body. A quoted-printable body (RFC 2045, 6.7) is decoded. */
	message: string;
}

/** A mail server that accepts messages with its user's password. */
export interface MockSmtp {
	port: number;
	user: string;
	password: string;
	mails: ReceivedMail[];
	/** Addresses that it rejects. */
	rejected: Set<string>;
	stop(): Promise<void>;
}

/** Starts a mail server without encryption, because it has no certificate. */
export async function startMockSmtp(): Promise<MockSmtp> {
	const user = 'n8n';
	const password = 'mail-password';
	const mails: ReceivedMail[] = [];
	const rejected = new Set<string>();
	const server = new SMTPServer({
		disabledCommands: ['STARTTLS'],
		allowInsecureAuth: true,
		onAuth(given, _session, done) {
			const isValid = given.username === user && given.password === password;
			done(isValid ? null : new Error('Wrong user or password'), { user });
		},
		onRcptTo({ address }, _session, done) {
			done(rejected.has(address) ? new Error('No such mailbox') : null);
		},
		onData(stream, { envelope }, done) {
			const receive = async () => {
				const message = decodeQuotedPrintable(await text(stream));
				const { mailFrom, rcptTo } = envelope;
				const from = mailFrom === false ? '' : mailFrom.address;
				mails.push({ from, to: rcptTo.map(({ address }) => address), message });
			};
			receive().then(() => done(), done);
		},
	});
	await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
	const { port } = server.server.address() as AddressInfo;
	return {
		port,
		user,
		password,
		mails,
		rejected,
		stop: async () => await new Promise<void>((resolve) => server.close(() => resolve())),
	};
}

/** Decodes a message (RFC 2045, 6.7). */
export function decodeQuotedPrintable(message: string): string {
	if (!/^content-transfer-encoding: quoted-printable/im.test(message)) return message;
	const bytes = message
		.replace(/=\r\n/g, '')
		.replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
	return Buffer.from(bytes, 'latin1').toString('utf8');
}
