import { createHash } from 'node:crypto';
import { readdirSync, readlinkSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { IBinaryData, IDataObject, INodeExecutionData } from 'n8n-workflow';
import { startSandbox, type ReceivedRequest, type Sandbox } from '../../../sandbox/index.cts';
import {
	inlineBinary,
	runNode,
	storeBinary,
	type RunNodeOptions,
	type RunNodeResult,
} from '../../support/engine.cts';
import { userFolder } from '../../../tools/engine/environment.cts';
import { trustCertificateAuthority } from '../../../tools/engine/trust.cts';
import { sequential, withOptions } from './operations.cts';

export const base: IDataObject = {
	resource: 'container',
	operation: 'encode',
	containerMode: 'perItem',
	fileSource: 'all',
	binaryPropertyName: 'data',
	specifyManifest: 'fields',
	name: 'Invoice',
	recipients: 'anna@example.com',
};

export const sha256 = (content: Buffer) => createHash('sha256').update(content).digest('hex');

export const filesOf = (request: ReceivedRequest) => (request.parts ?? []).slice(1);

export type CreateFile = (
	content: Buffer,
	fileName: string,
	mimeType?: string,
) => Promise<IBinaryData>;

export const storedFile: CreateFile = async (content, fileName, mimeType = 'application/pdf') =>
	await storeBinary(content, { fileName, mimeType });

export const inlineFile: CreateFile = async (content, fileName, mimeType = 'application/pdf') =>
	inlineBinary(content, { fileName, mimeType });

export const storageModes: Array<[string, CreateFile]> = [
	['stored', storedFile],
	['in-memory', inlineFile],
];

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

export async function expectAllClosed(): Promise<void> {
	for (let tries = 0; tries < 50 && openFiles().length > 0; tries += 1) {
		await new Promise((resolve) => setTimeout(resolve, 20));
	}
	expect(openFiles()).toEqual([]);
}

/** The path of a stored file. */
export async function pathOf(file: IBinaryData): Promise<string> {
	const entries = await readdir(storeFolder, { recursive: true, withFileTypes: true });
	const id = String(file.id).split('/').at(-1) ?? '';
	const entry = entries.find(({ name }) => name === id);
	if (entry === undefined) throw new Error(`${String(file.id)} is not in the store`);
	return join(entry.parentPath, entry.name);
}

/** A trusted sandbox, and the node that uploads to it. */
export interface UploadEnvironment {
	sandbox: Sandbox;
	run(parameters: IDataObject, more?: Partial<RunNodeOptions>): Promise<RunNodeResult>;
	/** Encodes the files of one item. */
	encode(
		binary: INodeExecutionData['binary'],
		parameters?: IDataObject,
		options?: IDataObject,
		more?: Partial<RunNodeOptions>,
	): Promise<RunNodeResult>;
	/** The uploads that reached the sandbox. */
	uploads(): ReceivedRequest[];
}

/** Starts a sandbox for a test file. No file of n8n's store can stay open after a test. */
export function uploadEnvironment(): UploadEnvironment {
	let untrust = () => {};
	const environment = {
		run: async (parameters, more = {}) =>
			await runNode({
				...more,
				parameters: withOptions(parameters, {}),
				credentials: { baseUrl: environment.sandbox.url, apiKey: environment.sandbox.apiKey },
			}),
		encode: async (binary, parameters = {}, options = {}, more = {}) =>
			await environment.run(
				{ ...base, ...parameters, options: { ...sequential, ...options } },
				{ items: [{ json: {}, binary }], ...more },
			),
		uploads: () =>
			environment.sandbox.requests.filter(
				({ operationId, path }) => operationId === 'encodeFiles' || path.endsWith('/encode'),
			),
	} as UploadEnvironment;

	beforeAll(async () => {
		environment.sandbox = await startSandbox();
		untrust = trustCertificateAuthority(environment.sandbox.ca);
	}, 60_000);
	beforeEach(() => environment.sandbox.reset());
	afterEach(() => {
		expect(environment.sandbox.requests.flatMap(({ problems = [] }) => problems)).toEqual([]);
	});
	afterEach(expectAllClosed);
	afterAll(async () => {
		untrust();
		await environment.sandbox.stop();
	});
	return environment;
}
