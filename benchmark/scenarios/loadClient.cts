import { readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { Agent, request } from 'undici';
import type { Expectation } from '../report.cts';
import type { Service } from './serviceServers.cts';

/** How many work at once, where each does much. */
export const CLIENTS = 10;
const POLL_MS = 100;
const BOUNDARY = 'benchmark';

interface Sent {
	headers?: Record<string, string>;
	/** Sent as JSON. */
	json?: object;
	/** The fields of a form of the page. */
	fields?: Record<string, string>;
	upload?: Upload;
}

interface Upload {
	/** Of an encode request. Without it, it is the form of a browser by which files come. */
	manifest?: object;
	content: string | Readable;
	fileName?: string;
}

export type LoadClient = ReturnType<typeof createLoadClient>;

/** Sends requests, and keeps which were answered with an error, and how long an answer took at most. */
export function createLoadClient({
	baseUrl,
	apiKey,
	caPath,
	mails,
}: Pick<Service, 'baseUrl' | 'apiKey' | 'caPath' | 'mails'>) {
	const dispatcher = new Agent({
		// So many at once wait for each other when they connect.
		connect: { ca: readFileSync(caPath), timeout: 60_000 },
		headersTimeout: 0,
	});
	const { origin } = new URL(baseUrl);
	const state = { errors: [] as string[], slowest: 0, request: '' };
	/** @param path of the API, or beginning with /c/ or /r/ of a page. @returns the response; its status is 0 where none came */
	const send = async (method: string, path: string, sent: Sent = {}) => {
		const isPage = /^\/[cr]\//.test(path);
		let sentAt = performance.now();
		const { type, body } = toBody(sent, () => (sentAt = performance.now()));
		const headers = {
			...(!isPage && { authorization: `Bearer ${apiKey}` }),
			...(type && { 'content-type': type }),
			...sent.headers,
		};
		const url = (isPage ? origin : baseUrl) + path;
		const answer = { status: 0, headers: {} as Record<string, string>, text: '' };
		try {
			const response = await request(url, { method: method as 'GET', headers, body, dispatcher });
			const seconds = (performance.now() - sentAt) / 1000;
			if (seconds > state.slowest) {
				Object.assign(state, { slowest: seconds, request: `${method} ${path.split('/').at(-1)}` });
			}
			answer.headers = response.headers as Record<string, string>;
			answer.text = await response.body.text();
			answer.status = response.statusCode;
		} catch (error) {
			answer.text = String(error);
		}
		// Who sent an outdated ETag, or too much, is told so.
		const isFine = answer.status > 0 && (answer.status < 400 || [412, 429].includes(answer.status));
		if (!isFine) state.errors.push(`${method} ${path}: ${answer.status} ${answer.text}`);
		return answer;
	};
	const codes = new Map<string, string>();
	const seen = new Set<string>();
	let reading: Promise<void> | undefined;
	const readMails = async () => {
		await delay(POLL_MS);
		for (const name of await readdir(mails).catch(() => [])) {
			if (!name.endsWith('.eml') || seen.has(name)) continue;
			seen.add(name);
			const mail = await readFile(join(mails, name), 'utf8');
			const [, to] = /^To: .*?([^\s<>]+@[^\s<>]+)/m.exec(mail) ?? [];
			codes.set(to, /^\d{8}$/m.exec(mail)![0]);
		}
		reading = undefined;
	};
	/** Waits for the mail with a code. All who wait read the mails together. */
	const readCode = async (email: string): Promise<string> => {
		while (!codes.has(email)) await (reading ??= readMails());
		const code = codes.get(email)!;
		codes.delete(email);
		return code;
	};
	/** Signs in from an address, by a link. @returns what sends the requests of this visitor */
	const enter = async (page: string, email: string, ip: string) => {
		const from = { 'x-forwarded-for': ip };
		const asked = await send('POST', `${page}/code`, { fields: { email }, headers: from });
		const fields = { email, code: await readCode(email) };
		const opened = await send('POST', `${page}/open`, { fields, headers: from });
		const headers = { ...from, cookie: findSession(opened.headers) };
		const read = async (path: string) => (await send('GET', page + path, { headers })).status;
		const deliver = async (upload: Upload) =>
			await send('POST', `${page}/send`, { upload, headers });
		return { asked: asked.status, opened: opened.status, read, deliver };
	};
	return {
		state,
		send,
		enter,
		readJson: async <Value,>(path: string) => JSON.parse((await send('GET', path)).text) as Value,
		/** Opens a container from an address, and reads its page and its first file. @returns the status of each step */
		open: async (id: string, email: string, ip: string) => {
			const { asked, opened, read } = await enter(`/c/${id}`, email, ip);
			return [asked, opened, await read(''), await read('/files/0')];
		},
	};
}

/** The last one counts, as in a browser. */
function findSession(headers: Record<string, string | string[]>): string {
	const cookies = [headers['set-cookie'] ?? []].flat().map((cookie) => cookie.split(';')[0]);
	return cookies.filter((cookie) => cookie.startsWith('session=')).at(-1) ?? '';
}

function toBody({ json, fields, upload }: Sent, onSent: () => void) {
	if (json) return { type: 'application/json', body: JSON.stringify(json) };
	if (fields) {
		const body = new URLSearchParams(fields).toString();
		return { type: 'application/x-www-form-urlencoded', body };
	}
	if (!upload) return {};
	const head = toHead(upload);
	async function* write({ content }: Upload) {
		yield Buffer.from(head);
		if (typeof content === 'string') yield Buffer.from(content);
		else yield* content as AsyncIterable<Buffer>;
		yield Buffer.from(`\r\n--${BOUNDARY}--\r\n`);
		onSent();
	}
	return { type: `multipart/form-data; boundary=${BOUNDARY}`, body: write(upload) as never };
}

function toHead({ manifest, fileName = 'file.txt' }: Upload): string {
	const toPart = (disposition: string, content: string) =>
		`--${BOUNDARY}\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n${content}`;
	const name = manifest ? 'file' : 'files';
	const file = toPart(`name="${name}"; filename="${fileName}"`, '');
	if (manifest === undefined) return file;
	return `${toPart('name="manifest.json"', JSON.stringify(manifest))}\r\n${file}`;
}

export interface Run {
	service: Service;
	client: LoadClient;
	containers: string;
}

/** What was measured: rows and expectations of the report. */
export type Measured = { rows: string[][]; expectations: Expectation[] };

/** @returns the seconds that it takes */
export async function time(work: () => Promise<unknown>): Promise<number> {
	const startedAt = performance.now();
	await work();
	return (performance.now() - startedAt) / 1000;
}

export const times = <Value,>(count: number, run: (index: number) => Value) =>
	Array.from({ length: count }, (_, index) => run(index));

/** @returns the ID of a new container */
export async function createContainer(
	{ client, containers }: Run,
	rules: object = {},
): Promise<string> {
	const manifest = { container: { name: 'Load', drm: { dynamic: true, ...rules } } };
	const upload = { manifest, content: 'Hello' };
	const { text } = await client.send('POST', `${containers}/encode`, { upload });
	return JSON.parse(text).container.uuid as string;
}

/** Somebody who can send files by a new request, as often as they like. */
export async function createSender(
	{ client, service }: Run,
	{ email = 'anna@example.com', maxBytes }: { email?: string; maxBytes: number },
) {
	const json = { name: 'Load', senders: [email], max_bytes: maxBytes, deliveries: 10_000 };
	const { text } = await client.send('POST', `/users/${service.userId}/requests`, { json });
	return await client.enter(`/r/${JSON.parse(text).uuid}`, email, '203.0.113.1');
}

/** @returns the path of the next page */
export const getNext = ({ link = '' }: Record<string, string>) =>
	/<[^>]*\/api\/v1([^>]*)>; rel="next"/.exec(link)?.[1];
