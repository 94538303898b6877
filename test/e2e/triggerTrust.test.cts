import { setTimeout as wait } from 'node:timers/promises';
import type { IDataObject } from 'n8n-workflow';
import type { FaultKind } from '../../sandbox/index.cts';
import { getN8nVersion } from '../../tools/realN8n/versions.cts';
import { buildWorkflow, TRIGGER_TYPE } from '../../tools/realN8n/workflow.cts';
import { startTestEnvironment, type TestEnvironment } from './support/testEnvironment.cts';

const IS_N8N_1 = getN8nVersion().name === '1';
const POLL_TIMEOUT = 8;
const DURABLE_SCHEDULER = {
	N8N_SCHEDULER_ENABLED: 'true',
	N8N_SCHEDULER_POLL_TRIGGERS_ENABLED: 'true',
	N8N_POLLER_DURABLE_CURSORS_ENABLED: 'true',
	N8N_USE_WORKFLOW_PUBLICATION_SERVICE: 'true',
	N8N_SCHEDULER_POLL_TIMEOUT: String(POLL_TIMEOUT),
	N8N_SCHEDULER_MATERIALIZATION_INTERVAL: '2',
	DB_PING_TIMEOUT_MS: '60000',
};
/** n8n polls at most once a minute for each poll time. */
const every = (seconds: number) => ({
	item: Array.from({ length: 60 / seconds }, (_, number) => ({
		mode: 'custom',
		cronExpression: `${number * seconds} * * * * *`,
	})),
});
const TEST_TIMEOUT = 300_000;

describe("the trigger with n8n's durable scheduler", () => {
	let e2e: TestEnvironment;
	beforeAll(async () => {
		e2e = await startTestEnvironment({ timezone: 'UTC', env: DURABLE_SCHEDULER });
	});
	afterAll(async () => await e2e?.stop());

	const start = async (event: string, seconds: number) => {
		const trigger = {
			name: 'Trigger',
			type: TRIGGER_TYPE,
			credentials: e2e.credentials,
			parameters: { event, pollTimes: every(seconds) },
		};
		const next = { name: 'Next', type: 'n8n-nodes-base.noOp' };
		const id = await e2e.server.createWorkflow(buildWorkflow([trigger, next], { name: event }));
		await e2e.server.activate(id);
		return id;
	};

	const until = async (what: string, isTrue: () => boolean | Promise<boolean>) => {
		const deadline = Date.now() + 150_000;
		while (!(await isTrue())) {
			if (Date.now() > deadline) throw new Error(`It did not come to this in time: ${what}`);
			await wait(500);
		}
	};

	const errorsOf = async (id: string) => {
		const failed = (await e2e.server.executions(id)).filter(({ status }) => status === 'error');
		return await Promise.all(
			failed.map(async (summary) => (await e2e.server.execution(summary.id)).error?.message),
		);
	};

	const itemsOf = async (id: string): Promise<IDataObject[]> => {
		const summaries = await e2e.server.executions(id);
		const ended = summaries.filter(({ status }) => status === 'success').reverse();
		const executions = await Promise.all(
			ended.map(async (summary) => await e2e.server.execution(summary.id)),
		);
		return executions.flatMap((execution) => execution.json('Trigger'));
	};

	const countOf = (path: RegExp) =>
		e2e.sandbox.requests.filter((request) => path.test(request.path)).length;

	it(
		'reports nothing as deleted that the service only did not show',
		async () => {
			const LIST = /\/containers$/;
			const ids = ['One', 'Two', 'Three'].map((name) => e2e.sandbox.addContainer({ name }).uuid);
			const id = await start('containerDeleted', 5);
			const answers: FaultKind[] = [
				{ kind: 'status', status: 204, body: '' },
				{ kind: 'webPage' },
				{ kind: 'body', body: '{"error":"try again"}' },
			];
			for (const [number, answer] of answers.entries()) {
				e2e.sandbox.faults.add({ ...answer, path: LIST });
				await until(`${number + 1} failed polls`, async () => (await errorsOf(id)).length > number);
			}
			e2e.sandbox.faults.add({ kind: 'body', body: '[]', path: LIST });
			const before = countOf(LIST);
			await until('two more polls', () => countOf(LIST) >= before + 2);

			expect(await errorsOf(id)).toHaveLength(answers.length);
			expect(await itemsOf(id)).toEqual([]);

			e2e.sandbox.state.containers.delete(ids[1]);
			await until('the deletion', async () => (await itemsOf(id)).length > 0);
			expect(await itemsOf(id)).toEqual([{ containerId: ids[1], name: 'Two' }]);
			await e2e.server.deactivate(id);
		},
		TEST_TIMEOUT,
	);

	it(
		'finds all changes of rules, also where one poll has no time to read them all',
		async () => {
			e2e.sandbox.reset();
			const RULES = /\/drm$/;
			const ids = Array.from(
				{ length: 40 },
				(_, number) =>
					e2e.sandbox.addContainer({ name: `Slow ${number}`, rules: { opens: 1 } }).uuid,
			);
			const id = await start('drmChanged', 10);
			expect(countOf(RULES)).toBeGreaterThanOrEqual(ids.length);
			e2e.sandbox.faults.add({
				kind: 'stallHeaders',
				ms: 1500,
				path: RULES,
				times: Number.POSITIVE_INFINITY,
			});
			// n8n drops what the poll at activation saved, so the first round of scheduled polls counts.
			await until('one round', () => countOf(RULES) > ids.length * 2 + 25);
			const changed = [...ids].sort().filter((_id, place) => [0, 19, 39].includes(place));
			for (const uuid of changed) {
				const container = e2e.sandbox.state.containers.get(uuid);
				if (container) container.rules = { ...container.rules, opens: 2 };
			}

			await until('all changes', async () => (await itemsOf(id)).length >= changed.length);
			const before = countOf(RULES);
			await until('one more round', () => countOf(RULES) > before + ids.length);

			const items = await itemsOf(id);
			expect(items.map(({ containerId }) => containerId).sort()).toEqual(changed);
			// n8n 1 has no such scheduler: it starts polls while a longer one runs, and those fail.
			const failures = (await errorsOf(id)).filter(
				(message) => !IS_N8N_1 || message !== 'The previous poll is still running',
			);
			expect(failures).toEqual([]);
			expect(await e2e.log()).not.toContain('was abandoned');
		},
		TEST_TIMEOUT,
	);
});
