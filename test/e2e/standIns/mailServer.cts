import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { SMTPServer } from 'smtp-server';

export interface ReceivedMail {
	from: string;
	to: string[];
	/** Headers and body, with a body in quoted-printable decoded (RFC 2045, 6.7). */
	message: string;
}

/** A mail server that takes what is sent with its user's password. */
export interface MailServer {
	port: number;
	user: string;
	password: string;
	mails: ReceivedMail[];
	/** Addresses to which it delivers nothing. */
	refused: Set<string>;
	stop(): Promise<void>;
}

/** Starts a mail server on a free port, without encryption, since it has no certificate. */
export async function startMailServer(): Promise<MailServer> {
	const user = 'n8n';
	const password = 'mail-password';
	const mails: ReceivedMail[] = [];
	const refused = new Set<string>();
	const server = new SMTPServer({
		disabledCommands: ['STARTTLS'],
		allowInsecureAuth: true,
		onAuth(given, _session, done) {
			const isRight = given.username === user && given.password === password;
			done(isRight ? null : new Error('Wrong user or password'), { user });
		},
		onRcptTo({ address }, _session, done) {
			done(refused.has(address) ? new Error('No such mailbox') : null);
		},
		onData(stream, { envelope }, done) {
			const receive = async () => {
				const message = decoded(await text(stream));
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
		refused,
		stop: async () => await new Promise<void>((resolve) => server.close(() => resolve())),
	};
}

function decoded(message: string): string {
	if (!/^content-transfer-encoding: quoted-printable/im.test(message)) return message;
	const bytes = message
		.replace(/=\r\n/g, '')
		.replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
	return Buffer.from(bytes, 'latin1').toString('utf8');
}
