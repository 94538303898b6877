import { createEngineLoader } from './engines.mts';
import { detectFormat, type FileFormat, HEAD_BYTES } from './formats.mts';
import { type FileSource, OpenDocument } from './openDocument.mts';

/** A document stays open so long after its last task. */
const IDLE_MS = 30_000;
/** What all hold together: ten documents of text, which take 40 MB each. */
const MAX_BYTES = 400 * 1024 * 1024;

interface KeptDocument {
	document: OpenDocument;
	isRunning: boolean;
	timer?: NodeJS.Timeout;
}

export class OpenDocuments {
	private readonly loadEngines = createEngineLoader();
	/** By their keys, those used last at the end. */
	private readonly kept = new Map<string, KeptDocument>();

	constructor(private readonly workerFile: URL) {}

	/** @param perform gets the document of this key, which no other has at the same time */
	async use<Value>(
		key: string,
		source: FileSource,
		perform: (document: OpenDocument) => Promise<Value>,
	): Promise<Value> {
		const entry = await this.open(key, source);
		clearTimeout(entry.timer);
		this.kept.delete(key);
		this.kept.set(key, entry);
		entry.isRunning = true;
		try {
			return await perform(entry.document);
		} finally {
			entry.isRunning = false;
			// A newer one can have taken its key.
			const isKept = this.kept.get(key) === entry;
			if (isKept && entry.document.hasEnded) this.kept.delete(key);
			else if (isKept) entry.timer = setTimeout(() => void this.close(key), IDLE_MS).unref();
			this.closeOldest();
		}
	}

	async close(key: string): Promise<void> {
		const found = this.kept.get(key);
		this.kept.delete(key);
		clearTimeout(found?.timer);
		await found?.document.end(new Error('The document was closed'));
	}

	async closeAll(): Promise<void> {
		await Promise.all([...this.kept.keys()].map((key) => this.close(key)));
	}

	private async open(key: string, source: FileSource): Promise<KeptDocument> {
		const before = this.kept.get(key);
		if (before && !before.document.hasEnded) return before;
		const { size } = source;
		const format = detectFormat(await source.read(0, Math.min(size, HEAD_BYTES)));
		const document = new OpenDocument(this.workerFile, { size, format });
		await this.start(document, format);
		return { document, isRunning: true };
	}

	private async start(document: OpenDocument, format: FileFormat): Promise<void> {
		try {
			document.start(await this.loadEngines(format));
		} catch (error) {
			await document.end(error as Error);
			throw error;
		}
	}

	/** One that runs is never closed for others. */
	private closeOldest(): void {
		const kept = [...this.kept].reverse();
		const running = kept.filter(([, { isRunning }]) => isRunning);
		const idle = kept.filter(([, { isRunning }]) => !isRunning);
		let bytes = 0;
		for (const [key, { document, isRunning }] of [...running, ...idle]) {
			bytes += document.memory;
			if (bytes > MAX_BYTES && !isRunning) void this.close(key);
		}
	}
}
