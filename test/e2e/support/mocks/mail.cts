import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { SMTPServer } from 'smtp-server';

/** An empty mailbox with the part of IMAP (RFC 3501) that n8n's Email Trigger uses, without encryption. */
export async function startMockImap() {
	const messages: Array<{ content: string; isSeen: boolean }> = [];
	/** The received commands without their tags. */
	const commands: string[] = [];
	const clients = new Set<Socket>();
	const server = createServer((socket) => {
		clients.add(socket);
		socket.once('close', () => clients.delete(socket));
		socket.on('error', () => socket.destroy());
		socket.write('* OK IMAP4rev1 ready\r\n');
		createInterface({ input: socket }).on('line', (line) => {
			const [tag, ...words] = line.split(' ');
			commands.push(words.join(' '));
			socket.write(`${[...reply(words), `${tag} OK done`].join('\r\n')}\r\n`);
		});
	});

	const reply = (words: string[]): string[] => {
		const command = words.slice(0, /^UID$/i.test(words[0]) ? 2 : 1).join(' ');
		switch (command.toUpperCase()) {
			case 'CAPABILITY':
				return ['* CAPABILITY IMAP4rev1'];
			case 'LIST':
				return ['* LIST (\\Noselect) "/" ""'];
			case 'SELECT':
				return [
					'* FLAGS (\\Seen)',
					`* ${messages.length} EXISTS`,
					'* 0 RECENT',
					'* OK [UIDVALIDITY 1] valid',
					`* OK [UIDNEXT ${messages.length + 1}] next`,
				];
			case 'UID SEARCH': {
				const unseen = messages.flatMap(({ isSeen }, index) => (isSeen ? [] : [index + 1]));
				return [`* SEARCH${unseen.map((uid) => ` ${uid}`).join('')}`];
			}
			case 'UID FETCH':
				return toUids(words[2]).map((uid) => {
					const { content } = messages[uid - 1];
					return (
						`* ${uid} FETCH (UID ${uid} FLAGS () INTERNALDATE "21-Nov-2026 09:00:00 +0000" ` +
						`BODYSTRUCTURE ("TEXT" "PLAIN" NIL NIL NIL "7BIT" ${content.length} 1) ` +
						`BODY[] {${Buffer.byteLength(content)}}\r\n${content})`
					);
				});
			case 'UID STORE':
				for (const uid of toUids(words[2])) messages[uid - 1].isSeen = true;
				return [];
			default:
				return [];
		}
	};
	const toUids = (set: string): number[] =>
		set.split(',').flatMap((range) => {
			const [first, last = first] = range.split(':').map(Number);
			return Array.from({ length: last - first + 1 }, (_, index) => first + index);
		});

	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	return {
		port: (server.address() as AddressInfo).port,
		user: 'olivia@example.com',
		password: 'mailbox-password',
		commands,
		/** Adds an unread message and notifies all clients. */
		deliver(content: string) {
			messages.push({ content, isSeen: false });
			for (const socket of clients) socket.write(`* ${messages.length} EXISTS\r\n`);
		},
		async stop() {
			server.close();
			for (const socket of clients) socket.destroy();
			await once(server, 'close');
		},
	};
}

interface ReceivedMail {
	from: string;
	to: string[];
	/** Headers and body. A quoted-printable body is decoded. */
	message: string;
}

/** A mail server that accepts messages with its user's password, without encryption, because it has no certificate. */
export async function startMockSmtp() {
	const user = 'n8n';
	const password = 'mail-password';
	const mails: ReceivedMail[] = [];
	const server = new SMTPServer({
		disabledCommands: ['STARTTLS'],
		allowInsecureAuth: true,
		onAuth(given, _session, done) {
			const isValid = given.username === user && given.password === password;
			done(isValid ? null : new Error('Wrong user or password'), { user });
		},
		onData(stream, { envelope: { mailFrom, rcptTo } }, done) {
			const receive = async () => {
				const message = decodeQuotedPrintable(await text(stream));
				const from = mailFrom === false ? '' : mailFrom.address;
				mails.push({ from, to: rcptTo.map(({ address }) => address), message });
			};
			receive().then(() => done(), done);
		},
	});
	await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
	const { port } = server.server.address() as AddressInfo;
	const stop = async () => await new Promise<void>((resolve) => server.close(() => resolve()));
	return { port, user, password, mails, stop };
}

/** Decodes a message (RFC 2045, 6.7). */
export function decodeQuotedPrintable(message: string): string {
	if (!/^content-transfer-encoding: quoted-printable/im.test(message)) return message;
	const bytes = message
		.replace(/=\r\n/g, '')
		.replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
	return Buffer.from(bytes, 'latin1').toString('utf8');
}
