import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { createInterface } from 'node:readline';

/**
 * A mailbox with the part of IMAP (RFC 3501) that n8n's Email Trigger uses, without encryption.
 *
 * Not hoodiecrow-imap: it has had no release for years.
 */
export interface MockImap {
	port: number;
	user: string;
	password: string;
	/** Adds an unread message and notifies all clients. */
	deliver(message: string): void;
	/** The received commands without their tags. */
	commands: string[];
	stop(): Promise<void>;
}

const USER = 'olivia@example.com';
const PASSWORD = 'mailbox-password';

/** Starts an empty mailbox. */
export async function startMockImap(): Promise<MockImap> {
	const messages: Array<{ text: string; isSeen: boolean }> = [];
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
				const unseen = messages.flatMap(({ isSeen }, index) => (isSeen ? [] : [index + 1]));
				return [`* SEARCH${unseen.map((uid) => ` ${uid}`).join('')}`];
			}
			case 'UID FETCH':
				return toUids(words[2]).map((uid) => {
					const { text } = messages[uid - 1];
					return (
						`* ${uid} FETCH (UID ${uid} FLAGS () INTERNALDATE "21-Nov-2026 09:00:00 +0000" ` +
						`BODYSTRUCTURE ("TEXT" "PLAIN" NIL NIL NIL "7BIT" ${text.length} 1) ` +
						`BODY[] {${Buffer.byteLength(text)}}\r\n${text})`
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
		user: USER,
		password: PASSWORD,
		commands,
		deliver(message) {
			messages.push({ text: message, isSeen: false });
			for (const socket of clients) socket.write(`* ${messages.length} EXISTS\r\n`);
		},
		async stop() {
			server.close();
			for (const socket of clients) socket.destroy();
			await once(server, 'close');
		},
	};
}
