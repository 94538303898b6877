import { createHash } from 'node:crypto';
import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { faults, type FaultCase } from './support/faults.cts';
import {
	expectedOutcome,
	isAlone,
	runAll,
	type FaultRun,
	type Outcome,
} from './support/matrix.cts';
import { fileContent, operations } from './support/operations.cts';
import { findLeaks } from './support/secrets.cts';

/** Most of the time is spent waiting, so many executions can run at the same time. */
const WORKERS = 16;
const TIMEOUT = 400_000;

/** Without a retry, all modes send the same requests, so the cases alternate between the modes. */
const modesOf = ({ retried }: FaultCase, place: number) =>
	retried === undefined
		? [(['permanent', 'transient', 'errorOutput'] as const)[place % 3]]
		: (['permanent', 'transient'] as const);

const nameOf = ({ operation, fault, mode }: FaultRun) =>
	`${fault.name} (${mode}): ${operation.name}`;

/** Selects cases by name: FAULT_CASES="reset.*encode" npm run test:faults */
const selected = new RegExp(process.env.FAULT_CASES ?? '');

const runs: FaultRun[] = faults
	.flatMap((fault, row) =>
		operations
			.filter((operation) => fault.appliesTo?.(operation) ?? true)
			.flatMap((operation, column) =>
				modesOf(fault, row + column).map((mode) => ({ operation, fault, mode })),
			),
	)
	.filter((run) => selected.test(nameOf(run)));

let work: ReturnType<typeof runAll>;

beforeAll(() => {
	work = runAll(runs, WORKERS);
});

afterAll(async () => await work.finished, TIMEOUT);

describe('an operation under a fault loses nothing, creates nothing twice and shows no secret', () => {
	it.each(runs.map((run, index) => ({ run, index, name: nameOf(run) })))(
		'$name',
		async ({ run, index }) => {
			const outcome = await work.outcomes[index];
			const { items, errorItems } = outcome.result;
			const shown = [...items, ...errorItems];

			assertItems(run, outcome, shown);
			assertService(run, outcome);
			expect(findLeaks({ ...outcome.result, items: shown })).toEqual([]);
		},
		TIMEOUT,
	);
});

function assertItems(run: FaultRun, { result, arranged }: Outcome, shown: INodeExecutionData[]) {
	const { operation, fault, mode } = run;
	const expected = expectedOutcome(run);
	const failed = shown.filter(({ json }) => typeof json.errorDescription === 'string');
	if (expected.outputs !== undefined) expect(shown).toHaveLength(expected.outputs);
	expect(failed).toHaveLength(expected.errorItems.length);
	expect(result.errorItems).toHaveLength(mode === 'errorOutput' ? failed.length : 0);
	const isThrown = expected.fails && mode === 'permanent';
	expect(result.error?.name).toBe(isThrown ? 'NodeApiError' : undefined);
	const assertError = (place: number, error: IDataObject) => {
		// A request after the items is about none of them.
		const index = operation.followsItems === true ? undefined : place;
		expect(error.message).toMatch(expected.message);
		expect(/\[item (\d+)\]/.exec(String(error.message))?.[1]).toBe(index?.toString());
		expect(error.description).toMatch(fault.description ?? /./);
		if (fault.httpCode !== undefined) expect(error.httpCode).toBe(fault.httpCode);
		const doubt = /container might have been created|was created, but its ID is unknown/i;
		const isDoubted = doubt.test(`${error.message} ${error.description}`);
		expect(isDoubted).toBe(expected.mentionsUnknownOutcome);
		return index;
	};
	if (result.error !== undefined) {
		const { message, description, httpCode, context } = result.error;
		const place = isAlone(operation) ? 0 : 1;
		const index = assertError(place, { message, description, httpCode });
		expect(context.itemIndex).toBe(index);
	}
	for (const [number, { json, pairedItem }] of failed.entries()) {
		const place = expected.errorItems[number];
		const item = assertError(place, {
			...json,
			message: json.error,
			description: json.errorDescription,
		});
		const link = operation.combined === true ? [{ item: 0 }, { item: 1 }] : { item: item ?? 0 };
		expect(pairedItem).toEqual(link);
		// What identifies the record.
		const [identity] = Object.values(arranged.items[place]?.json ?? {});
		const isNamed = identity !== undefined && arranged.parameters.operation !== 'getAll';
		if (isNamed) expect(Object.values(json)).toContain(identity);
	}
}

const digests = [0, 1].map((index) =>
	createHash('sha256').update(fileContent(index)).digest('hex'),
);

function assertService({ operation, fault, mode }: FaultRun, outcome: Outcome): void {
	const { effects, encoded, requests } = outcome;
	const expected = expectedOutcome({ operation, fault, mode });
	const { method, path } = operation.target;
	const targets = requests.filter((one) => one.method === method && path.test(one.path));
	expect(targets).toHaveLength(expected.targets);
	expect(requests).toHaveLength(expected.requests);
	if (effects !== undefined) expect(effects).toEqual(expected.effects);
	for (const container of encoded) {
		const own = [digests[Number(container.name.at(-1))]];
		expect(container.digests).toEqual(operation.combined === true ? digests : own);
	}
	const [first, second] = targets.slice(isAlone(operation) ? 0 : 1);
	if (fault.delay === undefined || second === undefined) return;
	// The clocks of the delay and of the record can differ by a millisecond or two.
	expect(second.at - first.at).toBeGreaterThanOrEqual(fault.delay - 5);
}
