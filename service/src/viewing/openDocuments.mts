import { createEngineLoader } from './engines.mts';
import { detectFormat, HEAD_BYTES } from './formats.mts';
import { type FileSource, openDocument, type OpenDocument } from './openDocument.mts';

/** A document stays open so long after its last task. */
const IDLE_MS = 30_000;
/** What all that are idle hold together. */
const MAX_IDLE_BYTES = 256 * 1024 * 1024;

interface Kept {
	document: OpenDocument;
	isRunning: boolean;
	timer?: NodeJS.Timeout;
}

/** The documents that are open, by their keys. */
export function createOpenDocuments(workerFile: URL) {
	const loadEngines = createEngineLoader();
	/** By their last use. */
	const kept = new Map<string, Kept>();

	async function close(key: string): Promise<void> {
		const found = kept.get(key);
		kept.delete(key);
		clearTimeout(found?.timer);
		await found?.document.end(new Error('The document was closed'));
	}

	/** One that runs is never closed for others. */
	function closeOldest(): void {
		const idle = [...kept].filter(([, { isRunning }]) => !isRunning);
		let bytes = 0;
		for (const [key, { document }] of idle.reverse()) {
			bytes += document.getMemory();
			if (bytes > MAX_IDLE_BYTES) void close(key);
		}
	}

	async function open(key: string, source: FileSource): Promise<Kept> {
		const before = kept.get(key);
		if (before && !before.document.hasEnded()) return before;
		const { size } = source;
		const format = detectFormat(await source.read(0, Math.min(size, HEAD_BYTES)));
		const engines = await loadEngines(format);
		const document = openDocument(workerFile, { engines, size, format });
		return { document, isRunning: true };
	}

	/** @param use gets the document of this key, which no other use has at the same time */
	async function use<Value>(
		key: string,
		source: FileSource,
		perform: (document: OpenDocument) => Promise<Value>,
	): Promise<Value> {
		const entry = await open(key, source);
		clearTimeout(entry.timer);
		kept.delete(key);
		kept.set(key, entry);
		entry.isRunning = true;
		try {
			return await perform(entry.document);
		} finally {
			entry.isRunning = false;
			entry.timer = setTimeout(() => void close(key), IDLE_MS).unref();
			if (entry.document.hasEnded()) kept.delete(key);
			closeOldest();
		}
	}

	const closeAll = async () => {
		await Promise.all([...kept.keys()].map(close));
	};

	return { use, close, closeAll };
}
