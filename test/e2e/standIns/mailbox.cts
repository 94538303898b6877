import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { createInterface } from 'node:readline';

/** A mailbox that is read over IMAP: as much of RFC 3501 as n8n's e-mail trigger uses, without encryption. */
export interface Mailbox {
	port: number;
	user: string;
	password: string;
	/** Puts a message into the mailbox, unread, and tells who is connected. */
	deliver(message: string): void;
	/** The commands that came in, without their tags. */
	commands: string[];
	stop(): Promise<void>;
}

const USER = 'olivia@example.com';
const PASSWORD = 'mailbox-password';

/** Starts an empty mailbox on a free port. */
export async function startMailbox(): Promise<Mailbox> {
	const messages: Array<{ text: string; isSeen: boolean }> = [];
	const commands: string[] = [];
	const connected = new Set<Socket>();
	const server = createServer((socket) => {
		connected.add(socket);
		socket.once('close', () => connected.delete(socket));
		socket.on('error', () => socket.destroy());
		socket.write('* OK IMAP4rev1 ready\r\n');
		createInterface({ input: socket }).on('line', (line) => {
			const [tag, ...words] = line.split(' ');
			commands.push(words.join(' '));
			socket.write(`${[...reply(words), `${tag} OK done`].join('\r\n')}\r\n`);
		});
	});

	const reply = (words: string[]): string[] => {
		const command = (words[0].toUpperCase() === 'UID' ? words.slice(0, 2) : words.slice(0, 1))
			.join(' ')
			.toUpperCase();
		switch (command) {
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
				const found = messages.flatMap(({ isSeen }, index) => (isSeen ? [] : [index + 1]));
				return [`* SEARCH${found.map((uid) => ` ${uid}`).join('')}`];
			}
			case 'UID FETCH':
				return chosen(words[2]).map((uid) => {
					const { text } = messages[uid - 1];
					return (
						`* ${uid} FETCH (UID ${uid} FLAGS () INTERNALDATE "21-Nov-2026 09:00:00 +0000" ` +
						`BODYSTRUCTURE ("TEXT" "PLAIN" NIL NIL NIL "7BIT" ${text.length} 1) ` +
						`BODY[] {${Buffer.byteLength(text)}}\r\n${text})`
					);
				});
			case 'UID STORE':
				for (const uid of chosen(words[2])) messages[uid - 1].isSeen = true;
				return [];
			default:
				return [];
		}
	};
	const chosen = (set: string): number[] =>
		set.split(',').flatMap((range) => {
			const [first, last = first] = range.split(':').map(Number);
			return Array.from({ length: last - first + 1 }, (_, index) => first + index);
		});

	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	return {
		port: (server.address() as AddressInfo).port,
		user: USER,
		password: PASSWORD,
		commands,
		deliver(message) {
			messages.push({ text: message, isSeen: false });
			for (const socket of connected) socket.write(`* ${messages.length} EXISTS\r\n`);
		},
		async stop() {
			server.close();
			for (const socket of connected) socket.destroy();
			await once(server, 'close');
		},
	};
}
