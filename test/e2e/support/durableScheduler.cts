import type { IDataObject } from 'n8n-workflow';
import { buildWorkflow, TRIGGER_TYPE } from '../../../tools/realN8n/workflow.cts';
import { pollEvery } from './polls.cts';
import { startTestEnvironment, type TestEnvironment } from './testEnvironment.cts';

const DURABLE_SCHEDULER = {
	N8N_SCHEDULER_ENABLED: 'true',
	N8N_SCHEDULER_POLL_TRIGGERS_ENABLED: 'true',
	N8N_POLLER_DURABLE_CURSORS_ENABLED: 'true',
	N8N_USE_WORKFLOW_PUBLICATION_SERVICE: 'true',
	N8N_SCHEDULER_POLL_TIMEOUT: '8',
	N8N_SCHEDULER_MATERIALIZATION_INTERVAL: '2',
	DB_PING_TIMEOUT_MS: '60000',
};

/** n8n with its durable scheduler, for the tests of one file. */
export function useDurableScheduler() {
	let e2e: TestEnvironment;
	beforeAll(async () => {
		e2e = await startTestEnvironment({ timezone: 'UTC', env: DURABLE_SCHEDULER });
	});
	afterAll(async () => await e2e?.stop());

	return {
		get sandbox() {
			return e2e.sandbox;
		},

		log: async () => await e2e.log(),

		/** Creates and activates a workflow with the trigger, and returns its ID. */
		async start(event: string, seconds: number) {
			const trigger = {
				name: 'Trigger',
				type: TRIGGER_TYPE,
				credentials: e2e.credentials,
				parameters: { event, pollTimes: pollEvery(seconds) },
			};
			const next = { name: 'Next', type: 'n8n-nodes-base.noOp' };
			const id = await e2e.server.createWorkflow(buildWorkflow([trigger, next], { name: event }));
			await e2e.server.activate(id);
			return id;
		},

		/** The messages of the executions that failed. */
		async errorsOf(id: string) {
			const failed = (await e2e.server.executions(id)).filter(({ status }) => status === 'error');
			return await Promise.all(
				failed.map(async (summary) => (await e2e.server.execution(summary.id)).error?.message),
			);
		},

		/** What the trigger has emitted, oldest first. */
		async itemsOf(id: string): Promise<IDataObject[]> {
			const summaries = await e2e.server.executions(id);
			const ended = summaries.filter(({ status }) => status === 'success').reverse();
			const executions = await Promise.all(
				ended.map(async (summary) => await e2e.server.execution(summary.id)),
			);
			return executions.flatMap((execution) => execution.json('Trigger'));
		},

		/** How many requests the sandbox has received. */
		countOf: (path: RegExp) =>
			e2e.sandbox.requests.filter((request) => path.test(request.path)).length,
	};
}
