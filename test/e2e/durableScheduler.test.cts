import { setTimeout as wait } from 'node:timers/promises';
import type { IDataObject } from 'n8n-workflow';
import { buildWorkflow, TRIGGER_TYPE } from '../../tools/realN8n/workflow.cts';
import {
	pollEvery,
	startTestEnvironment,
	until,
	type TestEnvironment,
} from './support/testEnvironment.cts';

const DURABLE_SCHEDULER = {
	N8N_SCHEDULER_ENABLED: 'true',
	N8N_SCHEDULER_POLL_TRIGGERS_ENABLED: 'true',
	N8N_POLLER_DURABLE_CURSORS_ENABLED: 'true',
	N8N_USE_WORKFLOW_PUBLICATION_SERVICE: 'true',
	N8N_SCHEDULER_POLL_TIMEOUT: '5',
	N8N_SCHEDULER_MATERIALIZATION_INTERVAL: '2',
};
const RULES = /\/drm$/;
const LIST = /\/users\/[^/]+\/containers(\?|$)/;

describe("the trigger with n8n's durable scheduler", () => {
	let e2e: TestEnvironment;
	beforeAll(async () => {
		e2e = await startTestEnvironment({ env: DURABLE_SCHEDULER });
	});
	afterAll(async () => await e2e?.stop());

	const executionsOf = async (id: string, wanted: string) => {
		const summaries = await e2e.server.executions(id);
		const found = summaries.filter(({ status }) => status === wanted);
		return await Promise.all(found.map(async (one) => await e2e.server.execution(one.id)));
	};
	const itemsOf = async (id: string): Promise<IDataObject[]> =>
		(await executionsOf(id, 'success')).flatMap((execution) => execution.json('Trigger'));
	const countOf = (path: RegExp) =>
		e2e.service.requests.filter((request) => path.test(request.path)).length;

	it('finds all changes of rules, also where one poll has no time to read them all', async () => {
		const { service } = e2e;
		await service.clear();
		const ids: string[] = [];
		while (ids.length < 12) ids.push(await service.addContainer({ rules: { opens: 1 } }));
		const trigger = {
			name: 'Trigger',
			type: TRIGGER_TYPE,
			credentials: e2e.credentials,
			parameters: { event: 'drmChanged', pollTimes: pollEvery(6) },
		};
		const next = { name: 'Next', type: 'n8n-nodes-base.noOp' };
		const id = await e2e.server.createWorkflow(buildWorkflow([trigger, next]));
		await e2e.server.activate(id);
		expect(countOf(RULES)).toBeGreaterThanOrEqual(ids.length);
		service.on({ path: RULES, times: Infinity }, async (_request, pass) => {
			await wait(1500);
			return await pass();
		});
		// n8n drops what the poll at activation saved, so the first round of scheduled polls counts. What one poll reads is
		// saved when the next one has begun.
		const readIds = (from: number) =>
			new Set(
				service.requests
					.slice(from)
					.filter(({ path }) => RULES.test(path))
					.map(({ path }) => path.split('/').at(-2)),
			);
		const start = service.requests.length;
		await until('one round', () => readIds(start).size === ids.length);
		const lists = countOf(LIST);
		await until('two more polls', () => countOf(LIST) >= lists + 2);
		const changed = [...ids].sort().filter((_id, place) => [0, 5, 11].includes(place));
		for (const uuid of changed) await service.setRules(uuid, { opens: 2 });

		await until('all changes', async () => (await itemsOf(id)).length >= changed.length);
		const before = countOf(RULES);
		await until('one more round', () => countOf(RULES) > before + ids.length);

		const items = await itemsOf(id);
		expect(items.map(({ containerId }) => containerId).sort()).toEqual(changed);
		// On a busy machine, the time can be over before anything was read. Nothing else fails.
		const errors = (await executionsOf(id, 'error')).map(({ error }) => error?.message);
		expect(errors.filter((message) => !message?.includes('too slowly for a poll'))).toEqual([]);
		expect(await e2e.n8n.log()).not.toContain('was abandoned');
	}, 600_000);
});
