import { userFolder } from './n8nEnvironment.cts';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { inspect } from 'node:util';
import { BinaryDataConfig, BinaryDataService, ErrorReporter, FileLocation } from 'n8n-core';
import type { IBinaryData, IRun } from 'n8n-workflow';

/** Loads what n8n-core depends on, in its version. */
const requireOfCore = createRequire(require.resolve('n8n-core'));

interface ServiceContainer {
	get<T>(type: abstract new (...values: never[]) => T): T;
	set<T>(type: abstract new (...values: never[]) => T, instance: T): void;
}

interface EngineLogger {
	setInternalLogger(logger: unknown): void;
}

/** The service container and the logger of the engine. Another copy of n8n's packages has none of its services. */
export const { Container: container } = requireOfCore('@n8n/di') as { Container: ServiceContainer };
const { Logger } = requireOfCore('@n8n/backend-common') as {
	Logger: abstract new (...values: never[]) => EngineLogger;
};

const logs = new Set<string[]>();

/** n8n prints metadata as JSON. What JSON cannot print must not hide what it could. */
const asJson = (value: unknown) => {
	try {
		return JSON.stringify(value);
	} catch {
		return inspect(value, { depth: 12, maxStringLength: null });
	}
};

const sink = {
	log: (level: string, message: string, metadata: object = {}) => {
		for (const log of logs) log.push(`${level} ${message} ${asJson(metadata)}`);
	},
	child: () => sink,
};

/** n8n's own logger stays in use, so that errors are written as n8n writes them. Only its output is ours. */
container.get(Logger).setInternalLogger(sink);

/** Collects every line of n8n's logger, at any level, while `work` runs. Concurrent calls each see all lines. */
export async function withLog<T>(work: (log: string[]) => Promise<T>): Promise<T> {
	const log: string[] = [];
	logs.add(log);
	return await work(log).finally(() => logs.delete(log));
}

const isNode = (value: object) => 'typeVersion' in value && 'parameters' in value;

/**
 * The text that n8n stores of an execution, each object once. It omits the parameters of the nodes:
 * they belong to the workflow and contain what its author typed.
 */
export function storedRecord(execution: IRun): string {
	const seen = new WeakSet<object>();
	return JSON.stringify(execution.data, (_key, value: unknown) => {
		if (typeof value !== 'object' || value === null) return value;
		if (seen.has(value)) return '[seen]';
		seen.add(value);
		return isNode(value) ? { ...value, parameters: undefined } : value;
	});
}

let files: Promise<BinaryDataService> | undefined;
let stored = 0;

async function startFiles(): Promise<BinaryDataService> {
	const config = container.get(BinaryDataConfig);
	config.mode = 'filesystem';
	config.localStoragePath = join(userFolder, 'binary-data');
	const reporter = container.get(ErrorReporter);
	const service = new BinaryDataService(config, reporter, container.get(Logger) as never);
	await service.init();
	container.set(BinaryDataService, service);
	return service;
}

/** n8n's store of files, in the file system, as is its default. */
export const openFiles = async () => await (files ??= startFiles());

export interface FileDetails {
	fileName?: string;
	mimeType: string;
}

/** Stores a file as n8n does after a download. In the file system the result has an `id` and no content. */
export async function storeBinary(
	content: Buffer | Readable,
	details: FileDetails,
): Promise<IBinaryData> {
	const store = await openFiles();
	const location = FileLocation.ofExecution('test-workflow', `stored-${(stored += 1)}`);
	return await store.store(location, content, { ...details, data: '' });
}

/** The content of a file of an output item. */
export const readBinary = async (file: IBinaryData): Promise<Buffer> =>
	await (await openFiles()).getAsBuffer(file);

/** A file in the item itself, Base64-encoded, as in n8n's memory mode. It has no `id`. */
export const inlineBinary = (content: Buffer, details: FileDetails): IBinaryData => ({
	...details,
	data: content.toString('base64'),
	fileSize: `${content.length} B`,
	bytes: content.length,
});
