import type { Api, ApiResponse, Container, Envelope, ErrorBody } from './api.mts';

export interface Part {
	name: string;
	filename?: string;
	type?: string;
	content: string | Buffer;
}

const BOUNDARY = 'boundary-of-the-tests';

/** A multipart form, byte by byte as given. */
export function toForm(parts: Part[]): Buffer {
	const chunks = parts.flatMap(({ name, filename, type, content }) => [
		`--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"`,
		filename === undefined ? '' : `; filename="${filename}"`,
		type === undefined ? '' : `\r\nContent-Type: ${type}`,
		'\r\n\r\n',
		content,
		'\r\n',
	]);
	return Buffer.concat([...chunks, `--${BOUNDARY}--\r\n`].map((chunk) => Buffer.from(chunk)));
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

/** Sends parts, or the bytes of a form, to the encode operation. */
export async function sendForm<T = Envelope & ErrorBody>(
	{ api, userId }: Target,
	form: Part[] | Buffer,
	headers: Record<string, string> = {},
): Promise<ApiResponse<T>> {
	return await api.send<T>('POST', `/users/${userId}/containers/encode`, {
		body: Buffer.isBuffer(form) ? form : toForm(form),
		headers: { 'content-type': `multipart/form-data; boundary=${BOUNDARY}`, ...headers },
	});
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
	const manifest = { container: { name: 'Test', ...container }, files: settings };
	const { status, body, text } = await sendForm(target, [
		manifestPart(manifest),
		...Object.entries(files).map(([name, content]) =>
			filePart(name, content, types[name] ?? 'text/plain'),
		),
	]);
	if (status !== 201) throw new Error(`Can't create a container: ${status} ${text}`);
	return body.container;
}
