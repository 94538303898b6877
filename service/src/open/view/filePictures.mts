import type { FastifyReply } from 'fastify';
import { getFileKind } from '../../containers/fileKinds.mts';
import type { Door, Visit } from '../door.mts';
import { failure, PictureError } from '../pageErrors.mts';
import { findVisible, openView } from './visibleFiles.mts';
import { toPageError } from './viewProblems.mts';
import { rememberPages } from './viewRecord.mts';

const ID_CHARACTERS = 8;
/** As other servers count it: nobody gets it. */
const CLIENT_HAS_LEFT = 499;

/** Sends one page of a file as a picture, in which whoever gets it is named. */
export async function sendPicture(door: Door, visit: Visit, reply: FastifyReply) {
	const { params, query } = reply.request;
	const { index, page } = params as { index: string; page: string };
	const file = findVisible(visit, index);
	const number = /^[1-9]\d{0,5}$/.test(page) ? Number(page) : undefined;
	if (getFileKind(file, door).shown !== 'pages' || number === undefined) {
		throw failure(404, 'failure.noFileTitle', 'failure.noFile');
	}
	const gone = new AbortController();
	reply.raw.once('close', () => gone.abort());
	const view = { ...openView(door, visit, file), signal: gone.signal };
	const size = 'large' in (query as object) ? 'large' : 'fit';
	const task = { page: number, size, mark: createMark(door, visit) } as const;
	const draw = async () => {
		const drawn = await door.viewing.render(view, task);
		await rememberPages(door, visit, { file, form: 'picture', numbers: [number] });
		return drawn;
	};
	const picture = await draw().catch((error: Error) => {
		if (gone.signal.aborted) throw new PictureError(CLIENT_HAS_LEFT);
		throw toPageError(error, reply);
	});
	void reply.headers({
		'Content-Type': picture.type,
		'Content-Security-Policy': "sandbox; default-src 'none'",
		'Cross-Origin-Resource-Policy': 'same-origin',
	});
	return await reply.send(Buffer.from(picture.bytes));
}

/** Whether the pictures name who gets them: not where the file itself can be had, and not for its owner. */
export function isMarked({ isWatermarkOff }: Door, { isOwner, seal }: Visit): boolean {
	return seal.rules.downloadable === false && !isOwner && !isWatermarkOff;
}

/** Who was shown a page, when, and of which container. */
export function createMark(door: Door, visit: Visit): string[] | undefined {
	if (!isMarked(door, visit)) return undefined;
	const { timeZone } = door.calendar.resolvedOptions();
	const time = formatTime(new Date(), timeZone);
	return [visit.address, time, visit.row.id.slice(0, ID_CHARACTERS)];
}

/** Such as 2026-11-28 16:42 CET: the same in all languages. */
function formatTime(moment: Date, timeZone: string): string {
	const format = new Intl.DateTimeFormat('en-GB', {
		year: 'numeric',
		month: '2-digit',
		day: '2-digit',
		hour: '2-digit',
		minute: '2-digit',
		timeZone,
		timeZoneName: 'short',
	});
	const parts = format.formatToParts(moment).map(({ type, value }) => [type, value]);
	const { year, month, day, hour, minute, timeZoneName } = Object.fromEntries(parts) as Record<
		Intl.DateTimeFormatPartTypes,
		string
	>;
	return `${year}-${month}-${day} ${hour}:${minute} ${timeZoneName}`;
}
