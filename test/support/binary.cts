import './n8nEnvironment.cts';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { BinaryDataConfig, BinaryDataService, ErrorReporter, FileLocation } from 'n8n-core';
import type { IBinaryData } from 'n8n-workflow';
import { container, Logger } from './host.cts';
import { userFolder } from './n8nEnvironment.cts';

/** Workflow and execution that own the files of the tests. */
export const workflowId = 'test-workflow';
let stored = 0;

export interface FileDetails {
	fileName?: string;
	mimeType: string;
}

let current: Promise<BinaryDataService> | undefined;

async function start(): Promise<BinaryDataService> {
	const config = container.get(BinaryDataConfig);
	config.mode = 'filesystem';
	config.localStoragePath = join(userFolder, 'binary-data');
	const service = new BinaryDataService(
		config,
		container.get(ErrorReporter),
		container.get(Logger) as never,
	);
	await service.init();
	container.set(BinaryDataService, service);
	return service;
}

/** n8n's store of files, in the file system, as is its default. */
export const binaryStore = async () => await (current ??= start());

/** Stores a file as n8n does after a download. In the file system the result has an `id` and no content. */
export async function storeBinary(
	content: Buffer | Readable,
	details: FileDetails,
): Promise<IBinaryData> {
	const store = await binaryStore();
	stored += 1;
	const location = FileLocation.ofExecution(workflowId, `stored-${stored}`);
	return await store.store(location, content, { ...details, data: '' });
}

/** A file in the item itself, Base64-encoded, as in n8n's memory mode. It has no `id`. */
export function inlineBinary(content: Buffer, details: FileDetails): IBinaryData {
	return {
		...details,
		data: content.toString('base64'),
		fileSize: `${content.length} B`,
		bytes: content.length,
	};
}
