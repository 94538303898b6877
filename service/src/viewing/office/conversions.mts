import { FairQueue } from '../fairQueue.mts';
import type { FileSource } from '../openDocument.mts';
import { ViewingError, type ViewingProblem } from '../viewingError.mts';
import type { View } from '../viewing.mts';
import type { Converter } from './converter.mts';
import { beginsAsOffice, BEGINNING_BYTES } from './officeFormats.mts';

const CONVERT_MS = 60_000;
/** Of the document. */
const MAX_BYTES = 100 * 1024 * 1024;
const PIECE_BYTES = 256 * 1024;
/** As long as somebody who looks at it stays signed in. */
const KEEP_MS = 30 * 60 * 1000;
/** Of all PDFs that are kept. */
const MAX_KEPT_BYTES = 256 * 1024 * 1024;

/** What can be otherwise a moment later. */
const PASSING = new Set<ViewingProblem>(['busy', 'unavailable']);

interface Conversion {
	pdf: Promise<Uint8Array>;
	/** 0 until it is there. */
	size: number;
	/** Then it is tried again after a while, however often it is asked for until then. */
	hasFailed: boolean;
	timer?: NodeJS.Timeout;
}

/** The PDFs of documents, made when they are asked for first, and kept in memory. */
export class Conversions {
	/** Each takes a processor: one that runs is never stopped for another. */
	private readonly queue = new FairQueue();
	/** By their keys, those used last at the end. */
	private readonly kept = new Map<string, Conversion>();
	private readonly closing = new AbortController();

	private readonly convertMs: number;

	/** @param options convertMs: when a converter is stopped */
	constructor(
		private readonly converter: Converter,
		{ convertMs = CONVERT_MS } = {},
	) {
		this.convertMs = convertMs;
	}

	/** @throws ViewingError */
	async open(view: View, ending: string): Promise<FileSource> {
		const entry = this.kept.get(view.key) ?? this.start(view, ending);
		if (!entry.hasFailed) this.keep(view.key, entry);
		const pdf = await entry.pdf;
		return {
			name: view.source.name,
			type: 'application/pdf',
			size: pdf.length,
			read: async (offset, length) => await Promise.resolve(pdf.subarray(offset, offset + length)),
		};
	}

	countTasks() {
		return this.queue.count();
	}

	close(): void {
		this.closing.abort();
		for (const key of [...this.kept.keys()]) this.forget(key);
	}

	/** What is wrong with a file is kept, too: to try again would take as long. */
	private start(view: View, ending: string): Conversion {
		const entry: Conversion = { pdf: this.convert(view, ending), size: 0, hasFailed: false };
		entry.pdf.then(
			({ length }) => {
				entry.size = length;
				this.dropOldest();
			},
			(error) => {
				entry.hasFailed = true;
				const isOfFile = error instanceof ViewingError && !PASSING.has(error.problem);
				if (!isOfFile && this.kept.get(view.key) === entry) this.forget(view.key);
			},
		);
		return entry;
	}

	private async convert({ key, client, source }: View, ending: string): Promise<Uint8Array> {
		if (source.size > MAX_BYTES) throw new ViewingError('tooHeavy');
		const beginning = await source.read(0, Math.min(source.size, BEGINNING_BYTES));
		if (!beginsAsOffice(beginning)) throw new ViewingError('broken');
		return await this.queue.add({
			client,
			document: key,
			run: async () => await this.run(source, ending),
		});
	}

	private async run(source: FileSource, ending: string): Promise<Uint8Array> {
		const time = AbortSignal.timeout(this.convertMs);
		const signal = AbortSignal.any([time, this.closing.signal]);
		const content = new WholeFile(source);
		try {
			return await this.converter.convert({ ending, content }, signal);
		} catch (error) {
			if (content.failure !== undefined) throw content.failure;
			if (time.aborted) throw new ViewingError('timedOut');
			throw error instanceof ViewingError ? error : new ViewingError('unavailable', error);
		}
	}

	private keep(key: string, entry: Conversion): void {
		clearTimeout(entry.timer);
		entry.timer = setTimeout(() => this.forget(key), KEEP_MS).unref();
		this.kept.delete(key);
		this.kept.set(key, entry);
	}

	private forget(key: string): void {
		clearTimeout(this.kept.get(key)?.timer);
		this.kept.delete(key);
	}

	private dropOldest(): void {
		let bytes = 0;
		for (const [key, { size }] of [...this.kept].reverse()) {
			bytes += size;
			if (bytes > MAX_KEPT_BYTES && size > 0) this.forget(key);
		}
	}
}

/** All bytes of a file, piece by piece. */
class WholeFile implements AsyncIterable<Uint8Array> {
	/** Why it can't be read to its end, which a converter doesn't tell. */
	failure: unknown;

	constructor(private readonly source: FileSource) {}

	async *[Symbol.asyncIterator]() {
		const { size } = this.source;
		try {
			for (let offset = 0; offset < size; offset += PIECE_BYTES) {
				yield await this.source.read(offset, Math.min(PIECE_BYTES, size - offset));
			}
		} catch (error) {
			this.failure = error;
			throw error;
		}
	}
}
