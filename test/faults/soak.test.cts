import { writeSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import type { FaultKind, FaultMatch } from '../../sandbox/index.cts';
import type { RunNodeResult } from '../support/engine.cts';
import { startTrustedSandbox, UPSERT, type TrustedSandbox } from './support/service.cts';

/** Set SOAK_ITEMS=10000 for the full test. */
const ITEMS = Number(process.env.SOAK_ITEMS ?? 1500);
const ROUND = 250;
const ROUNDS = Math.max(3, Math.ceil(ITEMS / ROUND / 3) * 3);
const UPSERTS = 150;
const GETS = 75;
const ENCODES = 25;
const TIMEOUT = 3_600_000;

const SHARE = 0.05;
const KINDS: Array<FaultKind & Pick<FaultMatch, 'when'>> = [
	{ kind: 'status', status: 429, headers: { 'retry-after': '0' } },
	{ kind: 'status', status: 500 },
	{ kind: 'status', status: 502 },
	{ kind: 'status', status: 503 },
	{ kind: 'status', status: 504, when: 'effect' },
	{ kind: 'status', status: 400 },
	{ kind: 'reset', when: 'arrival' },
	{ kind: 'reset', when: 'body' },
	{ kind: 'reset', when: 'effect' },
	{ kind: 'resetInResponse' },
	{ kind: 'halfResponse' },
	{ kind: 'cutJson' },
	{ kind: 'webPage' },
	{ kind: 'redirect', location: 'https://localhost:1/elsewhere' },
	{ kind: 'hostile', body: 'deep' },
	{ kind: 'never' },
];

let service: TrustedSandbox;
let collectGarbage: () => void;

beforeAll(async () => {
	setFlagsFromString('--expose-gc');
	collectGarbage = runInNewContext('gc') as () => void;
	service = await startTrustedSandbox({ settings: { record: 'counts' } });
}, TIMEOUT);

afterAll(async () => await service.stop());

const figures = {
	items: 0,
	succeeded: 0,
	failed: 0,
	missing: 0,
	duplicates: 0,
	unreported: 0,
	wrong: 0,
};

/** Counts the outputs of an execution: one for each item, in order. Also counts missing and extra ones. */
function accountFor(
	inputs: INodeExecutionData[],
	{ items, error }: RunNodeResult,
	identify: (input: IDataObject) => IDataObject,
	isRight: (input: IDataObject, result: { output?: IDataObject; error?: string }) => boolean,
): void {
	figures.items += inputs.length;
	if (error !== undefined || items.length !== inputs.length) {
		figures.missing += Math.max(1, Math.abs(inputs.length - items.length));
	}
	inputs.forEach(({ json: input }, index) => {
		const output = items[index]?.json;
		if (output === undefined) return;
		if (typeof output.error === 'string') {
			figures.failed += 1;
			for (const [key, value] of Object.entries(identify(input))) {
				if (output[key] !== value) figures.missing += 1;
			}
			if (!isRight(input, { error: `${output.error} ${String(output.errorDescription)}` })) {
				figures.wrong += 1;
			}
		} else {
			figures.succeeded += 1;
			if (!isRight(input, { output })) figures.wrong += 1;
		}
	});
}

async function soakRound(round: number, ids: string[]): Promise<void> {
	const { sandbox, run } = service;
	const contacts = sandbox.state.contactsOf(sandbox.user.id);
	const more = {
		onError: 'continueRegularOutput' as const,
		options: { maxRetries: 1, maxConcurrent: 5 },
	};
	const requestOptions = { timeout: 5000 };
	const people = Array.from({ length: UPSERTS }, (_, index) => ({
		json: { email: `person${index}@example.com`, round },
	}));
	const reads = Array.from({ length: GETS }, (_, index) => ({
		json: { id: ids[(round * GETS + index) % ids.length] },
	}));
	const files = Array.from({ length: ENCODES }, (_, index) => ({
		json: { name: `Round ${round}, ${index}` },
	}));
	const [upserted, read, encoded] = await Promise.all([
		run({ ...UPSERT, requestOptions }, { items: people, ...more }),
		run(
			{
				resource: 'container',
				operation: 'get',
				containerId: { __rl: true, mode: 'id', value: '={{ $json.id }}' },
				requestOptions,
			},
			{ items: reads, ...more },
		),
		run(
			{
				resource: 'container',
				operation: 'encode',
				name: '={{ $json.name }}',
				recipients: 'anna@example.com',
				fileSource: 'text',
				textContent: 'soaked '.repeat(3000),
				textFileName: 'soaked.txt',
				drmRules: { password: 'a password of the soak' },
				requestOptions,
			},
			{ items: files, ...more },
		),
	]);

	accountFor(
		people,
		upserted,
		({ email }) => ({ contactEmail: email }),
		({ email }, { output }) =>
			output === undefined ||
			(output.email === email && contacts.get(String(email))?.fields.round === round),
	);
	accountFor(
		reads,
		read,
		({ id }) => ({ containerId: id }),
		({ id }, { output }) => output === undefined || (output.container as IDataObject).uuid === id,
	);
	const created = new Map<string, number>();
	for (const { uuid, name } of sandbox.state.containers.values()) {
		if (ids.includes(uuid)) continue;
		created.set(name, (created.get(name) ?? 0) + 1);
		sandbox.state.containers.delete(uuid);
	}
	for (const count of created.values()) if (count > 1) figures.duplicates += 1;
	accountFor(
		files,
		encoded,
		({ name }) => ({ name }),
		({ name }, { output, error }) => {
			const exists = created.has(String(name));
			if (output !== undefined) return exists;
			const warns = /might have been created|its ID is unknown/.test(error ?? '');
			if (exists && !warns) figures.unreported += 1;
			return true;
		},
	);
}

function heapUsed(): number {
	collectGarbage();
	collectGarbage();
	const { heapUsed: heap, external } = process.memoryUsage();
	return (heap + external) / 1_000_000;
}

it(
	`${ROUNDS * ROUND} items with 5 % of faults are all accounted for, with constant memory`,
	async () => {
		const { sandbox } = service;
		const ids = Array.from({ length: 40 }, () => sandbox.addContainer({ name: 'Kept' }).uuid);
		KINDS.forEach((fault, index) =>
			sandbox.faults.add({ ...fault, probability: SHARE / KINDS.length, seed: index + 1 }),
		);
		const heaps: number[] = [];
		const start = Date.now();

		for (let round = 0; round < ROUNDS; round += 1) {
			await soakRound(round, ids);
			if ((round + 1) % (ROUNDS / 3) === 0) heaps.push(heapUsed());
		}

		const applied = sandbox.faults.list().reduce((sum, fault) => sum + fault.applied, 0);
		const { total, peakInFlight } = sandbox.counts;
		writeSync(
			1,
			[
				`  soak: ${figures.items} items, ${total} requests, ${applied} faults (${((100 * applied) / total).toFixed(1)} %), ${Math.round((Date.now() - start) / 1000)} s`,
				`  ${figures.succeeded} succeeded, ${figures.failed} failed and named, ${figures.missing} missing`,
				`  ${figures.duplicates} created twice, ${figures.unreported} created without a report, ${figures.wrong} different from the service`,
				`  heap (${peakInFlight} at most in flight) after each third: ${heaps.map((heap) => `${heap.toFixed(1)} MB`).join(', ')}\n`,
			].join('\n'),
		);
		expect(figures).toMatchObject({
			items: ROUNDS * ROUND,
			missing: 0,
			duplicates: 0,
			unreported: 0,
			wrong: 0,
		});
		expect(figures.succeeded + figures.failed).toBe(figures.items);
		expect(applied).toBeGreaterThan(total * SHARE * 0.5);
		// Three executions with five requests each.
		expect(peakInFlight).toBeLessThanOrEqual(15);
		expect(heaps[2]).toBeLessThan(heaps[0] * 1.1 + 5);
	},
	TIMEOUT,
);
