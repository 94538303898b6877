import { makeZip, predictLength } from 'client-zip';
import type { FastifyReply } from 'fastify';
import { decryptFile } from '../../containers/decryptFile.mts';
import type { StoredFile } from '../../containers/seal.mts';
import { sendContent } from '../../web/sendContent.mts';
import { toArchiveNames, toSafeName } from './archiveNames.mts';
import type { Door, Visit } from '../door.mts';
import { recordDownload } from './downloads.mts';
import { failure } from '../pageErrors.mts';

/** Sends all files that a visitor sees as one zip. It is made while it is sent, and stored: its length is known before. */
export async function sendArchive(door: Door, visit: Visit, reply: FastifyReply) {
	const { row, seal } = visit;
	const files = seal.files.filter(({ hidden }) => !hidden);
	if (files.length === 0) throw failure(404, 'failure.noFileTitle', 'failure.noFile');
	if (seal.rules.downloadable === false) {
		throw failure(403, 'failure.noFileTitle', 'failure.noDownload');
	}
	const names = toArchiveNames(files.map(({ name }) => name));
	const lastModified = new Date(row.created_date);
	const entries = files.map((file, index) => ({ ...file, name: names[index], lastModified }));
	const name = `${toSafeName(row.name)}.zip`;
	await recordDownload(door, visit);
	const size = Number(predictLength(entries));
	const sent = { name, contentType: 'application/zip', size, disposition: 'attachment' } as const;
	return await sendContent(reply, sent, makeZip(readEntries(door, visit, entries)));
}

type ArchiveEntry = StoredFile & { lastModified: Date };

/** The entries one after the other: each can be read until the next one is asked for. */
async function* readEntries(door: Door, visit: Visit, entries: ArchiveEntry[]) {
	const content = createReader(door, visit);
	try {
		for (const entry of entries) yield { ...entry, input: content.read(entry) };
	} finally {
		await content.close();
	}
}

/** Reads files that follow each other in one go: of thousands of small ones, each alone would take a request and a key. */
function createReader(door: Door, visit: Visit) {
	let position = 0;
	let rest: Uint8Array = Buffer.alloc(0);
	let stream: AsyncGenerator<Uint8Array> | undefined;
	const close = async () => await stream?.return(undefined);
	const open = async (offset: number) => {
		await close();
		const size = visit.row.size - offset;
		stream = decryptFile(door.vault, visit, { offset, size }, { start: 0, end: size });
		position = offset;
		rest = Buffer.alloc(0);
		return stream;
	};
	async function* read({ offset, size }: StoredFile) {
		// A file between is hidden.
		const current = stream && position === offset ? stream : await open(offset);
		for (let missing = size; missing > 0;) {
			if (rest.length === 0) {
				const { value, done } = await current.next();
				if (done) throw new Error('A file is cut off');
				rest = value;
			}
			const piece = rest.subarray(0, missing);
			rest = rest.subarray(piece.length);
			position += piece.length;
			missing -= piece.length;
			yield piece;
		}
	}
	return { read, close };
}
