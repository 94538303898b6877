import { createHash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { IBinaryData, INodeParameters } from 'n8n-workflow';
import type { Fault } from '../../sandbox/index.cts';
import { inlineBinary, storeBinary } from '../support/engine.cts';
import { userFolder } from '../../tools/engine/environment.cts';
import { startTrustedSandbox, type TrustedSandbox } from './support/service.cts';

const TIMEOUT = 120_000;
/** Many chunks, more than all buffers together hold. */
const LARGE = Buffer.alloc(12_000_000, 'a large file ');
const details = { fileName: 'large.bin', mimeType: 'application/octet-stream' };
const digest = createHash('sha256').update(LARGE).digest('hex');

const ENCODE: INodeParameters = {
	resource: 'container',
	operation: 'encode',
	name: 'Large',
	recipients: 'anna@example.com',
};
const storageModes: Array<[string, () => Promise<IBinaryData> | IBinaryData]> = [
	['stored', async () => await storeBinary(LARGE, details)],
	['in memory', () => inlineBinary(LARGE, details)],
];

let service: TrustedSandbox;

beforeAll(async () => {
	service = await startTrustedSandbox();
}, TIMEOUT);

afterEach(() => service.sandbox.reset());

afterAll(async () => await service.stop());

const encode = async (data: IBinaryData, options: INodeParameters = {}) =>
	await service.run(ENCODE, { items: [{ json: {}, binary: { data } }], options });

const createdContainers = () => [...service.sandbox.state.containers.values()];

describe.each(storageModes)('a large file, %s,', (_form, createFile) => {
	it.each<[string, Fault]>([
		['in the middle', { kind: 'reset', afterBytes: 3_000_000 }],
		['before the first byte', { kind: 'reset', when: 'arrival' }],
		['after the last byte', { kind: 'reset', when: 'body' }],
	])(
		'reports a reset %s as a network error, not as a file error, and is not sent again',
		async (_when, fault) => {
			service.sandbox.faults.add(fault);

			const { error } = await encode(await createFile(), { maxRetries: 3 });

			expect(error?.message).toMatch(
				/closed the connection during the upload \(12\.0 MB in total\)/,
			);
			expect(error?.description).toMatch(/container might have been created/);
			expect(service.sandbox.requests).toHaveLength(1);
			expect(createdContainers()).toEqual([]);
		},
		TIMEOUT,
	);

	it.each<[string, Fault]>([
		['a rate limit', { kind: 'status', status: 429, headers: { 'retry-after': '1' }, times: 2 }],
		['a rate limit without Retry-After', { kind: 'status', status: 429, times: 2 }],
	])(
		'is sent again from the start after %s, and arrives complete and once',
		async (_name, fault) => {
			service.sandbox.faults.add(fault);

			const { error, items } = await encode(await createFile(), { includeFileDigests: true });

			expect(error?.message).toBeUndefined();
			expect(items[0].json.files).toEqual([
				{ name: 'large.bin', size: LARGE.length, sha256: digest },
			]);
			expect(createdContainers().map(({ files }) => files.map(({ sha256 }) => sha256))).toEqual([
				[digest],
			]);
			expect(service.sandbox.requests).toHaveLength(3);
		},
		TIMEOUT,
	);

	it(
		'is created once or not at all when a service responds early and closes the connection',
		async () => {
			// The network decides whether the response or the closed connection arrives first.
			service.sandbox.faults.add({ kind: 'status', status: 429, when: 'arrival', times: 2 });

			const { error } = await encode(await createFile());

			if (error !== undefined) expect(error.message).toMatch(/closed the connection during/);
			expect(createdContainers().map(({ files }) => files.map(({ sha256 }) => sha256))).toEqual(
				error === undefined ? [[digest]] : [],
			);
			// Either can happen in each of the two attempts.
			expect(error === undefined ? [3] : [1, 2]).toContain(service.sandbox.requests.length);
		},
		TIMEOUT,
	);

	it(
		'reports a reset after a retry as a network error, not as a file error',
		async () => {
			service.sandbox.faults.add({
				kind: 'status',
				status: 429,
				headers: { 'retry-after': '0' },
			});
			service.sandbox.faults.add({ kind: 'reset', afterBytes: 3_000_000 });

			const { error } = await encode(await createFile());

			expect(error?.message).toMatch(/closed the connection during the upload/);
			expect(service.sandbox.requests).toHaveLength(2);
		},
		TIMEOUT,
	);

	it(
		'that is too large is rejected with its size, whether or not the response arrives',
		async () => {
			service.sandbox.settings.maxBodyBytes = 1_000_000;

			const { error } = await encode(await createFile());

			expect(error?.message).toMatch(
				/larger than the service accepts \(12\.0 MB in total\)|during the upload \(12\.0 MB in total\)/,
			);
			expect(`${error?.message} ${error?.description}`).toMatch(/larger than the service accepts/);
			expect(service.sandbox.requests).toHaveLength(1);
			expect(createdContainers()).toEqual([]);
		},
		TIMEOUT,
	);

	it(
		'stops immediately on a cancel',
		async () => {
			service.sandbox.faults.add({ kind: 'never' });
			const start = Date.now();

			const { status } = await service.run(ENCODE, {
				items: [{ json: {}, binary: { data: await createFile() } }],
				cancelAfterMs: 1500,
			});

			expect(status).toBe('canceled');
			expect(Date.now() - start).toBeLessThan(20_000);
			expect(service.sandbox.requests).toHaveLength(1);
		},
		TIMEOUT,
	);
});

describe('a missing stored file', () => {
	it('is named in the error, and nothing of it is sent', async () => {
		const data = await storeBinary(LARGE, details);
		await rm(join(userFolder, 'binary-data'), { recursive: true });

		const { error } = await encode(data);

		expect(error?.message).toMatch(/"large\.bin" is no longer available/);
		expect(createdContainers()).toEqual([]);
	});
});
