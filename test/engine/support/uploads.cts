import { createHash } from 'node:crypto';
import { readdirSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { IBinaryData, IDataObject, INodeExecutionData, INodeParameters } from 'n8n-workflow';
import { userFolder } from '../../support/n8nEnvironment.cts';
import {
	inlineBinary,
	runNode,
	storeBinary,
	type RunNodeOptions,
	type RunNodeResult,
} from '../../support/engine.cts';
import { useService } from '../../support/service.cts';

export const sha256 = (content: Buffer | string) =>
	createHash('sha256').update(content).digest('hex');

export type CreateFile = (content: Buffer, fileName: string) => Promise<IBinaryData>;

const mimeType = 'application/pdf';

export const storedFile: CreateFile = async (content, fileName) =>
	await storeBinary(content, { fileName, mimeType });

export const inlineFile: CreateFile = async (content, fileName) =>
	inlineBinary(content, { fileName, mimeType });

const storeFolder = join(userFolder, 'binary-data');

/** Files of n8n's store that this process has open. Only Linux tells. */
export function openFiles(): string[] {
	if (process.platform !== 'linux') return [];
	return readdirSync('/proc/self/fd').flatMap((descriptor) => {
		try {
			const target = readlinkSync(`/proc/self/fd/${descriptor}`);
			return target.startsWith(storeFolder) ? [target] : [];
		} catch {
			return [];
		}
	});
}

/** Starts a service for a test file, and the node that uploads to it. No file of n8n's store can stay open after a test. */
export function useUploads() {
	const service = useService();

	afterEach(async () => {
		for (let tries = 0; tries < 50 && openFiles().length > 0; tries += 1) {
			await new Promise((resolve) => setTimeout(resolve, 20));
		}
		expect(openFiles()).toEqual([]);
	});
	return {
		service,
		/** Encodes the files of items. */
		encode: async (
			items: INodeExecutionData[],
			{ options, ...parameters }: IDataObject = {},
			more: Partial<RunNodeOptions> = {},
		): Promise<RunNodeResult> =>
			await runNode({
				...{ items, credentials: service.credentials, ...more },
				parameters: {
					...{ resource: 'container', operation: 'encode', fileSource: 'all', name: 'Invoice' },
					...{ recipients: 'anna@example.com', accessEnds: 'never', ...parameters },
					options: { maxRetries: 0, maxConcurrent: 1, ...(options as object) },
				} as INodeParameters,
			}),
		/** What the service has, file by file, of all containers. */
		stored: async () => (await service.getContainers()).flatMap(({ files }) => files),
		posts: () => service.requests.filter(({ path }) => path.endsWith('/encode')),
	};
}
