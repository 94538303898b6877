import { ViewingError } from '../viewingError.mts';

/** @throws ViewingError where there is more */
export async function collect(pieces: AsyncIterable<Uint8Array>, maxBytes: number) {
	const collected: Uint8Array[] = [];
	let bytes = 0;
	for await (const piece of pieces) {
		bytes += piece.length;
		if (bytes > maxBytes) throw new ViewingError('tooHeavy');
		collected.push(piece);
	}
	return Buffer.concat(collected, bytes);
}
