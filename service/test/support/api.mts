import { PassThrough } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { waitFor } from '../../../tools/processes.cts';
import type {
	Api,
	ApiResponse,
	ErrorBody,
	StoredContainer,
} from '../../../tools/serviceClient.cts';
import { usesServers, type Service } from './service.mts';

export type { Api, ApiResponse, ErrorBody };

/** `files`, `opens_used` and `on_hold` are only in the response of GET /containers/{id}. */
export interface Container extends StoredContainer {
	owner_id: string;
	updated_date: string;
	size: number;
	opens_used: number;
	on_hold: boolean;
}

/** A request for files. */
export interface FileRequest {
	uuid: string;
	name: string;
	owner_id: string;
	created_date: string;
	url: string;
	senders: string[];
	message?: string;
	time?: { start?: string; end?: string };
	max_files: number;
	max_bytes: number;
	deliveries: number;
	delivered: number;
}

interface Envelope {
	org_id: string;
	container: Container;
}

export interface Contact {
	[field: string]: string | number | boolean;
	email: string;
	created_date: string;
	updated_date: string;
}

export interface ServiceEvent {
	id: string;
	created_date: string;
	action: string;
	container_id: string | null;
	container_name: string | null;
	request_id: string | null;
	user: string;
	detail: Record<string, unknown> & {
		ip?: string;
		country?: string;
		reason?: string;
		changed?: string[];
	};
	/** Null in events from before the trails. */
	hash: string | null;
	mac: string | null;
}

export interface Part {
	name: string;
	filename?: string;
	type?: string;
	content: string | Buffer;
}

/** A multipart form, byte by byte as given. */
export function toForm(parts: Part[]): Buffer {
	const chunks = parts.flatMap(({ name, filename, type, content }) => [
		`--boundary\r\nContent-Disposition: form-data; name="${name}"`,
		filename === undefined ? '' : `; filename="${filename}"`,
		type === undefined ? '' : `\r\nContent-Type: ${type}`,
		'\r\n\r\n',
		content,
		'\r\n',
	]);
	return Buffer.concat([...chunks, '--boundary--\r\n'].map((chunk) => Buffer.from(chunk)));
}

export function manifestPart(manifest: unknown, name = 'manifest.json'): Part {
	const content = typeof manifest === 'string' ? manifest : JSON.stringify(manifest);
	return { name, type: 'application/json', content };
}

export function filePart(filename: string, content: string | Buffer, type?: string): Part {
	return { name: 'file', filename, type, content };
}

interface Target {
	api: Api;
	userId: string;
}

type Headers = Record<string, string>;

async function encode({ api, userId }: Target, body: Buffer | PassThrough, more: Headers) {
	const headers = { 'content-type': 'multipart/form-data; boundary=boundary', ...more };
	const path = `/users/${userId}/containers/encode`;
	return await api.send<Envelope & ErrorBody>('POST', path, { body, headers });
}

/** Sends parts, or the bytes of a form, to the encode operation. */
export const sendForm = async (target: Target, form: Part[] | Buffer, headers: Headers = {}) =>
	await encode(target, Buffer.isBuffer(form) ? form : toForm(form), headers);

/** Waits until a request with this key is being answered. */
export async function waitForKey({ read }: Pick<Service, 'read'>, key: string): Promise<void> {
	await waitFor(async () => (await read('select key as text from idempotency_keys')).includes(key));
}

/** In a bucket, a file is there only once it is whole: the service has this time to begin with it. */
const BEGIN_MS = 2000;

/** Waits until the service stores a file that is none of these. */
export async function waitForFile(
	{ listFiles }: Pick<Service, 'listFiles'>,
	before: string[],
): Promise<void> {
	if (usesServers) return await sleep(BEGIN_MS);
	const isThere = () => listFiles().some((path) => !before.includes(path));
	await waitFor(isThere, 60_000, 'No file is being stored.');
}

/** Sends the first half of a form, and the other one after `meanwhile`, which can break the connection instead. */
export async function sendHalves(
	target: Target,
	parts: Part[],
	meanwhile: (body: PassThrough) => unknown,
	headers: Headers = {},
) {
	const bytes = toForm(parts);
	const half = bytes.length / 2;
	const body = new PassThrough();
	const sent = encode(target, body, headers);
	body.write(bytes.subarray(0, half));
	await sleep(500);
	await meanwhile(body);
	if (!body.destroyed) body.end(bytes.subarray(half));
	return await sent;
}

export interface ContainerToCreate {
	name?: string;
	recipients?: string[];
	downloadable?: boolean;
	password?: string;
	drm?: object;
	/** Content by file name. */
	files?: Record<string, string | Buffer>;
	/** Media type by file name. */
	types?: Record<string, string>;
	/** Settings by file name. */
	settings?: object;
}

/** Creates a container and expects that this succeeds. */
export async function createContainer(
	target: Target,
	{ files = { 'note.txt': 'Hello' }, types = {}, settings, ...container }: ContainerToCreate = {},
): Promise<Container> {
	const { status, body, text } = await sendForm(target, [
		manifestPart({ container: { name: 'Test', ...container }, files: settings }),
		...Object.entries(files).map(([name, content]) =>
			filePart(name, content, types[name] ?? 'text/plain'),
		),
	]);
	if (status !== 201) throw new Error(`Can't create a container: ${status} ${text}`);
	const record: Partial<Container> = { ...body.container };
	// As in lists.
	delete record.files;
	return record as Container;
}
