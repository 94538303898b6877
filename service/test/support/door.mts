import pWaitFor from 'p-wait-for';
import { request } from 'undici';
import * as recipient from '../../../tools/recipient.cts';
import type { Container } from './api.mts';
import type { Service } from './service.mts';

const MAX_WAIT_MS = 15_000;

/** How long a mail that nobody should get would have taken, several times over. */
export const MAIL_TIME_MS = 500;

/** All mails that a service has sent, oldest first. */
export const readMails = ({ outbox }: Pick<Service, 'outbox'>) => recipient.readMails(outbox);

/** Waits for the nth code that somebody gets for a container. */
export async function waitForCode(service: Service, to: string, link: string, n = 1) {
	const find = () => readMails(service).filter((mail) => mail.to === to && mail.link === link);
	await pWaitFor(() => find().length >= n, { interval: 20, timeout: MAX_WAIT_MS });
	return find()[n - 1].code;
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

const NAMED: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"' };

const toText = (html: string) =>
	html
		.replace(/<(style|script|title)\b[^]*?<\/\1>|<[^>]*>/gi, ' ')
		.replace(/&(\w+);/g, (whole, name: string) => NAMED[name] ?? whole)
		.replace(/\s+/g, ' ')
		.replace(/ ([.,?!])/g, '$1');

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
		const html = bytes.toString();
		return { status: response.statusCode, headers, bytes, html, text: toText(html) };
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
		getFile: async (
			n: number,
			{ range, download = false }: { range?: string; download?: boolean } = {},
		) => await send('GET', `${home}/files/${n}${download ? '?download' : ''}`, { range }),
		/** Asks for a code and waits for the mail. */
		requestCode: async (email: string): Promise<string> => {
			const find = () =>
				readMails(service).filter(({ to, link }) => to === email && link.endsWith(home));
			// Their names are in order only while the clock is right.
			const known = new Set(find());
			const findNew = () => find().find((mail) => !known.has(mail));
			await visitor.post('code', { email });
			await pWaitFor(() => findNew() !== undefined, { interval: 20, timeout: MAX_WAIT_MS });
			return findNew()!.code;
		},
		/** Signs in with a code that is requested, or with this one. */
		signIn: async (email: string, code?: string) =>
			await visitor.post('open', { email, code: code ?? (await visitor.requestCode(email)) }),
		enterPassword: async (password: string) => await visitor.post('password', { password }),
	};
	return visitor;
}
