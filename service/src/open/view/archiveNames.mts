import { extname } from 'node:path';
import filenamify from 'filenamify';

/** What a name may have on Linux, which counts bytes, with room for the number of a double. */
const MAX_BYTES = 240;
/** As many characters as fit into them in any script. */
const MAX_LONG_NAME = MAX_BYTES / 3;
const MAX_ENDING = 20;

/** Names that Windows, macOS and Linux can all write into one folder: no paths, nothing forbidden, no doubles. */
export function toArchiveNames(names: string[]): string[] {
	const taken = new Set<string>();
	const doubles = new Map<string, number>();
	return names.map((sent) => {
		const name = toSafeName(sent);
		const key = foldName(name);
		let unique = name;
		for (let count = doubles.get(key) ?? 1; taken.has(foldName(unique));) {
			count += 1;
			doubles.set(key, count);
			unique = addNumber(name, count);
		}
		taken.add(foldName(unique));
		return unique;
	});
}

export function toSafeName(name: string): string {
	if (Buffer.byteLength(name) <= MAX_BYTES) return clean(name, MAX_BYTES);
	// What follows the last dot of a long sentence is no ending to keep.
	const hasEnding = extname(name).length <= MAX_ENDING;
	return clean(hasEnding ? name : name.replaceAll('.', '_'), MAX_LONG_NAME);
}

const clean = (name: string, maxLength: number) =>
	filenamify(name, { replacement: '_', maxLength });

/** Windows and macOS take names for the same that differ in capitals only. */
const foldName = (name: string) => name.toUpperCase().toLowerCase();

function addNumber(name: string, count: number): string {
	const ending = extname(name);
	return `${name.slice(0, name.length - ending.length)} (${count})${ending}`;
}
