import type { IncomingFile } from '../containers/incomingForm.mts';
import { DeliveryError } from './deliveryError.mts';

/** One file on its way through a scanner. */
interface Scan {
	/** @throws Error where the scanner is down */
	write: (piece: Uint8Array) => Promise<void>;
	/** @returns what was found, in the words of the scanner; nothing in a clean file. @throws Error where the scanner is down */
	end: () => Promise<string | undefined>;
	/** Always called last. */
	close: () => void;
}

export type OpenScan = () => Promise<Scan>;

/** Passes a file on while a scanner reads it, and fails at its end where something was found. @throws DeliveryError */
export async function* scanFile(
	content: AsyncIterable<Uint8Array>,
	openScan: OpenScan,
): AsyncGenerator<Uint8Array> {
	const scan = await openScan().catch(beUnscanned);
	try {
		for await (const piece of content) {
			await scan.write(piece).catch(beUnscanned);
			yield piece;
		}
		const found = await scan.end().catch(beUnscanned);
		if (found !== undefined) throw new DeliveryError('unsafe', 'A scanner found something', found);
	} finally {
		scan.close();
	}
}

export async function* scanFiles(
	files: AsyncIterable<IncomingFile>,
	openScan: OpenScan,
): AsyncGenerator<IncomingFile> {
	for await (const file of files) yield { ...file, content: scanFile(file.content, openScan) };
}

/** What can't be scanned isn't taken. */
function beUnscanned(error: Error): never {
	if (error instanceof DeliveryError) throw error;
	throw new DeliveryError('unscanned', `The scanner can't be used: ${error.message}`);
}

const VERDICT_MS = 5 * 60_000;

/** A scanner that hangs is down. @throws Error */
export async function withinTime<Result>(answer: Promise<Result>): Promise<Result> {
	let timer: NodeJS.Timeout | undefined;
	const late = new Promise<never>((_resolve, reject) => {
		timer = setTimeout(() => reject(new Error('no answer in time')), VERDICT_MS).unref();
	});
	return await Promise.race([answer, late]).finally(() => clearTimeout(timer));
}
