import type { Api, ApiResponse, Container, Envelope, ErrorBody } from './api.mts';

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

export const formType = { 'content-type': 'multipart/form-data; boundary=boundary' };

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

/** Sends parts, or the bytes of a form, to the encode operation. */
export async function sendForm(
	{ api, userId }: Target,
	form: Part[] | Buffer,
	headers: Record<string, string> = {},
): Promise<ApiResponse<Envelope & ErrorBody>> {
	const body = Buffer.isBuffer(form) ? form : toForm(form);
	const path = `/users/${userId}/containers/encode`;
	return await api.send('POST', path, { body, headers: { ...formType, ...headers } });
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
	return body.container;
}
