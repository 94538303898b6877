import { createHash } from 'node:crypto';
import { readdirSync, readlinkSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { IBinaryData, IDataObject, INodeExecutionData } from 'n8n-workflow';
import { findRequestViolations } from '../../support/contract.cts';
import { userFolder } from '../../support/n8nEnvironment.cts';
import { parseForm, type FormPart } from '../../support/form.cts';
import {
	inlineBinary,
	runNode,
	storeBinary,
	type RunNodeOptions,
	type RunNodeResult,
} from '../../support/engine.cts';
import type { ProxiedRequest } from '../../support/proxy.cts';
import { useService, type TestService } from '../../support/service.cts';
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
	accessEnds: 'never',
};

export const sha256 = (content: Buffer) => createHash('sha256').update(content).digest('hex');

/** The files of an upload, as they arrived. */
export const filesOf = ({ parts }: ReceivedUpload) =>
	parts.slice(1).map(({ content, ...part }) => ({
		...part,
		size: content.length,
		sha256: sha256(content),
	}));

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

export interface ReceivedUpload extends ProxiedRequest {
	parts: FormPart[];
	manifest: IDataObject;
}

/** A service, and the node that uploads to it. */
export interface UploadEnvironment {
	service: TestService;
	run(parameters: IDataObject, more?: Partial<RunNodeOptions>): Promise<RunNodeResult>;
	/** Encodes the files of one item. */
	encode(
		binary: INodeExecutionData['binary'],
		parameters?: IDataObject,
		options?: IDataObject,
		more?: Partial<RunNodeOptions>,
	): Promise<RunNodeResult>;
	/** All encode requests, whole or not. */
	posts(): ProxiedRequest[];
	/** The whole uploads that arrived. */
	uploads(): ReceivedUpload[];
}

const isWhole = ({ headers, bytes }: ProxiedRequest) => headers['content-length'] === String(bytes);

/** Starts a service for a test file. No file of n8n's store can stay open after a test. */
export function uploadEnvironment(): UploadEnvironment {
	const service = useService();
	const run: UploadEnvironment['run'] = async (parameters, more = {}) =>
		await runNode({
			...more,
			parameters: withOptions(parameters, {}),
			credentials: service.credentials,
		});
	const posts = () => service.requests.filter(({ path }) => path.endsWith('/encode'));

	afterEach(() => {
		const violations = service.requests
			.filter((request) => request.headers['content-length'] === undefined || isWhole(request))
			.flatMap((request) =>
				findRequestViolations({ ...request, path: request.path.slice('/api/v1'.length) }),
			);
		expect(violations).toEqual([]);
	});
	afterEach(expectAllClosed);
	return {
		service,
		run,
		posts,
		encode: async (binary, parameters = {}, options = {}, more = {}) =>
			await run(
				{ ...base, ...parameters, options: { ...sequential, ...options } },
				{ items: [{ json: {}, binary }], ...more },
			),
		uploads: () =>
			posts()
				.filter(isWhole)
				.map((request) => {
					const parts = parseForm(request.headers, request.body);
					const manifest = JSON.parse(String(parts[0].content)) as IDataObject;
					return { ...request, parts, manifest };
				}),
	};
}
