import { createHash } from 'node:crypto';
import { faults, type FaultCase } from './support/faults.cts';
import {
	expectedOutcome,
	getErrorItems,
	getErrors,
	isAlone,
	runAll,
	type FaultRun,
	type Mode,
	type Outcome,
} from './support/matrix.cts';
import { fileContent, operations } from './support/operations.cts';
import { findLeaks } from './support/secrets.cts';

/** Most of the time is spent waiting, so many executions can run at the same time. */
const WORKERS = 16;
const MODES: Mode[] = ['permanent', 'transient', 'errorOutput'];
const TIMEOUT = 400_000;

/** Without a retry, all modes send the same requests, so the cases alternate between the modes. */
const modesOf = ({ retried }: FaultCase, place: number): Mode[] =>
	retried === 'never' ? [MODES[place % 3]] : ['permanent', 'transient'];

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

			assertErrors(run, outcome);
			assertItems(run, outcome);
			assertService(run, outcome);
			const { items, errorItems } = outcome.result;
			expect(findLeaks({ ...outcome.result, items: [...items, ...errorItems] })).toEqual([]);
		},
		TIMEOUT,
	);
});

function assertErrors(run: FaultRun, outcome: Outcome): void {
	const { operation, fault, mode } = run;
	const expected = expectedOutcome(run);
	const errors = getErrors(outcome);
	if (!expected.fails) {
		expect(errors.map(({ message }) => message)).toEqual([]);
		return;
	}
	const failing = mode === 'permanent' ? [isAlone(operation) ? 0 : 1] : expected.errorItems;
	expect(errors).toHaveLength(failing.length);
	for (const [place, requestIndex] of failing.entries()) {
		const itemIndex = operation.followsItems === true ? 0 : requestIndex;
		const error = errors[place];
		expect(error.message).toMatch(expected.message);
		expect(error.message).toContain(`[item ${itemIndex}]`);
		expect(error.description).toMatch(fault.description ?? /./);
		if (fault.httpCode !== undefined) expect(error.httpCode).toBe(fault.httpCode);
		const doubt = /container might have been created|was created, but its ID is unknown/i;
		const isDoubted = doubt.test(`${error.message} ${error.description}`);
		expect(isDoubted).toBe(expected.mentionsUnknownOutcome);
		if (error.item === undefined) {
			expect(outcome.result.error?.name).toBe('NodeApiError');
			expect(error.itemIndex).toBe(itemIndex);
			continue;
		}
		const both = [{ item: 0 }, { item: 1 }];
		expect(error.item.pairedItem).toEqual(operation.combined === true ? both : { item: itemIndex });
		expect(error.item.json).toMatchObject(outcome.arranged.errorFields?.(requestIndex) ?? {});
	}
}

function assertItems(run: FaultRun, { result }: Outcome): void {
	const expected = expectedOutcome(run);
	const items = [...result.items, ...result.errorItems];
	if (expected.outputs !== undefined) expect(items).toHaveLength(expected.outputs);
	const { length } = expected.errorItems;
	expect(getErrorItems(result)).toHaveLength(length);
	expect(result.errorItems).toHaveLength(run.mode === 'errorOutput' ? length : 0);
}

const digests = [0, 1].map((index) =>
	createHash('sha256').update(fileContent(index)).digest('hex'),
);

function assertService(run: FaultRun, { effects, encoded, requests, targets }: Outcome): void {
	const expected = expectedOutcome(run);
	expect(targets).toHaveLength(expected.targets);
	expect(requests).toHaveLength(expected.requests);
	if (effects !== undefined) expect(effects).toEqual(expected.effects);
	for (const container of encoded) {
		const own = [digests[Number(container.name.at(-1))]];
		expect(container.digests).toEqual(run.operation.combined === true ? digests : own);
	}
	const [first, second] = targets.slice(isAlone(run.operation) ? 0 : 1);
	if (run.fault.delay === undefined || second === undefined) return;
	// The clocks of the delay and of the record can differ by a millisecond or two.
	expect(second.at - first.at).toBeGreaterThanOrEqual(run.fault.delay - 5);
}
