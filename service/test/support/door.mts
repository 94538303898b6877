import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Agent, request } from 'undici';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Container } from './api.mts';
import { parsePage, type Page } from './html.mts';
import type { Service } from './service.mts';

export interface Mail {
	to: string;
	subject: string;
	text: string;
	/** The code, alone on a line. */
	code: string;
	link: string;
}

function decodeQuotedPrintable(text: string): string {
	const bytes = text
		.replace(/=\r?\n/g, '')
		.replace(/=([\dA-F]{2})/g, (_, hex) => String.fromCharCode(parseInt(hex, 16)));
	return Buffer.from(bytes, 'latin1').toString('utf8');
}

const parsed = new Map<string, Mail>();

/** All mails that a service has sent, in the order of their file names. */
export function readMails({ outbox }: Pick<Service, 'outbox'>): Mail[] {
	if (!existsSync(outbox)) return [];
	const names = readdirSync(outbox).filter((name) => name.endsWith('.eml'));
	return names.sort().map((name) => {
		const file = join(outbox, name);
		const mail = parsed.get(file) ?? parseMail(readFileSync(file, 'latin1'));
		parsed.set(file, mail);
		return mail;
	});
}

function parseMail(source: string): Mail {
	const [head, ...rest] = source.split(/\r?\n\r?\n/);
	const header = (name: string) =>
		new RegExp(`^${name}: (.*(?:\\r?\\n\\s.*)*)`, 'im').exec(head)?.[1].replace(/\r?\n\s/g, ' ') ??
		'';
	const body = rest.join('\n\n');
	const encoding = header('Content-Transfer-Encoding').toLowerCase();
	const text =
		encoding === 'base64' ? Buffer.from(body, 'base64').toString() : decodeQuotedPrintable(body);
	return {
		to: /[^\s<>]+@[^\s<>]+/.exec(header('To'))?.[0] ?? '',
		subject: header('Subject'),
		text,
		code: /^(\d{8})\r?$/m.exec(text)?.[1] ?? '',
		link: /https?:\/\/\S+/.exec(text)?.[0] ?? '',
	};
}

export interface DoorResponse {
	/** Of the first response; a redirection is followed. */
	status: number;
	headers: Record<string, string | string[] | undefined>;
	bytes: Buffer;
	page: Page;
}

/** Who stands before the door: a browser without scripts. */
export interface Visitor {
	/** The last page. */
	page: Page;
	cookies: Map<string, string>;
	/** Requests an address of the service and keeps the page. */
	go(path?: string): Promise<DoorResponse>;
	/** Requests file n and keeps nothing. */
	getFile(n: number, options?: { range?: string; download?: boolean }): Promise<DoorResponse>;
	/** Fills in the form that has this button, and sends it. */
	submit(button: string, fields: Record<string, string>): Promise<DoorResponse>;
	/** Sends a form without a page. */
	post(step: string, fields: Record<string, string>): Promise<DoorResponse>;
	/** Asks for a code and waits for the mail. */
	requestCode(email: string): Promise<string>;
	/** Signs in with a code that is requested, or with this one. */
	signIn(email: string, code?: string): Promise<DoorResponse>;
	enterPassword(password: string): Promise<DoorResponse>;
}

interface VisitorOptions {
	/** The address that the visitor comes from; the service must trust the proxy. */
	ip?: string;
	headers?: Record<string, string>;
}

const agents = new Map<string, Agent>();

const MAX_WAIT_MS = 15_000;

/** How long a mail that nobody should get would have taken, several times over. */
export const MAIL_TIME_MS = 500;

export function visit(
	service: Service,
	{ uuid }: Pick<Container, 'uuid'>,
	{ ip, headers: always = {} }: VisitorOptions = {},
): Visitor {
	const { ca, origin } = service;
	const dispatcher = agents.get(ca) ?? new Agent({ connect: { ca }, keepAliveTimeout: 1000 });
	agents.set(ca, dispatcher);
	const cookies = new Map<string, string>();

	const send = async (
		method: 'GET' | 'POST',
		url: string,
		{ body, range }: { body?: string; range?: string } = {},
	): Promise<DoorResponse> => {
		const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
		const response = await request(new URL(url, origin), {
			method,
			dispatcher,
			body,
			headers: {
				...(cookie && { cookie }),
				...(ip && { 'x-forwarded-for': ip }),
				...(range && { range }),
				...(body !== undefined && { 'content-type': 'application/x-www-form-urlencoded' }),
				...always,
			},
		});
		for (const line of [response.headers['set-cookie'] ?? []].flat()) {
			const [, name, value] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
			if (/max-age=0|1970/i.test(line)) cookies.delete(name);
			else cookies.set(name, value);
		}
		const bytes = Buffer.from(await response.body.arrayBuffer());
		const { statusCode: status, headers } = response;
		return { status, headers, bytes, page: parsePage(bytes.toString()) };
	};

	/** As a browser does: follows the redirection, and shows the page. */
	const show = async (first: DoorResponse): Promise<DoorResponse> => {
		if (first.status !== 303) {
			visitor.page = first.page;
			return first;
		}
		const next = await send('GET', String(first.headers.location));
		visitor.page = next.page;
		return { ...first, page: next.page };
	};

	const toBody = (fields: Record<string, string>) => new URLSearchParams(fields).toString();
	const home = `/c/${uuid}`;
	const visitor: Visitor = {
		page: parsePage(''),
		cookies,
		go: async (path = home) => await show(await send('GET', path)),
		getFile: async (n, { range, download = false } = {}) =>
			await send('GET', `${home}/files/${n}${download ? '?download' : ''}`, { range }),
		post: async (step, fields) =>
			await show(await send('POST', `${home}/${step}`, { body: toBody(fields) })),
		submit: async (button, fields) => {
			const form = visitor.page.forms.find(({ buttons }) => buttons.includes(button));
			if (!form) throw new Error(`The page has no button ${button}: ${visitor.page.text}`);
			const entered = Object.entries(fields).map(([label, value]) => {
				const name = form.labels[label];
				if (!name) throw new Error(`The form has no field ${label}: ${JSON.stringify(form)}`);
				return [name, value];
			});
			const body = toBody({ ...form.values, ...Object.fromEntries(entered) });
			return await show(await send(form.method as 'POST', form.action || home, { body }));
		},
		requestCode: async (email) => {
			const isNew = (mail: Mail) => mail.to === email && mail.link.endsWith(home);
			const before = new Set(readMails(service));
			await visitor.go();
			await visitor.submit('Send Code', { 'Email address': email });
			const find = () => readMails(service).find((mail) => !before.has(mail) && isNew(mail));
			for (let waited = 0; !find(); waited += 20) {
				if (waited > MAX_WAIT_MS) throw new Error(`No mail for ${email}`);
				await sleep(20);
			}
			return find()?.code ?? '';
		},
		signIn: async (email, code) => {
			const own = code ?? (await visitor.requestCode(email));
			if (code !== undefined) return await visitor.post('open', { email, code });
			return await visitor.submit('Open', { Code: own });
		},
		enterPassword: async (password) => await visitor.submit('Open', { Password: password }),
	};
	return visitor;
}
