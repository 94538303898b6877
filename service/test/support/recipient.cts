import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { text as readText } from 'node:stream/consumers';
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';
import { Agent, request, type Dispatcher } from 'undici';
import { waitFor } from '../../../tools/processes.cts';
import { log } from '../../../tools/tool.cts';

export type Mail = ReturnType<typeof parseMail>;
export type Visitor = ReturnType<typeof createVisitor>;

const MAIL_TIMEOUT_MS = 60_000;
const parsed = new Map<string, Mail>();

/** The mails in a folder of the service, oldest first: their names begin with their time. */
export function readMails(folder: string): Mail[] {
	const names = existsSync(folder) ? readdirSync(folder) : [];
	const paths = names.filter((name) => name.endsWith('.eml')).map((name) => join(folder, name));
	return paths.sort().map((path) => {
		const mail = parsed.get(path) ?? parseMail(readFileSync(path, 'utf8'));
		parsed.set(path, mail);
		return mail;
	});
}

/** A mail as a person reads it: its text, or its HTML where it has none. @param source with its headers */
export function parseMail(source: string) {
	const message = source.replaceAll('\r\n', '\n');
	const { getHeader } = splitMessage(message);
	const parts = splitParts(message);
	const part = parts.find(({ type }) => type === 'text/plain') ?? parts[0];
	const text = part.type === 'text/html' ? htmlToText(part.content) : part.content;
	return {
		to: getHeader('To'),
		from: decodeWords(getHeader('From')),
		replyTo: getHeader('Reply-To'),
		language: getHeader('Content-Language'),
		subject: decodeWords(getHeader('Subject')),
		text,
		html: parts.find(({ type }) => type === 'text/html')?.content ?? '',
		/** The names of all attachments. */
		attachments: [...message.matchAll(/^Content-Disposition: .*filename=(\S+)/gim)].map(
			([, name]) => name,
		),
		/** The service's code is alone on a line. */
		code: /^\d{8}$/m.exec(text)?.[0] ?? '',
		link: /https?:\/\/\S+/.exec(text)?.[0] ?? '',
	};
}

function splitMessage(message: string) {
	const end = message.indexOf('\n\n');
	const head = message.slice(0, end).replace(/\n[ \t]+/g, ' ');
	const getHeader = (header: string) =>
		new RegExp(`^${header}: (.*)$`, 'im').exec(head)?.[1].trim() ?? '';
	return { getHeader, body: message.slice(end + 2) };
}

/** The texts of a mail, whose parts have headers of their own (RFC 2046, 5.1). */
function splitParts(message: string): Array<{ type: string; content: string }> {
	const { getHeader, body } = splitMessage(message);
	const contentType = getHeader('Content-Type');
	const [, boundary] = /boundary="?([^";]+)"?/i.exec(contentType) ?? [];
	if (boundary !== undefined) {
		const parts = body.split(`--${boundary}`).slice(1, -1);
		return parts.flatMap((part) => splitParts(part.replace(/^\n/, '').replace(/\n$/, '')));
	}
	const type = contentType.split(';')[0].trim().toLowerCase() || 'text/plain';
	const encoding = getHeader('Content-Transfer-Encoding').toLowerCase();
	if (encoding === 'quoted-printable') return [{ type, content: decode(body) }];
	if (encoding === 'base64') return [{ type, content: Buffer.from(body, 'base64').toString() }];
	return [{ type, content: body }];
}

/** Decodes a header with other letters than those of ASCII (RFC 2047). Some programs cut a letter between two words. */
const decodeWords = (header: string) =>
	header.replace(/\?=\s+=\?/g, '?==?').replace(/(?:=\?[^?]+\?[QB]\?[^?]*\?=)+/gi, (words) => {
		const parts = [...words.matchAll(/=\?([^?*]+)[^?]*\?([QB])\?([^?]*)\?=/gi)];
		const bytes = parts.map(([, , encoding, text]) =>
			/b/i.test(encoding) ? Buffer.from(text, 'base64') : toBytes(text.replaceAll('_', ' ')),
		);
		return new TextDecoder(parts[0][1]).decode(Buffer.concat(bytes));
	});

/** Decodes quoted-printable text (RFC 2045, 6.7). */
const decode = (text: string) => toBytes(text.replaceAll('=\n', '')).toString();

function toBytes(text: string): Buffer {
	const bytes = Buffer.from(text)
		.toString('latin1')
		.replace(/=([0-9A-F]{2})/gi, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
	return Buffer.from(bytes, 'latin1');
}

const NAMED: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"' };

/** What a person can read, and the targets of the links in a mail. */
const htmlToText = (html: string) =>
	html
		.replace(/<a [^>]*?href="(https?:[^"]*)"[^>]*>/gi, ' $1 ')
		.replace(/<(style|script|title)\b[^]*?<\/\1>|<[^>]*>/gi, ' ')
		.replace(/&(\w+);/g, (whole, name: string) => NAMED[name] ?? whole)
		.replace(/[^\S\n]+/g, ' ')
		.replace(/\s*\n\s*/g, '\n')
		.replace(/ ([.,?!])/g, '$1');

