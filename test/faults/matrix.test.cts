import { createHash } from 'node:crypto';
import { writeSync } from 'node:fs';
import { faults, type FaultCase } from './support/faults.cts';
import { schedule, type Schedule } from './support/lanes.cts';
import {
	errorItemsOf,
	errorsOf,
	foretell,
	runUnderFault,
	type FaultRun,
	type Mode,
	type Outcome,
} from './support/matrix.cts';
import { fileContent, operations } from './support/operations.cts';
import { Report } from './support/report.cts';
import { leaksOf } from './support/secrets.cts';
import type * as certificate from '../../sandbox/certificate.cts';

/** One authority for all lanes: OpenSSL tells authorities apart by their names, and these have the same. */
jest.mock('../../sandbox/certificate.cts', () => {
	const { createCertificate } = jest.requireActual<typeof certificate>(
		'../../sandbox/certificate.cts',
	);
	let made: ReturnType<typeof createCertificate> | undefined;
	return { createCertificate: () => (made ??= createCertificate()) };
});

/** Most of the time of a run goes into waiting: many fit beside each other. */
const LANES = 16;
const MODES: Mode[] = ['lasting', 'passing', 'aside'];
const PATIENCE = 400_000;

const nameOf = ({ operation, fault, mode }: FaultRun) =>
	`${fault.name} (${mode}): ${operation.name}`;

const report = new Report();
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
const digests = [0, 1].map((index) => sha256(fileContent(index)));

/** A part of the cases, by name, for who works on one: FAULT_CASES="reset.*encode" npm run test:faults */
const wanted = new RegExp(process.env.FAULT_CASES ?? '');

/** Where nothing is sent again all modes see the same requests: one of them, in turn, is enough. */
const modesOf = ({ again, heavy }: FaultCase, place: number): Mode[] => {
	if (heavy === true) return ['passing'];
	return again === 'never' ? [MODES[place % 3]] : ['lasting', 'passing'];
};

const all: FaultRun[] = faults
	.flatMap((fault, row) =>
		operations
			.filter((operation) => fault.appliesTo?.(operation) ?? true)
			.flatMap((operation, column) =>
				modesOf(fault, row + column).map((mode) => ({ operation, fault, mode })),
			),
	)
	.filter((run) => wanted.test(nameOf(run)));
/** What keeps the machine busy would make others time out. */
const groups: Array<{ name: string; runs: FaultRun[]; lanes: number }> = [
	{ name: 'faults', runs: all.filter(({ fault }) => fault.heavy !== true), lanes: LANES },
	{
		name: 'heavy faults',
		runs: all.filter(({ fault }) => fault.heavy === true),
		lanes: 1,
	},
];

function assertItems(run: FaultRun, { result }: Outcome): void {
	const expected = foretell(run);
	const items = [...result.items, ...result.errorItems];
	if (expected.outputs !== undefined) expect(items).toHaveLength(expected.outputs);
	expect(errorItemsOf(result)).toHaveLength(expected.errorItems.length);
	expect(result.errorItems).toHaveLength(run.mode === 'aside' ? expected.errorItems.length : 0);
	for (const { json } of items) {
		expect(typeof json === 'object' && json !== null && !Array.isArray(json)).toBe(true);
	}
	expect(Object.prototype).not.toHaveProperty('polluted');
}

function assertErrors(run: FaultRun, outcome: Outcome): void {
	const expected = foretell(run);
	const errors = errorsOf(outcome);
	if (!expected.fails) {
		expect(errors.map(({ message }) => message)).toEqual([]);
		return;
	}
	const isAlone = run.operation.shared === true || run.operation.joined === true;
	const failing = run.mode === 'lasting' ? [isAlone ? 0 : 1] : expected.errorItems;
	expect(errors).toHaveLength(failing.length);
	failing.forEach((itemIndex, place) => {
		const error = errors[place];
		expect(error.message).toMatch(expected.message);
		expect(error.message).toContain(`[item ${itemIndex}]`);
		expect(error.description).toMatch(run.fault.says ?? /./);
		if (run.fault.httpCode !== undefined) expect(error.httpCode).toBe(run.fault.httpCode);
		const doubt = /container might have been created/i;
		if (expected.mentionsDoubt) expect(error.description).toMatch(doubt);
		else expect(error.description).not.toMatch(doubt);
		if (error.item === undefined) {
			expect(outcome.result.error?.name).toBe('NodeApiError');
			expect(error.itemIndex).toBe(itemIndex);
			return;
		}
		expect(error.item.pairedItem).toEqual(
			run.operation.joined === true ? [{ item: 0 }, { item: 1 }] : { item: itemIndex },
		);
		expect(error.item.json).toMatchObject(outcome.arranged.identity?.(itemIndex) ?? {});
	});
}

function assertService(run: FaultRun, outcome: Outcome): void {
	const expected = foretell(run);
	expect(outcome.targets).toHaveLength(expected.targets);
	expect(outcome.requests).toHaveLength(expected.requests);
	if (outcome.effects !== undefined) expect(outcome.effects).toEqual(expected.effects);
	for (const { parts } of outcome.requests) {
		const files = (parts ?? []).filter(({ name }) => name === 'file');
		for (const file of files) expect(digests).toContain(file.sha256);
	}
	for (const { files, name } of outcome.containers) {
		if (!name.startsWith('Encoded')) continue;
		const wanted = run.operation.joined === true ? digests : [digests[Number(name.at(-1))]];
		expect(files.map((file) => file.sha256)).toEqual(wanted);
	}
}

function assertWaits({ fault }: FaultRun, { targets }: Outcome, isAlone: boolean): void {
	const [first, second] = targets.slice(isAlone ? 0 : 1);
	if (fault.wait === undefined || second === undefined) return;
	const waited = second.at - first.at;
	// The clocks that wait and that write down may differ by a millisecond or two.
	expect(waited).toBeGreaterThanOrEqual(fault.wait.least - 5);
}

describe.each(groups.filter(({ runs }) => runs.length > 0))(
	'every operation under $name',
	({ runs, lanes }) => {
		let work: Schedule<Outcome>;

		beforeAll(() => {
			work = schedule(runs.length, lanes, async (lane, index) => {
				const outcome = await runUnderFault(lane, runs[index]);
				report.add(runs[index], outcome);
				return outcome;
			});
		});

		afterAll(async () => await work.finished, PATIENCE);

		it.each(runs.map((run, index) => ({ run, index, name: nameOf(run) })))(
			'$name',
			async ({ run, index }) => {
				const outcome = await work.result(index);

				assertErrors(run, outcome);
				assertItems(run, outcome);
				assertService(run, outcome);
				assertWaits(run, outcome, run.operation.shared === true || run.operation.joined === true);
				const { items, errorItems } = outcome.result;
				expect(leaksOf({ ...outcome.result, items: [...items, ...errorItems] })).toEqual([]);
			},
			PATIENCE,
		);
	},
);

describe('all of it', () => {
	it('loses nothing and makes nothing twice', () => {
		writeSync(1, `\n${report.toString()}\n`);

		expect(report.total()).toMatchObject({
			cases: groups.flatMap(({ runs }) => runs).length,
			lost: 0,
			twice: 0,
		});
	});
});
