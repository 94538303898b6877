import { createHash } from 'node:crypto';
import { readdirSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { IBinaryData, IDataObject, INodeExecutionData, INodeParameters } from 'n8n-workflow';
import {
	inlineBinary,
	runNode,
	storeBinary,
	type RunNodeOptions,
	type RunNodeResult,
} from '../../support/engine.cts';
import { userFolder } from '../../support/n8nEnvironment.cts';
import type { MockedService } from '../../support/nock.cts';
import { useService } from '../../support/service.cts';
import { containersPath, operation, userId } from './operations.cts';

const base: IDataObject = {
	resource: 'container',
	operation: 'encode',
	containerMode: 'perItem',
	fileSource: 'text',
	textContent: 'confidential',
	textFileName: 'report.txt',
	specifyManifest: 'fields',
	name: '={{ $json.id }}',
	recipients: '',
	accessEnds: 'never',
	downloadable: false,
	drmRules: {},
	options: { userId, allowNoRecipients: true },
};

export const path = `${containersPath}/encode`;

export const envelope = { org_id: userId, container: { uuid: 'c-1', name: 'Invoice' } };

const invoice = [{ json: { id: 'Invoice' } }];

export const encode = operation('container: encode', base, invoice);

export const withManifest = (manifest: unknown): IDataObject => ({
	specifyManifest: 'json',
	manifestJson: typeof manifest === 'string' ? manifest : JSON.stringify(manifest),
});

interface SentPart {
	head: string;
	content: string;
}

/** The parts of a body of text files, as they were sent. */
export function partsOf(body: unknown): SentPart[] {
	const text = String(body);
	const boundary = text.slice(0, text.indexOf('\r\n'));
	return text
		.split(boundary)
		.slice(1, -1)
		.map((part) => {
			const [head, ...content] = part.slice(2, -2).split('\r\n\r\n');
			return { head, content: content.join('\r\n\r\n') };
		});
}

/** The uploads that reached the service, and the content of their manifests and files. */
export function uploadsTo(service: MockedService) {
	const uploads = () => service.requests.filter(({ method }) => method === 'POST');
	const manifests = () =>
		uploads().map(({ body }) => JSON.parse(partsOf(body)[0].content) as IDataObject);
	const containers = () => manifests().map(({ container }) => container as IDataObject);
	return {
		uploads,
		manifests,
		containerSent: () => containers()[0],
		sentNames: () => containers().map(({ name }) => String(name)),
		/** Name and content of each file of the first upload. */
		sentFiles: () =>
			partsOf(uploads()[0].body)
				.slice(1)
				.map(({ head, content }) => [/filename="([^"]*)"/.exec(head)?.[1], content]),
		/** Expects uploads, one after the other, and responds with containers of these names. */
		accept: (...names: string[]) => {
			for (const name of names) {
				service.post(path).reply(200, { container: { uuid: `c-${name}`, name } });
			}
		},
	};
}

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
		for (let tries = 0; tries < 500 && openFiles().length > 0; tries += 1) {
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
