import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Agent, fetch } from 'undici';
import { waitFor } from './processes.cts';

export type Mail = ReturnType<typeof parseMail>;
export type Page = Awaited<ReturnType<Visitor['get']>>;
export type Visitor = ReturnType<typeof createVisitor>;

const MAIL_TIMEOUT_MS = 15_000;
const parsed = new Map<string, Mail>();

/** The mails in a folder, oldest first. Those of the service have names that begin with their time. */
export function readMails(folder: string): Mail[] {
	const names = existsSync(folder) ? readdirSync(folder) : [];
	const paths = names.filter((name) => name.endsWith('.eml')).map((name) => join(folder, name));
	return paths.sort().map((path) => {
		const mail = parsed.get(path) ?? parseMail(path);
		parsed.set(path, mail);
		return mail;
	});
}

/** Waits for a mail that comes after this many. */
export async function waitForMail(folder: string, known: number): Promise<Mail> {
	const hasArrived = () => readMails(folder).length > known;
	await waitFor(hasArrived, MAIL_TIMEOUT_MS, 'No mail was sent.');
	return readMails(folder).at(-1) as Mail;
}

function parseMail(path: string) {
	const message = readFileSync(path, 'utf8').replaceAll('\r\n', '\n');
	const end = message.indexOf('\n\n');
	const [head, body] = [message.slice(0, end), message.slice(end + 2)];
	const getHeader = (header: string) =>
		new RegExp(`^${header}: (.*)$`, 'im').exec(head)?.[1].trim() ?? '';
	const decoded = /quoted-printable/i.test(message) ? decode(body) : body;
	const text = /text\/html/i.test(message) ? toText(decoded) : decoded;
	return {
		path,
		to: getHeader('To'),
		subject: getHeader('Subject'),
		text,
		/** The service's code is alone on a line. */
		code: /^\d{8}$/m.exec(text)?.[0] ?? '',
		link: /https?:\/\/\S+/.exec(text)?.[0] ?? '',
	};
}

/** Decodes quoted-printable text (RFC 2045, 6.7). */
function decode(text: string): string {
	const bytes = text
		.replaceAll('=\n', '')
		.replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
	return Buffer.from(bytes, 'latin1').toString();
}

/** Good enough to read a mail of n8n, and to follow its links. */
const toText = (html: string) =>
	html
		.replace(/<(head|style)[^]*?<\/\1>/gi, '')
		.replace(/<a [^>]*?href="([^"]*)"[^>]*>/gi, ' $1 ')
		.replace(/<[^>]+>/g, '')
		.replaceAll('&amp;', '&')
		.replace(/\s*\n\s*/g, '\n');

/** Who opens a container in a browser, with a session of their own. */
export function createVisitor({ url, mails, ca }: { url: string; mails: string; ca: string }) {
	const dispatcher = new Agent({ connect: { ca, timeout: 60_000 } });
	let cookie = '';
	const send = async (path: string, fields?: Record<string, string>) => {
		const response = await fetch(url + path, {
			dispatcher,
			method: fields ? 'POST' : 'GET',
			body: fields && new URLSearchParams(fields),
			headers: { cookie },
			redirect: 'manual',
		});
		const [started] = response.headers.getSetCookie();
		if (started !== undefined) cookie = started.split(';')[0];
		const content = Buffer.from(await response.arrayBuffer());
		const text = content
			.toString()
			.replace(/<[^>]+>/g, ' ')
			.replace(/\s+/g, ' ');
		return { status: response.status, content, text };
	};
	return {
		get: async (path = '') => await send(path),
		/** The next page, and the code of the next mail. */
		requestCode: async (email: string) => {
			const { length } = readMails(mails);
			const page = await send('/code', { email });
			return { page, ...(await waitForMail(mails, length)) };
		},
		/** The next page; nobody gets a mail. */
		requestNoCode: async (email: string) => await send('/code', { email }),
		/** Returns the page with the files, or the one that refuses. */
		enterCode: async (email: string, code: string) => {
			const page = await send('/open', { email, code });
			return page.status === 303 ? await send('') : page;
		},
	};
}
