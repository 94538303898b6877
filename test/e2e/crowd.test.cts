import type { INodeParameters } from 'n8n-workflow';
import { buildWorkflow } from '../../tools/realN8n/workflow.cts';
import { code } from './support/nodes.cts';
import { startTestEnvironment, type TestEnvironment } from './support/testEnvironment.cts';

const RULES = { dynamic: true, time: { end: '2099-12-31' }, recipients: ['ada@example.com'] };
const CONTAINERS = 20;
const PAIRS = 8;

describe('the real n8n', () => {
	let e2e: TestEnvironment;
	beforeAll(async () => {
		e2e = await startTestEnvironment();
	});
	beforeEach(() => e2e.sandbox.reset());
	afterAll(async () => await e2e?.stop());

	const create = async (ids: string[], parameters: INodeParameters) =>
		await e2e.server.createWorkflow(
			buildWorkflow([
				{ name: 'Start', type: 'n8n-nodes-base.manualTrigger' },
				code('Items', `return ${JSON.stringify(ids)}.map((id) => ({ json: { id } }));`),
				e2e.node('Operation', parameters, { retryOnFail: true, maxTries: 3, waitBetweenTries: 10 }),
			]),
		);
	const encode = (ifExists: string): INodeParameters => ({
		resource: 'container',
		operation: 'encode',
		fileSource: 'text',
		textContent: 'confidential',
		textFileName: 'report.txt',
		name: '={{ $json.id }}',
		recipients: 'ada@example.com',
		options: { ifExists, maxConcurrent: 1, maxRetries: 0 },
	});
	const names = () => [...e2e.sandbox.state.containers.values()].map(({ name }) => name);

	it('creates each container once with Retry On Fail', async () => {
		e2e.sandbox.faults.add({ kind: 'status', status: 422, method: 'POST', nth: 3 });

		const id = await create(['A', 'B', 'C', 'D'], encode('create'));
		const execution = await e2e.server.runWorkflow(id, 'Start');

		expect(execution.error).toBeUndefined();
		expect(execution.json('Operation')).toHaveLength(4);
		expect(names()).toEqual(['A', 'B', 'C', 'D']);
	});

	it('undoes and doubles nothing in executions at the same moment, and responds meanwhile', async () => {
		const ids = Array.from(
			{ length: CONTAINERS },
			(_value, index) => e2e.sandbox.addContainer({ uuid: `kept-${index}`, rules: RULES }).uuid,
		);
		const onRules = (operation: string, more: INodeParameters = {}): INodeParameters => ({
			resource: 'drm',
			operation,
			containerId: { __rl: true, mode: 'id', value: '={{ $json.id }}' },
			...more,
			options: {},
		});
		// n8n 1 can't store workflows at the same moment.
		const workflows: string[] = [];
		for (let index = 0; index < PAIRS; index += 1) {
			const rules = { addRecipients: `p${index}@example.com` };
			workflows.push(await create(ids, onRules('update', { rules })));
			const isRevoking = index === 0;
			workflows.push(
				await (isRevoking ? create(ids, onRules('revoke')) : create(['Shared'], encode('reuse'))),
			);
		}
		let longest = 0;
		let isOver = false;
		const watching = (async () => {
			while (!isOver) {
				const start = Date.now();
				await e2e.server.call('/healthz', {});
				longest = Math.max(longest, Date.now() - start);
				await new Promise((resolve) => setTimeout(resolve, 50));
			}
		})();

		const executions = await Promise.all(
			workflows.map(async (id) => await e2e.server.runWorkflow(id, 'Start')),
		);
		isOver = true;
		await watching;

		expect(executions.map(({ error }) => error).filter(Boolean)).toEqual([]);
		expect(names().filter((name) => name === 'Shared')).toHaveLength(1);
		for (const id of ids) {
			const { time, recipients } = e2e.sandbox.state.containers.get(id)?.rules as typeof RULES;
			expect(time.end < '2099').toBe(true);
			expect(recipients).toHaveLength(PAIRS + 1);
		}
		expect(longest).toBeLessThan(3000);
	}, 170_000);
});
