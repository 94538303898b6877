import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { request } from 'undici';
import type { Container } from './api.mts';
import { parsePage, type Page } from './html.mts';
import type { Service } from './service.mts';

export interface Mail {
	to: string;
	subject: string;
	/** The code, alone on a line. */
	code: string;
	link: string;
}

const decodeQuotedPrintable = (text: string) =>
	text
		.replace(/=\r?\n/g, '')
		.replace(/=([\dA-F]{2})/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));

function parseMail(file: string): Mail {
	const [head, ...rest] = readFileSync(file, 'latin1').split(/\r?\n\r?\n/);
	const text = decodeQuotedPrintable(rest.join('\n\n'));
	return {
		to: /^To: .*?([^\s<>]+@[^\s<>]+)/im.exec(head)?.[1] ?? '',
		subject: /^Subject: (.*)/im.exec(head)?.[1].trim() ?? '',
		code: /^(\d{8})\r?$/m.exec(text)?.[1] ?? '',
		link: /https?:\/\/\S+/.exec(text)?.[0] ?? '',
	};
}

const mails = new Map<string, Mail>();

/** All mails that a service has sent, in the order of their file names. */
export function readMails({ outbox }: Pick<Service, 'outbox'>): Mail[] {
	const names = existsSync(outbox) ? readdirSync(outbox) : [];
	const files = names.filter((name) => name.endsWith('.eml')).map((name) => join(outbox, name));
	return files.sort().map((file) => {
		const mail = mails.get(file) ?? parseMail(file);
		mails.set(file, mail);
		return mail;
	});
}

const MAX_WAIT_MS = 15_000;

/** How long a mail that nobody should get would have taken, several times over. */
export const MAIL_TIME_MS = 500;

export interface DoorResponse {
	/** Of the first response; a redirection is followed. */
	status: number;
	headers: Record<string, string>;
	bytes: Buffer;
	page: Page;
}

export type Visitor = ReturnType<typeof visit>;

/**
 * Who stands before the door: a browser without scripts.
 * @param ip the address that the visitor comes from; the service must trust the proxy
 */
export function visit(service: Service, { uuid }: Pick<Container, 'uuid'>, ip?: string) {
	const cookies = new Map<string, string>();
	const home = `/c/${uuid}`;
	const send = async (
		method: string,
		url: string,
		{ fields, range }: { fields?: Record<string, string>; range?: string } = {},
	): Promise<DoorResponse> => {
		const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
		const response = await request(new URL(url, service.origin), {
			method: method as 'GET',
			dispatcher: service.api.dispatcher,
			body: fields && new URLSearchParams(fields).toString(),
			headers: {
				...(cookie && { cookie }),
				...(ip && { 'x-forwarded-for': ip }),
				...(range && { range }),
				...(fields && { 'content-type': 'application/x-www-form-urlencoded' }),
			},
		});
		for (const line of [response.headers['set-cookie'] ?? []].flat()) {
			const [, name, value] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
			if (/max-age=0|1970/i.test(line)) cookies.delete(name);
			else cookies.set(name, value);
		}
		const bytes = Buffer.from(await response.body.arrayBuffer());
		const headers = response.headers as Record<string, string>;
		return { status: response.statusCode, headers, bytes, page: parsePage(bytes.toString()) };
	};
	/** As a browser does: follows a redirection, and shows the page. */
	const show = async (first: DoorResponse): Promise<DoorResponse> => {
		const { page } = first.status === 303 ? await send('GET', first.headers.location) : first;
		visitor.page = page;
		return { ...first, page };
	};
	const visitor = {
		/** The last page. */
		page: parsePage(''),
		cookies,
		go: async (path = home): Promise<DoorResponse> => await show(await send('GET', path)),
		/** Sends a form without a page. */
		post: async (step: string, fields: Record<string, string>): Promise<DoorResponse> =>
			await show(await send('POST', `${home}/${step}`, { fields })),
		getFile: async (
			n: number,
			{ range, download = false }: { range?: string; download?: boolean } = {},
		) => await send('GET', `${home}/files/${n}${download ? '?download' : ''}`, { range }),
		/** Fills in the form that has this button, and sends it. */
		submit: async (button: string, entries: Record<string, string>): Promise<DoorResponse> => {
			const form = visitor.page.forms.find(({ buttons }) => buttons.includes(button));
			if (!form) throw new Error(`The page has no button ${button}: ${visitor.page.text}`);
			const fields = { ...form.values };
			for (const [label, value] of Object.entries(entries)) {
				if (!form.labels[label]) throw new Error(`No field ${label}: ${JSON.stringify(form)}`);
				fields[form.labels[label]] = value;
			}
			return await show(await send(form.method, form.action || home, { fields }));
		},
		/** Asks for a code and waits for the mail. */
		requestCode: async (email: string): Promise<string> => {
			const before = new Set(readMails(service));
			await visitor.go();
			await visitor.submit('Send Code', { 'Email address': email });
			for (let waited = 0; waited < MAX_WAIT_MS; waited += 20) {
				const mail = readMails(service).find(
					(sent) => !before.has(sent) && sent.to === email && sent.link.endsWith(home),
				);
				if (mail) return mail.code;
				await sleep(20);
			}
			throw new Error(`No mail for ${email}`);
		},
		/** Signs in with a code that is requested, or with this one. */
		signIn: async (email: string, code?: string): Promise<DoorResponse> => {
			if (code !== undefined) return await visitor.post('open', { email, code });
			const requested = await visitor.requestCode(email);
			return await visitor.submit('Open', { Code: requested });
		},
		enterPassword: async (password: string): Promise<DoorResponse> =>
			await visitor.submit('Open', { Password: password }),
	};
	return visitor;
}
