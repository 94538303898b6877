import type { Readable } from 'node:stream';
import { make, type Parser, type PartInfo } from 'multipasta';
import { malformed, tooLarge } from '../errors.mts';

const SILENCE_MS = 60_000;
const PARAMETER = /;\s*([a-z*]+)\s*=\s*(?:"((?:\\"|[^"])*)"|([^;\s]*))/gi;

interface PartHead {
	name: string | undefined;
	filename: string;
	/** The media type, without parameters, as sent. */
	type: string;
}

export interface Part extends PartHead {
	/** Can be read until the next part is asked for. */
	content: AsyncIterable<Uint8Array>;
}

interface FormBody {
	body: Readable;
	/** Names the boundary. */
	contentType: string;
	maxBytes: number;
}

/** The parts of a form as they arrive. @throws ServiceError where it breaks off, is too large or no form */
export async function* readParts(form: FormBody): AsyncGenerator<Part> {
	const tokens = readTokens(form);
	async function* readContent() {
		for (;;) {
			const { value: token } = await tokens.next();
			if (!(token instanceof Uint8Array)) return;
			yield token;
		}
	}
	for (;;) {
		const { value: token, done } = await tokens.next();
		if (done) return;
		const isContent = token === null || token instanceof Uint8Array;
		if (!isContent) yield { ...token, content: readContent() };
	}
}

/** The head of a part, pieces of its content, and null at its end. */
type Token = PartHead | Uint8Array | null;

async function* readTokens({ body, contentType, maxBytes }: FormBody): AsyncGenerator<Token> {
	const tokens: Token[] = [];
	let isWhole = false;
	const parser = make({
		headers: { 'content-type': contentType },
		isFile: () => true,
		onFile(info) {
			tokens.push(parseHead(info));
			return (piece) => void tokens.push(piece);
		},
		onField: () => undefined,
		onError(error) {
			throw malformed(`The form can't be read (${error._tag}).`);
		},
		onDone() {
			isWhole = true;
		},
	});
	for await (const chunk of readBody(body, maxBytes)) {
		parse(parser, chunk);
		yield* tokens.splice(0);
		if (isWhole) return;
	}
	throw malformed('The form ends before its last boundary.');
}

function parse(parser: Parser, chunk: Buffer): void {
	try {
		parser.write(chunk);
	} catch (error) {
		if (!(error instanceof URIError)) throw error;
		throw malformed("The form can't be read (InvalidDisposition).");
	}
}

/** The connection stays open for the response. @throws ServiceError 413, or the error of a body that breaks off */
async function* readBody(body: Readable, maxBytes: number): AsyncGenerator<Buffer> {
	const chunks = body.iterator({ destroyOnReturn: false });
	for (let size = 0; ;) {
		// Only silence counts, not the time that the service needs itself.
		const cutOff = () => body.destroy(new Error('The upload went silent'));
		const silence = setTimeout(cutOff, SILENCE_MS);
		const { done, value } = await chunks.next().finally(() => clearTimeout(silence));
		if (done) return;
		size += (value as Buffer).length;
		if (size > maxBytes) throw tooLarge('upload', maxBytes);
		yield value as Buffer;
	}
}

/** The parser itself reads names only in Latin-1. @throws URIError where a name is encoded wrongly */
function parseHead({ headers }: PartInfo): PartHead {
	const parameters: Record<string, string> = {};
	const matches = String(headers['content-disposition']).matchAll(PARAMETER);
	for (const [, key, quoted = '', token = quoted] of matches) parameters[key.toLowerCase()] = token;
	const { name, filename = '', 'filename*': extended = '' } = parameters;
	const [, encoded] = /^utf-8'[^']*'(.+)/i.exec(extended) ?? [];
	// Forms escape three characters (WHATWG), older clients only a quote.
	const decoded = filename.replaceAll('\\"', '"').replace(/%22|%0D|%0A/gi, decodeURIComponent);
	const [type] = String(headers['content-type']).split(';', 1);
	return { name, filename: encoded ? decodeURIComponent(encoded) : decoded, type: type.trim() };
}
