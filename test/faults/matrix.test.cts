import { createHash } from 'node:crypto';
import { writeSync } from 'node:fs';
import { faults, type FaultCase } from './support/faults.cts';
import { schedule, type Schedule } from './support/workers.cts';
import {
	getErrorItems,
	getErrors,
	expectedOutcome,
	runUnderFault,
	type FaultRun,
	type Mode,
	type Outcome,
} from './support/matrix.cts';
import { fileContent, operations } from './support/operations.cts';
import { Report } from './support/report.cts';
import { findLeaks } from './support/secrets.cts';
import type * as certificate from '../../sandbox/certificate.cts';

/** One authority for all workers: OpenSSL distinguishes authorities by name, and these have the same name. */
jest.mock('../../sandbox/certificate.cts', () => {
	const { createCertificate } = jest.requireActual<typeof certificate>(
		'../../sandbox/certificate.cts',
	);
	let shared: ReturnType<typeof createCertificate> | undefined;
	return { createCertificate: () => (shared ??= createCertificate()) };
});

/** Most of the time is spent waiting, so many executions can run at the same time. */
const WORKERS = 16;
const MODES: Mode[] = ['permanent', 'transient', 'errorOutput'];
const TIMEOUT = 400_000;

const nameOf = ({ operation, fault, mode }: FaultRun) =>
	`${fault.name} (${mode}): ${operation.name}`;

const report = new Report();
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
const digests = [0, 1].map((index) => sha256(fileContent(index)));

/** Selects cases by name: FAULT_CASES="reset.*encode" npm run test:faults */
const selected = new RegExp(process.env.FAULT_CASES ?? '');

/** Without a retry, all modes send the same requests, so the cases alternate between the modes. */
const modesOf = ({ retried, heavy }: FaultCase, place: number): Mode[] => {
	if (heavy === true) return ['transient'];
	return retried === 'never' ? [MODES[place % 3]] : ['permanent', 'transient'];
};

const all: FaultRun[] = faults
	.flatMap((fault, row) =>
		operations
			.filter((operation) => fault.appliesTo?.(operation) ?? true)
			.flatMap((operation, column) =>
				modesOf(fault, row + column).map((mode) => ({ operation, fault, mode })),
			),
	)
	.filter((run) => selected.test(nameOf(run)));
/** Heavy faults run separately, because they would make other requests time out. */
const groups: Array<{ name: string; runs: FaultRun[]; workers: number }> = [
	{ name: 'faults', runs: all.filter(({ fault }) => fault.heavy !== true), workers: WORKERS },
	{
		name: 'heavy faults',
		runs: all.filter(({ fault }) => fault.heavy === true),
		workers: 1,
	},
];

function assertItems(run: FaultRun, { result }: Outcome): void {
	const expected = expectedOutcome(run);
	const items = [...result.items, ...result.errorItems];
	if (expected.outputs !== undefined) expect(items).toHaveLength(expected.outputs);
	expect(getErrorItems(result)).toHaveLength(expected.errorItems.length);
	expect(result.errorItems).toHaveLength(
		run.mode === 'errorOutput' ? expected.errorItems.length : 0,
	);
	for (const { json } of items) {
		expect(typeof json === 'object' && json !== null && !Array.isArray(json)).toBe(true);
	}
	expect(Object.prototype).not.toHaveProperty('polluted');
}

function assertErrors(run: FaultRun, outcome: Outcome): void {
	const expected = expectedOutcome(run);
	const errors = getErrors(outcome);
	if (!expected.fails) {
		expect(errors.map(({ message }) => message)).toEqual([]);
		return;
	}
	const isAlone = run.operation.shared === true || run.operation.combined === true;
	const failing = run.mode === 'permanent' ? [isAlone ? 0 : 1] : expected.errorItems;
	expect(errors).toHaveLength(failing.length);
	failing.forEach((requestIndex, place) => {
		const itemIndex = run.operation.followsItems === true ? 0 : requestIndex;
		const error = errors[place];
		expect(error.message).toMatch(expected.message);
		expect(error.message).toContain(`[item ${itemIndex}]`);
		expect(error.description).toMatch(run.fault.description ?? /./);
		if (run.fault.httpCode !== undefined) expect(error.httpCode).toBe(run.fault.httpCode);
		const doubt = /container might have been created|was created, but its ID is unknown/i;
		const text = `${error.message} ${error.description}`;
		if (expected.mentionsUnknownOutcome) expect(text).toMatch(doubt);
		else expect(text).not.toMatch(doubt);
		if (error.item === undefined) {
			expect(outcome.result.error?.name).toBe('NodeApiError');
			expect(error.itemIndex).toBe(itemIndex);
			return;
		}
		expect(error.item.pairedItem).toEqual(
			run.operation.combined === true ? [{ item: 0 }, { item: 1 }] : { item: itemIndex },
		);
		expect(error.item.json).toMatchObject(outcome.arranged.errorFields?.(requestIndex) ?? {});
	});
}

function assertService(run: FaultRun, outcome: Outcome): void {
	const expected = expectedOutcome(run);
	expect(outcome.targets).toHaveLength(expected.targets);
	expect(outcome.requests).toHaveLength(expected.requests);
	if (outcome.effects !== undefined) expect(outcome.effects).toEqual(expected.effects);
	for (const { parts } of outcome.requests) {
		const files = (parts ?? []).filter(({ name }) => name === 'file');
		for (const file of files) expect(digests).toContain(file.sha256);
	}
	for (const { files, name } of outcome.containers) {
		if (!name.startsWith('Encoded')) continue;
		const wanted = run.operation.combined === true ? digests : [digests[Number(name.at(-1))]];
		expect(files.map((file) => file.sha256)).toEqual(wanted);
	}
}

function assertWaits({ fault }: FaultRun, { targets }: Outcome, isAlone: boolean): void {
	const [first, second] = targets.slice(isAlone ? 0 : 1);
	if (fault.delay === undefined || second === undefined) return;
	const waited = second.at - first.at;
	// The clocks of the delay and of the record can differ by a millisecond or two.
	expect(waited).toBeGreaterThanOrEqual(fault.delay.min - 5);
}

describe.each(groups.filter(({ runs }) => runs.length > 0))(
	'every operation under $name',
	({ runs, workers }) => {
		let work: Schedule<Outcome>;

		beforeAll(() => {
			work = schedule(runs.length, workers, async (worker, index) => {
				const outcome = await runUnderFault(worker, runs[index]);
				report.add(runs[index], outcome);
				return outcome;
			});
		});

		afterAll(async () => await work.finished, TIMEOUT);

		it.each(runs.map((run, index) => ({ run, index, name: nameOf(run) })))(
			'$name',
			async ({ run, index }) => {
				const outcome = await work.result(index);

				assertErrors(run, outcome);
				assertItems(run, outcome);
				assertService(run, outcome);
				assertWaits(run, outcome, run.operation.shared === true || run.operation.combined === true);
				const { items, errorItems } = outcome.result;
				expect(findLeaks({ ...outcome.result, items: [...items, ...errorItems] })).toEqual([]);
			},
			TIMEOUT,
		);
	},
);

describe('all operations and faults together', () => {
	it('lose nothing and create nothing twice', () => {
		writeSync(1, `\n${report.toString()}\n`);

		expect(report.total()).toMatchObject({
			cases: groups.flatMap(({ runs }) => runs).length,
			lost: 0,
			duplicates: 0,
		});
	});
});
