import type { FastifyReply } from 'fastify';
import { decryptFile } from '../../containers/decryptFile.mts';
import { ANY_TYPE, getFileKind } from '../../containers/fileKinds.mts';
import { sendContent } from '../../web/sendContent.mts';
import type { ByteRange } from '../../storage/storage.mts';
import type { Door, Visit } from '../door.mts';
import { recordDownload } from './downloads.mts';
import { failure } from '../pageErrors.mts';
import { findVisible, type VisibleFile } from './visibleFiles.mts';
import { readBeginning } from './textFiles.mts';
import { rememberPages } from './viewRecord.mts';

/** Sends a file itself: for download, to play it, or as the text that it is. */
export async function sendFile(door: Door, visit: Visit, reply: FastifyReply) {
	const { params } = reply.request;
	const { index } = params as { index: string };
	const file = findVisible(visit, index);
	const sent = await chooseForm(door, visit, file, reply);
	const range = readRange(reply, file.size);
	if (sent.disposition === 'attachment') {
		const isPart = reply.statusCode === 206;
		await recordDownload(door, visit, { file: file.index, isPart });
	}
	if (sent.isText) await rememberPages(door, visit, { file, form: 'text', numbers: [1] });
	void reply.header('Accept-Ranges', 'bytes');
	const { name } = file;
	const size = range.end - range.start;
	return await sendContent(
		reply,
		{ ...sent, name, size },
		decryptFile(door.vault, visit, file, range),
	);
}

interface ChosenForm {
	disposition: 'attachment' | 'inline';
	contentType: string;
	isText?: boolean;
}

/** Where downloads are off, only a text leaves: it is what the page shows. @throws PageError 403 */
async function chooseForm(
	door: Door,
	visit: Visit,
	file: VisibleFile,
	reply: FastifyReply,
): Promise<ChosenForm> {
	const { contentType, shown } = getFileKind(file, door);
	const isText = shown === 'text' || shown === 'table';
	const isDownload = 'download' in (reply.request.query as object) || contentType === ANY_TYPE;
	const isOffered = visit.seal.rules.downloadable !== false;
	if (isText && !isDownload) {
		const beginning = await readBeginning(door, visit, file);
		if (beginning) {
			const textType = `text/plain; charset=${beginning.encoding}`;
			return { disposition: 'inline', contentType: textType, isText };
		}
	}
	if (!isOffered) throw failure(403, 'failure.noFileTitle', 'failure.noDownload');
	if (isText || isDownload) return { disposition: 'attachment', contentType: ANY_TYPE };
	return { disposition: 'inline', contentType };
}

/** What isn't one range of bytes is answered with the whole file. @throws PageError 416 */
function readRange(reply: FastifyReply, size: number): ByteRange {
	const asked = /^bytes=(?=.*\d)(\d*)-(\d*)$/.exec(reply.request.headers.range ?? '');
	const [, first, last] = asked ?? ['', '0', ''];
	const start = first === '' ? Math.max(size - Number(last), 0) : Number(first);
	const end = first && last ? Math.min(Number(last) + 1, size) : size;
	if (!asked) return { start, end };
	const part = start < end ? `${start}-${end - 1}` : '*';
	void reply.code(206).header('Content-Range', `bytes ${part}/${size}`);
	if (part === '*') throw failure(416, 'failure.noFileTitle', 'failure.noRange');
	return { start, end };
}
