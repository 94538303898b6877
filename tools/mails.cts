import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { waitFor } from './processes.cts';

export type Mail = Awaited<ReturnType<typeof readMail>>;

const MAIL_TIMEOUT_MS = 15_000;

/** The mails in a folder, oldest first. Those of the service have names that begin with their time. */
export async function readMails(folder: string) {
	const names = await readdir(folder).catch((): string[] => []);
	const files = names.filter((name) => name.endsWith('.eml')).sort();
	return await Promise.all(files.map(async (name) => await readMail(folder, name)));
}

/** Waits for a mail that comes after this many. */
export async function waitForMail(folder: string, known: number): Promise<Mail> {
	let mails: Mail[] = [];
	const hasArrived = async () => (mails = await readMails(folder)).length > known;
	await waitFor(hasArrived, MAIL_TIMEOUT_MS, 'No mail was sent.');
	return mails[mails.length - 1];
}

async function readMail(folder: string, name: string) {
	const message = (await readFile(join(folder, name), 'utf8')).replaceAll('\r\n', '\n');
	const end = message.indexOf('\n\n');
	const [head, body] = [message.slice(0, end), message.slice(end + 2)];
	const getHeader = (header: string) =>
		new RegExp(`^${header}: (.*)$`, 'im').exec(head)?.[1].trim() ?? '';
	const decoded = /quoted-printable/i.test(message) ? decode(body) : body;
	const text = /text\/html/i.test(message) ? toText(decoded) : decoded;
	/** The service's code is alone on a line. */
	const code = /^\d{8}$/m.exec(text)?.[0] ?? '';
	return { name, to: getHeader('To'), subject: getHeader('Subject'), text, code };
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
