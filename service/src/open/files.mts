import { Readable } from 'node:stream';
import contentDisposition from 'content-disposition';
import type { FastifyReply, FastifyRequest } from 'fastify';
import parseRange from 'range-parser';
import { decryptAgeFile, readAll } from '../containers/ageFile.mts';
import { getSize } from '../containers/encode.mts';
import { getIdentity, type StoredFile } from '../containers/seal.mts';
import type { ByteRange } from '../storage/storage.mts';
import type { Door, FoundContainer, Visitor } from './door.mts';
import { getFileKind } from './fileKinds.mts';
import { containerPage } from './pages.mts';

/** What the page shows of a text, and of how many. */
const TEXT_BYTES = 64 * 1024;
const MAX_TEXTS = 20;
/** A client that reads nothing is cut off. */
const SILENCE_MS = 60_000;

/** A shown file never runs, and never loads anything. */
const POLICY = "sandbox; default-src 'none'; frame-ancestors 'self'";

/** @returns the page of an open container */
export async function showContainer(
	door: Door,
	found: FoundContainer,
	visitor: Visitor,
	path: string,
) {
	const { row, owner, seal } = found;
	const { time, opens, downloadable = false } = seal.rules;
	const files = [];
	let texts = 0;
	for (const [index, file] of seal.files.entries()) {
		if (file.hidden) continue;
		const isText = getFileKind(file).shown === 'text' && ++texts <= MAX_TEXTS;
		const range = { start: 0, end: Math.min(file.size, TEXT_BYTES) };
		const text = isText
			? (await readAll(decrypt(door, found, visitor, file, range))).toString()
			: undefined;
		files.push({ ...file, index, text, textIsCut: file.size > TEXT_BYTES });
	}
	const opensLeft = opens === undefined ? undefined : Math.max(opens - row.opens_used, 0);
	const about = { path, owner: owner.email, name: row.name, lastDay: time?.end, opensLeft };
	return containerPage({ ...about, downloadable, files });
}

/** Sends a file, or a range of it, decrypted as it goes. @returns a sentence, with a status, where it can't */
export async function sendFile(
	door: Door,
	found: FoundContainer,
	visitor: Visitor,
	{ params, query, headers }: FastifyRequest,
	reply: FastifyReply,
): Promise<FastifyReply | string> {
	const { rules, files } = found.seal;
	const { index } = params as { index: string };
	const file = /^\d{1,6}$/.test(index) ? files[Number(index)] : undefined;
	void reply.code(404);
	if (file === undefined || file.hidden) return 'This container has no such file.';
	const { contentType, shown } = getFileKind(file);
	const isDownload = 'download' in (query as object) || shown === undefined;
	void reply.code(403);
	if (isDownload && !rules.downloadable) return "The sender doesn't offer this file for download.";
	const ranges = headers.range && parseRange(file.size, headers.range, { combine: true });
	void reply.code(416).header('Content-Range', `bytes */${file.size}`);
	if (ranges === -1) return 'The file has no such part.';
	// What isn't one range of bytes is answered with the whole file.
	const isRange = typeof ranges === 'object' && ranges.type === 'bytes' && ranges.length === 1;
	const { start, end } = isRange ? ranges[0] : { start: 0, end: file.size - 1 };
	if (isRange) void reply.header('Content-Range', `bytes ${start}-${end}/${file.size}`);
	else void reply.removeHeader('Content-Range');
	reply.raw.setTimeout(SILENCE_MS, () => reply.raw.destroy());
	const type = isDownload ? 'attachment' : 'inline';
	void reply.code(isRange ? 206 : 200).headers({
		'Content-Type': contentType,
		'Content-Length': end + 1 - start,
		'Content-Disposition': contentDisposition(file.name, { type }),
		'Content-Security-Policy': POLICY,
		'Cross-Origin-Resource-Policy': 'same-origin',
		'Accept-Ranges': 'bytes',
	});
	const content = decrypt(door, found, visitor, file, { start, end: end + 1 });
	return await reply.send(Readable.from(content, { objectMode: false }));
}

async function* decrypt(
	{ vault }: Door,
	{ row, seal }: FoundContainer,
	{ passwordKey }: Visitor,
	{ offset, size }: StoredFile,
	range: ByteRange,
): AsyncGenerator<Buffer> {
	if (size === 0) return;
	const identity = getIdentity(row.id, seal.secret, passwordKey);
	if (identity === undefined) throw new Error(`The password key of container ${row.id} is wrong`);
	yield* decryptAgeFile({
		read: (bytes) => vault.storage.read(row.object, bytes),
		identity,
		size: getSize(seal.files),
		range: { start: offset + range.start, end: offset + range.end },
	});
}
