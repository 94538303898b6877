import { createHash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { IBinaryData, INodeParameters } from 'n8n-workflow';
import type { Fault } from '../../sandbox/index.cts';
import { inlineBinary, storeBinary } from '../support/engine.cts';
import { userFolder } from '../support/environment.cts';
import { startTrusted, type TrustedSandbox } from './support/service.cts';

const PATIENCE = 120_000;
/** Many chunks, more than any buffer on the way takes. */
const LARGE = Buffer.alloc(12_000_000, 'a large file ');
const details = { fileName: 'large.bin', mimeType: 'application/octet-stream' };
const digest = createHash('sha256').update(LARGE).digest('hex');

const ENCODE: INodeParameters = { resource: 'container', operation: 'encode', name: 'Large' };
const forms: Array<[string, () => Promise<IBinaryData> | IBinaryData]> = [
	['stored', async () => await storeBinary(LARGE, details)],
	['in memory', () => inlineBinary(LARGE, details)],
];

let service: TrustedSandbox;

beforeAll(async () => {
	service = await startTrusted();
});

afterEach(() => service.sandbox.reset());

afterAll(async () => await service.stop());

const encode = async (data: IBinaryData, options: INodeParameters = {}) =>
	await service.run(ENCODE, { items: [{ json: {}, binary: { data } }], options });

const made = () => [...service.sandbox.state.containers.values()];

describe.each(forms)('a large file, %s,', (_form, make) => {
	it.each<[string, Fault]>([
		['in its middle', { kind: 'reset', afterBytes: 3_000_000 }],
		['before any of it', { kind: 'reset', when: 'arrival' }],
		['after all of it', { kind: 'reset', when: 'body' }],
	])(
		'whose upload is reset %s is told from one that cannot be read, and is not sent again',
		async (_when, fault) => {
			service.sandbox.faults.add(fault);

			const { error } = await encode(await make(), { maxRetries: 3 });

			expect(error?.message).toMatch(
				/closed the connection during the upload \(12\.0 MB in total\)/,
			);
			expect(error?.description).toMatch(/container might have been created/);
			expect(service.sandbox.requests).toHaveLength(1);
			expect(made()).toEqual([]);
		},
		PATIENCE,
	);

	it.each<[string, Fault]>([
		['a limit', { kind: 'status', status: 429, headers: { 'retry-after': '1' }, times: 2 }],
		['an outage', { kind: 'status', status: 503, times: 2 }],
	])(
		'is sent again from its start after %s, and arrives whole and once',
		async (_name, fault) => {
			service.sandbox.faults.add(fault);

			const { error, items } = await encode(await make(), { includeFileDigests: true });

			expect(error?.message).toBeUndefined();
			expect(items[0].json.files).toEqual([
				{ name: 'large.bin', size: LARGE.length, sha256: digest },
			]);
			expect(made().map(({ files }) => files.map(({ sha256 }) => sha256))).toEqual([[digest]]);
			expect(service.sandbox.requests).toHaveLength(3);
		},
		PATIENCE,
	);

	it(
		'is made once or not at all by a service that answers early and closes',
		async () => {
			// Whether the answer or the end of the connection is seen first is the network's choice.
			service.sandbox.faults.add({ kind: 'status', status: 503, when: 'arrival', times: 2 });

			const { error } = await encode(await make());

			if (error !== undefined) expect(error.message).toMatch(/closed the connection during/);
			expect(made().map(({ files }) => files.map(({ sha256 }) => sha256))).toEqual(
				error === undefined ? [[digest]] : [],
			);
			// It may be so in either of the two times.
			expect(error === undefined ? [3] : [1, 2]).toContain(service.sandbox.requests.length);
		},
		PATIENCE,
	);

	it(
		'that is sent again and then reset is told from one that cannot be read',
		async () => {
			service.sandbox.faults.add({
				kind: 'status',
				status: 429,
				headers: { 'retry-after': '0' },
			});
			service.sandbox.faults.add({ kind: 'reset', afterBytes: 3_000_000 });

			const { error } = await encode(await make());

			expect(error?.message).toMatch(/closed the connection during the upload/);
			expect(service.sandbox.requests).toHaveLength(2);
		},
		PATIENCE,
	);

	it(
		'that is too large is refused with its size, whether or not the answer gets through',
		async () => {
			service.sandbox.settings.maxBodyBytes = 1_000_000;

			const { error } = await encode(await make());

			expect(error?.message).toMatch(
				/larger than the service accepts \(12\.0 MB in total\)|during the upload \(12\.0 MB in total\)/,
			);
			expect(`${error?.message} ${error?.description}`).toMatch(/larger than the service accepts/);
			expect(service.sandbox.requests).toHaveLength(1);
			expect(made()).toEqual([]);
		},
		PATIENCE,
	);

	it(
		'is given up at once on a cancel',
		async () => {
			service.sandbox.faults.add({ kind: 'never' });
			const start = Date.now();

			const { status } = await service.run(ENCODE, {
				items: [{ json: {}, binary: { data: await make() } }],
				cancelAfterMs: 1500,
			});

			expect(status).toBe('canceled');
			expect(Date.now() - start).toBeLessThan(20_000);
			expect(service.sandbox.requests).toHaveLength(1);
		},
		PATIENCE,
	);
});

describe('a stored file that is gone', () => {
	it('is told as such, and nothing of it is sent', async () => {
		const data = await storeBinary(LARGE, details);
		await rm(join(userFolder, 'binary-data'), { recursive: true });

		const { error } = await encode(data);

		expect(error?.message).toMatch(/"large\.bin" is no longer available/);
		expect(made()).toEqual([]);
	});
});
