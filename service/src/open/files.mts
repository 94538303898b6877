import { Readable } from 'node:stream';
import contentDisposition from 'content-disposition';
import type { FastifyReply, FastifyRequest } from 'fastify';
import parseRange from 'range-parser';
import { decryptAgeFile } from '../containers/ageFile.mts';
import { getIdentity, type StoredFile } from '../containers/seal.mts';
import type { ByteRange } from '../storage/storage.mts';
import type { Door, SeenContainer, Visitor } from './door.mts';
import { getFileKind } from './fileKinds.mts';
import { containerPage, problemPage } from './pages.mts';

/** Text that the page shows of a file, and of how many files. */
const TEXT_BYTES = 64 * 1024;
const MAX_TEXTS = 20;
/** A client that reads nothing is cut off. */
const SILENCE_MS = 60_000;

/** A shown file never runs, and never loads anything. */
const FILE_POLICY = "sandbox; default-src 'none'; frame-ancestors 'self'";

/** @returns the page of an open container */
export async function showContainer(
	door: Door,
	seen: SeenContainer,
	visitor: Visitor,
	path: string,
): Promise<string> {
	const { row, owner, seal } = seen;
	const { time, opens, downloadable = false } = seal.rules;
	const shown = seal.files
		.map((file, index) => ({ file, index }))
		.filter(({ file }) => !file.hidden);
	const texts = shown.filter(({ file }) => getFileKind(file).shown === 'text').slice(0, MAX_TEXTS);
	const files = [];
	for (const { file, index } of shown) {
		const { name, type, size } = file;
		const text = texts.some((entry) => entry.file === file)
			? await readText(door, seen, visitor, file)
			: undefined;
		files.push({ index, name, type, size, text, textIsCut: size > TEXT_BYTES });
	}
	return containerPage({
		...{ path, owner: owner.email, name: row.name, files, downloadable },
		lastDay: time?.end,
		opensLeft: opens === undefined ? undefined : Math.max(opens - row.opens_used, 0),
	});
}

async function readText(door: Door, seen: SeenContainer, visitor: Visitor, file: StoredFile) {
	const chunks: Buffer[] = [];
	const range = { start: 0, end: Math.min(file.size, TEXT_BYTES) };
	for await (const chunk of decrypt(door, seen, visitor, file, range)) chunks.push(chunk);
	return Buffer.concat(chunks).toString();
}

/** Sends a file, or the range of it that was asked for, decrypted as it goes. */
export async function sendFile(
	door: Door,
	seen: SeenContainer,
	visitor: Visitor,
	request: FastifyRequest,
	reply: FastifyReply,
): Promise<FastifyReply> {
	const { index } = request.params as { index: string };
	const file = /^\d{1,6}$/.test(index) ? seen.seal.files[Number(index)] : undefined;
	if (file === undefined || file.hidden) {
		return await sendProblem(reply, 404, 'File not found', 'This container has no such file.');
	}
	const kind = getFileKind(file);
	const isDownload = 'download' in (request.query as object) || kind.shown === undefined;
	if (isDownload && !seen.seal.rules.downloadable) {
		const sentence = "The sender doesn't offer this file for download.";
		return await sendProblem(reply, 403, 'Not allowed', sentence);
	}
	const ranges =
		request.headers.range && parseRange(file.size, request.headers.range, { combine: true });
	if (ranges === -1) {
		void reply.header('Content-Range', `bytes */${file.size}`);
		return await sendProblem(reply, 416, 'Not found', 'The file has no such part.');
	}
	// What is no range of bytes, or several, is answered with the whole file.
	const part =
		typeof ranges === 'object' && ranges.type === 'bytes' && ranges.length === 1
			? ranges[0]
			: undefined;
	const range = part ? { start: part.start, end: part.end + 1 } : { start: 0, end: file.size };
	if (part) void reply.header('Content-Range', `bytes ${part.start}-${part.end}/${file.size}`);
	reply.raw.setTimeout(SILENCE_MS, () => reply.raw.destroy());
	return await reply
		.code(part ? 206 : 200)
		.headers({
			'Content-Type': kind.contentType,
			'Content-Length': range.end - range.start,
			'Content-Disposition': contentDisposition(file.name, {
				type: isDownload ? 'attachment' : 'inline',
			}),
			'Content-Security-Policy': FILE_POLICY,
			'Cross-Origin-Resource-Policy': 'same-origin',
			'Accept-Ranges': 'bytes',
		})
		.send(Readable.from(decrypt(door, seen, visitor, file, range), { objectMode: false }));
}

async function* decrypt(
	{ vault }: Door,
	{ row, seal }: SeenContainer,
	{ passwordKey }: Visitor,
	{ offset, size: fileSize }: StoredFile,
	range: ByteRange,
): AsyncGenerator<Buffer> {
	if (fileSize === 0) return;
	const identity = getIdentity(row.id, seal.secret, passwordKey);
	if (identity === undefined) throw new Error(`The password key of container ${row.id} is wrong`);
	const size = seal.files.reduce((total, file) => total + file.size, 0);
	yield* decryptAgeFile({
		...{ read: async (bytes) => await vault.storage.read(row.object, bytes), identity, size },
		range: { start: offset + range.start, end: offset + range.end },
	});
}

async function sendProblem(reply: FastifyReply, status: number, title: string, sentence: string) {
	return await reply
		.code(status)
		.type('text/html; charset=utf-8')
		.send(problemPage({ title, sentence }));
}
