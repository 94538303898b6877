import { buffer } from 'node:stream/consumers';
import { decryptFile } from '../../containers/decryptFile.mts';
import type { StoredFile } from '../../containers/seal.mts';
import type { View } from '../../viewing/viewing.mts';
import type { Door, Visit } from '../door.mts';
import { failure } from '../pageErrors.mts';

export type VisibleFile = StoredFile & {
	/** Its place in the container, which its URL has. */
	index: number;
};

/** The files that a visitor sees. */
export const listVisible = ({ seal }: Visit): VisibleFile[] =>
	seal.files.map((file, index) => ({ ...file, index })).filter(({ hidden }) => !hidden);

/** @throws PageError 404 */
export function findVisible(visit: Visit, index: string): VisibleFile {
	const file = listVisible(visit).find((visible) => String(visible.index) === index);
	if (file === undefined) throw failure(404, 'failure.noFileTitle', 'failure.noFile');
	return file;
}

/** A file for the room that turns it into pictures. All who see it share what is open of it. */
export function openView(door: Door, visit: Visit, file: VisibleFile): View {
	const { name, type, size } = file;
	const read = async (offset: number, length: number) =>
		await buffer(decryptFile(door.vault, visit, file, { start: offset, end: offset + length }));
	const key = `${visit.row.object} ${file.index}`;
	return { key, client: visit.address, source: { name, type, size, read } };
}
