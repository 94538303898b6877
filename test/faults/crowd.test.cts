import { writeSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import type { FaultKind, FaultMatch } from '../../sandbox/index.cts';
import type { RunNodeResult } from '../support/engine.cts';
import { startTrustedSandbox, UPSERT, type TrustedSandbox } from './support/service.cts';

/** Set CROWD_ITEMS=20 for a short test. */
const ITEMS = Number(process.env.CROWD_ITEMS ?? 100);
const EXECUTIONS = 50;
const TIMEOUT = 3_600_000;
const MAX_BLOCKAGE_MS = 3000;

const SHARE = 0.03;
const KINDS: Array<FaultKind & Pick<FaultMatch, 'when'>> = [
	{ kind: 'status', status: 429, headers: { 'retry-after': '0' } },
	{ kind: 'status', status: 500 },
	{ kind: 'status', status: 503 },
	{ kind: 'status', status: 422 },
	{ kind: 'status', status: 504, when: 'effect' },
	{ kind: 'reset', when: 'arrival' },
	{ kind: 'reset', when: 'effect' },
	{ kind: 'halfResponse' },
];

let service: TrustedSandbox;

beforeAll(async () => {
	service = await startTrustedSandbox({ settings: { record: 'counts' } });
}, TIMEOUT);

afterAll(async () => await service.stop());

const numbers = Array.from({ length: ITEMS }, (_value, number) => number);
const failed = ({ json }: { json: IDataObject }) => json.error !== undefined;

/** Each kind of execution: its parameters, and the items of one of them. */
const kinds: Array<{
	parameters: INodeParameters;
	itemOf(number: number, execution: number): IDataObject;
}> = [
	{
		parameters: UPSERT,
		itemOf: (number, execution) => ({ email: `p${number}.${execution}@example.com`, execution }),
	},
	{
		parameters: encode('create'),
		itemOf: (number, execution) => ({ name: `Own ${number}.${execution}` }),
	},
	{ parameters: encode('reuse'), itemOf: (number) => ({ name: `Shared ${number}` }) },
	{
		parameters: onContainer('drm', 'update', { rules: { addRecipients: '={{ $json.address }}' } }),
		itemOf: (number, execution) => ({ id: `kept-${number}`, address: `r${execution}@example.com` }),
	},
	{
		parameters: onContainer('drm', 'revoke'),
		itemOf: (number) => ({ id: `kept-${number}` }),
	},
	{
		parameters: onContainer('container', 'delete'),
		itemOf: (number, execution) => ({ id: `gone-${number}-${execution}` }),
	},
];

function encode(ifExists: string): INodeParameters {
	return {
		resource: 'container',
		operation: 'encode',
		name: '={{ $json.name }}',
		recipients: 'anna@example.com',
		fileSource: 'text',
		textContent: 'confidential',
		textFileName: 'report.txt',
		options: { ifExists },
	};
}

function onContainer(
	resource: string,
	operation: string,
	more: INodeParameters = {},
): INodeParameters {
	const containerId = { __rl: true, mode: 'id', value: '={{ $json.id }}' };
	return { resource, operation, containerId, ...more };
}

it(
	`${EXECUTIONS} executions at once with ${EXECUTIONS * ITEMS} items lose, double and undo nothing`,
	async () => {
		const { sandbox } = service;
		for (const number of numbers) {
			sandbox.addContainer({
				uuid: `kept-${number}`,
				name: `Kept ${number}`,
				rules: { dynamic: true, time: { end: '2099-12-31' }, recipients: ['first@example.com'] },
			});
			for (let execution = 0; execution < EXECUTIONS; execution += 1) {
				if (execution % kinds.length === 5)
					sandbox.addContainer({ uuid: `gone-${number}-${execution}` });
			}
		}
		KINDS.forEach((fault, index) =>
			sandbox.faults.add({ ...fault, probability: SHARE / KINDS.length, seed: index + 1 }),
		);
		const delay = monitorEventLoopDelay({ resolution: 20 });
		delay.enable();
		const start = Date.now();

		const running: Array<Promise<RunNodeResult>> = [];
		for (let execution = 0; execution < EXECUTIONS; execution += 1) {
			const { parameters, itemOf } = kinds[execution % kinds.length];
			const { options } = parameters as { options?: INodeParameters };
			const result = service.run(parameters, {
				items: numbers.map((number) => ({ json: itemOf(number, execution) })),
				onError: 'continueRegularOutput',
				retryOnFail: true,
				maxTries: 3,
				waitBetweenTries: 1,
				options: { ...options, maxRetries: 3 },
			});
			running.push(result);
			// n8n starts each execution in a task of its own.
			await new Promise((resolve) => setImmediate(resolve));
		}
		const results = await Promise.all(running);
		delay.disable();

		const outputs = results.map(({ items }) => items);
		const failures = outputs.flat().filter(failed).length;
		const applied = sandbox.faults.list().reduce((sum, fault) => sum + fault.applied, 0);
		writeSync(
			1,
			`  crowd: ${EXECUTIONS} executions, ${EXECUTIONS * ITEMS} items, ${sandbox.counts.total} requests, ${applied} faults, ${failures} items failed, ${Math.round((Date.now() - start) / 1000)} s; the event loop was blocked for ${Math.round(delay.max / 1e6)} ms at most\n`,
		);
		expect(results.map(({ error }) => error).filter(Boolean)).toEqual([]);
		expect(outputs.map((items) => items.map(({ pairedItem }) => pairedItem))).toEqual(
			outputs.map(() => numbers.map((item) => ({ item }))),
		);
		expect(applied).toBeGreaterThan(0);
		expect(failures).toBeLessThan(EXECUTIONS * ITEMS * 2 * SHARE);

		const { containers } = sandbox.state;
		const contacts = sandbox.state.contactsOf(sandbox.user.id);
		const names = [...containers.values()].map(({ name }) => name);
		const countOf = (name: string) => names.filter((other) => other === name).length;
		const wrong: string[] = [];
		outputs.forEach((items, execution) => {
			const kind = execution % kinds.length;
			items.forEach((item, number) => {
				const input = kinds[kind].itemOf(number, execution);
				const text = JSON.stringify([input, item.json]);
				const isUnknown = /might have been created|its ID is unknown/.test(text);
				const isRight = [
					() => failed(item) || contacts.get(String(input.email))?.fields.execution === execution,
					() => {
						const count = countOf(String(input.name));
						return failed(item) ? count === 0 || (count === 1 && isUnknown) : count === 1;
					},
					() =>
						countOf(String(input.name)) === 1 ||
						(failed(item) && countOf(String(input.name)) === 0),
					() => {
						const { recipients } = containers.get(String(input.id))?.rules as {
							recipients: string[];
						};
						return failed(item) || recipients.includes(String(input.address));
					},
					() => {
						const { time } = containers.get(String(input.id))?.rules as { time: { end: string } };
						return failed(item) || time.end < '2099';
					},
					() => failed(item) || !containers.has(String(input.id)),
				][kind]();
				if (!isRight) wrong.push(text);
			});
		});
		expect(wrong).toEqual([]);
		expect(delay.max / 1e6).toBeLessThan(MAX_BLOCKAGE_MS);
	},
	TIMEOUT,
);