/** Does what sends somebody a code for a container, and waits for the code. @param link the end of that in the mail */
export async function receiveCode(
	folder: string,
	{ to, link }: { to: string; link: string },
	send: () => Promise<unknown>,
): Promise<string> {
	// A receipt has the same link, and can come late.
	const isOfLink = (mail: Mail) => mail.to === to && mail.link.endsWith(link) && mail.code !== '';
	const find = () => readMails(folder).filter(isOfLink);
	// Their names are in order only while the clock is right.
	const known = new Set(find());
	const findNew = () => find().find((mail) => !known.has(mail));
	await send();
	await waitFor(() => findNew() !== undefined, MAIL_TIMEOUT_MS, 'No code was sent.');
	return findNew()!.code;
}

/** Prints each mail that is new in a list, until this process ends. */
export function printMails(list: () => Mail[]): void {
	const printed = new Set(list());
	setInterval(() => {
		for (const mail of list()) {
			if (printed.has(mail)) continue;
			printed.add(mail);
			log(`\nMail to ${mail.to}: ${mail.subject}\n${mail.text.trim().replace(/^/gm, '  ')}`);
		}
	}, 500);
}

/** A mail server that keeps what it gets. It has no mailbox of `nobody@`, no STARTTLS, and takes any password. */
export async function startMailServer() {
	const mails: Mail[] = [];
	const passwords: string[] = [];
	const server = new SMTPServer({
		disabledCommands: ['STARTTLS'],
		authOptional: true,
		allowInsecureAuth: true,
		onAuth: ({ username, password = '' }, _session, done) => {
			passwords.push(String(password));
			done(null, { user: username });
		},
		onRcptTo: ({ address }, _session, done) =>
			done(address.startsWith('nobody@') ? new Error(`No mailbox ${address}`) : undefined),
		onData: (stream, _session, done) => {
			readText(stream).then((source) => done(null, String(mails.push(parseMail(source)))), done);
		},
	});
	await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
	const { port } = server.server.address() as AddressInfo;
	const stop = async () => await new Promise<void>((resolve) => void server.close(resolve));
	return { port, url: `smtp://127.0.0.1:${port}`, mails, passwords, stop };
}

export interface DoorResponse {
	/** Of the first response; a redirection is followed. */
	status: number;
	headers: Record<string, string>;
	bytes: Buffer;
	html: string;
	/** What a person can read, with single spaces. */
	text: string;
}

interface VisitorOptions {
	/** Of the container or the request for files. */
	url: string;
	/** The folder of the service's mails. */
	mails: string;
	dispatcher: Dispatcher;
	/** The address that the visitor comes from; the service must trust the proxy. */
	ip?: string;
}

interface Sent {
	fields?: Record<string, string>;
	/** Multipart, with the boundary `boundary`. */
	form?: Buffer | Readable;
	range?: string;
}

/** The connections of visitors who trust this authority. */
export const trusting = (ca: string) => new Agent({ connect: { ca, timeout: 60_000 } });

/** Who stands before the door of a container: a browser without scripts, with a session of its own. */
export function createVisitor({ url, mails, dispatcher, ip }: VisitorOptions) {
	const cookies = new Map<string, string>();
	const { pathname: home } = new URL(url);
	const send = async (
		method: string,
		path: string,
		{ fields, form, range }: Sent = {},
	): Promise<DoorResponse> => {
		const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
		const response = await request(new URL(path, url), {
			method: method as 'GET',
			dispatcher,
			body: form ?? (fields && new URLSearchParams(fields).toString()),
			headers: {
				...(cookie && { cookie }),
				...(ip && { 'x-forwarded-for': ip }),
				...(range && { range }),
				...(fields && { 'content-type': 'application/x-www-form-urlencoded' }),
				...(form && { 'content-type': 'multipart/form-data; boundary=boundary' }),
			},
		});
		for (const line of [response.headers['set-cookie'] ?? []].flat()) {
			// Only the attributes: a random value has any letters and digits.
			const [, name, value, attributes] = /^([^=]+)=([^;]*)(.*)$/.exec(line) ?? [];
			if (/max-age=0(;|$)| 1970 /i.test(attributes)) cookies.delete(name);
			else cookies.set(name, value);
		}
		const bytes = Buffer.from(await response.body.arrayBuffer());
		const headers = response.headers as Record<string, string>;
		const html = bytes.toString();
		const text = htmlToText(html).replace(/\s+/g, ' ');
		return { status: response.statusCode, headers, bytes, html, text };
	};
	/** As a browser does: follows a redirection, and shows the page. */
	const show = async (first: DoorResponse): Promise<DoorResponse> => {
		if (first.status !== 303) return first;
		const { html, text } = await send('GET', first.headers.location);
		return { ...first, html, text };
	};
	const visitor = {
		cookies,
		go: async (path = home) => await show(await send('GET', path)),
		/** Sends the form of a page. */
		post: async (step: string, fields: Record<string, string>) =>
			await show(await send('POST', `${home}/${step}`, { fields })),
		/** Sends the form with files of a request. */
		sendFiles: async (form: Buffer | Readable) =>
			await show(await send('POST', `${home}/send`, { form })),
		getFile: async (
			n: number,
			{ range, download = false }: { range?: string; download?: boolean } = {},
		) => await send('GET', `${home}/files/${n}${download ? '?download' : ''}`, { range }),
		/** Asks for a code and waits for the mail. */
		requestCode: async (email: string) =>
			await receiveCode(mails, { to: email, link: home }, () => visitor.post('code', { email })),
		/** Signs in with a code that is requested, or with this one. */
		signIn: async (email: string, code?: string) =>
			await visitor.post('open', { email, code: code ?? (await visitor.requestCode(email)) }),
		enterPassword: async (password: string) => await visitor.post('password', { password }),
	};
	return visitor;
}
