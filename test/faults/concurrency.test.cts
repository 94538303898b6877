import { writeSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import type { INodeExecutionData, INodeParameters } from 'n8n-workflow';
import { storeBinary } from '../support/engine.cts';
import {
	contactItems,
	startTrustedSandbox,
	UPSERT,
	type TrustedSandbox,
} from './support/service.cts';

/** Set CONCURRENCY_ITEMS=10000 for the full test. */
const ITEMS = Number(process.env.CONCURRENCY_ITEMS ?? 1500);
const FILES = Number(process.env.CONCURRENCY_FILES ?? 500);
const TIMEOUT = 1_200_000;

const ENCODE: INodeParameters = {
	resource: 'container',
	operation: 'encode',
	recipients: 'anna@example.com',
};

let service: TrustedSandbox;

beforeAll(async () => {
	service = await startTrustedSandbox({ settings: { record: 'counts', latency: 10 } });
}, TIMEOUT);

afterAll(async () => await service.stop());

afterEach(() => service.sandbox.reset());

/** Counts the open file descriptors of this process, which runs both the node and the sandbox. */
function watchDescriptors(): { stop(): Promise<{ before: number; peak: number }> } {
	const count = async () => (await readdir('/proc/self/fd').catch(() => [])).length;
	let isOver = false;
	const watching = (async () => {
		const before = await count();
		let peak = before;
		while (!isOver) {
			peak = Math.max(peak, await count());
			await new Promise((resolve) => setTimeout(resolve, 20));
		}
		return { before, peak };
	})();
	return {
		async stop() {
			isOver = true;
			return await watching;
		},
	};
}

it(
	`${ITEMS} items open no more connections than allowed, and keep their order`,
	async () => {
		const descriptors = watchDescriptors();
		const start = Date.now();

		const { items, error } = await service.run(UPSERT, {
			items: contactItems(ITEMS),
			options: { maxConcurrent: 5 },
		});

		const { before, peak } = await descriptors.stop();
		const { counts } = service.sandbox;
		writeSync(
			1,
			`  ${ITEMS} items: ${counts.total} requests, ${counts.peakInFlight} in flight and ${counts.peakOpenConnections} connections, ${before} to ${peak} descriptors, ${Date.now() - start} ms\n`,
		);
		expect(error).toBeUndefined();
		expect(items.map(({ json, pairedItem }) => [json.number, pairedItem])).toEqual(
			contactItems(ITEMS).map(({ json }, item) => [json.number, { item }]),
		);
		expect(counts.total).toBe(ITEMS);
		expect(counts.peakInFlight).toBeLessThanOrEqual(5);
		// A connection that is about to close can still exist when the next one opens.
		expect(counts.peakOpenConnections).toBeLessThanOrEqual(15);
		expect(peak - before).toBeLessThan(100);
	},
	TIMEOUT,
);

it(
	`only a few of ${FILES} stored files are open at a time`,
	async () => {
		const items: INodeExecutionData[] = [];
		for (let index = 0; index < FILES; index += 1) {
			const data = await storeBinary(Buffer.alloc(20_000, `${index} `), {
				fileName: `file ${index}.txt`,
				mimeType: 'text/plain',
			});
			items.push({ json: { name: `Container ${index}` }, binary: { data } });
		}
		const descriptors = watchDescriptors();

		const result = await service.run(
			{ ...ENCODE, name: '={{ $json.name }}' },
			{ items, options: { maxConcurrent: 5 } },
		);

		const { before, peak } = await descriptors.stop();
		writeSync(1, `  ${FILES} stored files: ${before} to ${peak} descriptors\n`);
		expect(result.error).toBeUndefined();
		expect(result.items.map(({ json }) => (json.container as { name: string }).name)).toEqual(
			items.map(({ json }) => json.name),
		);
		expect(service.sandbox.counts.peakInFlight).toBeLessThanOrEqual(5);
		expect(peak - before).toBeLessThan(60);
		expect(service.sandbox.state.containers.size).toBe(FILES);
	},
	TIMEOUT,
);

it(
	`only one of ${FILES} files in one container is open at a time`,
	async () => {
		const items: INodeExecutionData[] = [];
		for (let index = 0; index < FILES; index += 1) {
			const data = await storeBinary(Buffer.alloc(20_000, `${index} `), {
				fileName: 'scan.txt',
				mimeType: 'text/plain',
			});
			items.push({ json: {}, binary: { data } });
		}
		const descriptors = watchDescriptors();

		const result = await service.run(
			{ ...ENCODE, name: 'All', containerMode: 'allItems' },
			{ items },
		);

		const { before, peak } = await descriptors.stop();
		expect(result.error).toBeUndefined();
		expect(result.items).toHaveLength(1);
		expect([...service.sandbox.state.containers.values()][0].files).toHaveLength(FILES);
		expect(peak - before).toBeLessThan(30);
	},
	TIMEOUT,
);

it('no cancel listener and no connection remains', async () => {
	const { counts } = service.sandbox;
	await service.run(UPSERT, { items: contactItems(20) });
	await new Promise((resolve) => setTimeout(resolve, 200));

	expect(counts.openConnections).toBe(0);
});
