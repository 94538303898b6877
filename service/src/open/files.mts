import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import contentDisposition from 'content-disposition';
import type { FastifyBaseLogger, FastifyReply } from 'fastify';
import { decryptAgeFile } from '../containers/ageFile.mts';
import { getIdentity, type StoredFile } from '../containers/seal.mts';
import type { ByteRange } from '../storage/storage.mts';
import type { Door, Visit } from './door.mts';
import { recordDownload } from './downloads.mts';
import { getFileKind } from './fileKinds.mts';
import { filesPage, MAX_PREVIEWS, type PageFile } from './filesPage.mts';
import { failure } from './pageErrors.mts';
import type { Page } from './templates.mts';

const TEXT_BYTES = 64 * 1024;
/** So that a page with many files stays small. */
const TEXT_BYTES_OF_SEVERAL = 8 * 1024;
export const MAX_SILENCE_MS = 60_000;

/** A file never runs, and loads nothing. Chromium lays images and PDF documents out by inline styles. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'self'";

export async function showFiles(
	door: Door,
	visit: Visit,
	{ page, log }: { page: Page; log: FastifyBaseLogger },
): Promise<string> {
	const { row, owner, seal } = visit;
	const { time, opens, downloadable = true } = seal.rules;
	const files: Array<StoredFile & PageFile> = seal.files
		.map((file, index) => ({ ...file, index }))
		.filter(({ hidden }) => !hidden);
	const bytes = files.length > 1 ? TEXT_BYTES_OF_SEVERAL : TEXT_BYTES;
	const texts = files.filter((file) => getFileKind(file).shown === 'text').slice(0, MAX_PREVIEWS);
	for (const file of texts) {
		const range = { start: 0, end: Math.min(file.size, bytes) };
		const content = await buffer(decrypt(door, visit, file, range)).catch((error: Error) => error);
		if (content instanceof Error) {
			log.error(content, "The text of a file can't be shown");
			file.isDamaged = true;
			continue;
		}
		file.text = toText(content);
		file.isCut = file.size > bytes;
	}
	return filesPage(page, {
		owner: owner.email,
		name: row.name,
		lastDay: time?.end,
		openingsLeft: opens && Math.max(opens - row.opens_used, 0),
		isDownloadable: downloadable,
		files,
	});
}

/** Half a character at the end is left out. */
const toText = (bytes: Buffer) => new TextDecoder().decode(bytes, { stream: true });

export async function sendFile(door: Door, visit: Visit, reply: FastifyReply) {
	const { params, query, headers } = reply.request;
	const { index } = params as { index: string };
	const { rules, files } = visit.seal;
	const file = files.find(({ hidden }, position) => String(position) === index && !hidden);
	if (!file) throw failure(404, 'failure.noFileTitle', 'failure.noFile');
	const { contentType, shown } = getFileKind(file);
	const isDownload = 'download' in (query as object) || shown === undefined;
	if (isDownload && rules.downloadable === false) {
		throw failure(403, 'failure.noFileTitle', 'failure.noDownload');
	}
	// What isn't one range of bytes is answered with the whole file.
	const asked = /^bytes=(?=.*\d)(\d*)-(\d*)$/.exec(headers.range ?? '');
	const [, first, last] = asked ?? ['', '0', ''];
	const start = first === '' ? Math.max(file.size - Number(last), 0) : Number(first);
	const end = first && last ? Math.min(Number(last) + 1, file.size) : file.size;
	const part = start < end ? `${start}-${end - 1}` : '*';
	if (asked) void reply.code(206).header('Content-Range', `bytes ${part}/${file.size}`);
	if (asked && part === '*') throw failure(416, 'failure.noFileTitle', 'failure.noRange');
	if (isDownload) {
		await recordDownload(door, visit, { file: Number(index), isPart: asked !== null });
	}
	reply.raw.setTimeout(MAX_SILENCE_MS, () => reply.raw.destroy());
	const type = isDownload ? 'attachment' : 'inline';
	// Safari shows no PDF document in a sandbox, or without object-src.
	const limit = shown === 'pdf' ? "object-src 'self'" : 'sandbox';
	void reply.headers({
		'Content-Type': contentType,
		'Content-Length': end - start,
		'Content-Disposition': contentDisposition(file.name, { type, fallback: toAscii(file.name) }),
		'Content-Security-Policy': `${limit}; ${POLICY}`,
		'Cross-Origin-Resource-Policy': 'same-origin',
		'Accept-Ranges': 'bytes',
	});
	const content = decrypt(door, visit, file, { start, end });
	return await reply.send(Readable.from(content, { objectMode: false }));
}

type Extent = Pick<StoredFile, 'offset' | 'size'>;

export async function* decrypt({ vault }: Door, visit: Visit, file: Extent, range: ByteRange) {
	const { row, seal, passwordKey } = visit;
	if (file.size === 0) return;
	const identity = getIdentity(row.id, seal.secret, passwordKey);
	if (identity === undefined) throw new Error(`The password key of container ${row.id} is wrong`);
	yield* decryptAgeFile({
		read: (bytes) => vault.storage.read(row.object, bytes),
		identity,
		size: row.size,
		range: { start: file.offset + range.start, end: file.offset + range.end },
	});
}

/** Node.js breaks other characters of this header; browsers read the name beside it. */
export const toAscii = (name: string) => name.replace(/[^ -~]/g, '_');
