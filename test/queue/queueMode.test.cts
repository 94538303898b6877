import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import {
	exampleFile,
	exampleWorkflow,
	readExamples,
	withCredentials,
	withFile,
} from '../../tools/examples.cts';
import type { Execution, WorkflowJson } from '../../tools/realN8n/workflow.cts';
import { startQueueMode, type QueueMode } from './support/queueMode.cts';

const TRIGGER = 'When Clicking Execute';
const SOURCE = 'Read the Invoice';
const sha256 = (content: Buffer) => createHash('sha256').update(content).digest('hex');

/** The invoice example, with the file from a webhook instead of from a folder. */
async function invoiceWorkflow(
	path: string,
	credentials: QueueMode['credentials'],
): Promise<WorkflowJson> {
	const file = (await readExamples()).get(exampleWorkflow) as WorkflowJson;
	const example = withCredentials(withFile(file, exampleFile), credentials);
	const nodes = example.nodes.filter(({ name }) => name !== TRIGGER);
	const connections = { ...example.connections };
	delete connections[TRIGGER];
	return {
		...example,
		connections,
		nodes: nodes.map((node) => {
			if (node.name !== SOURCE) return node;
			return {
				...node,
				type: 'n8n-nodes-base.webhook',
				typeVersion: 2,
				webhookId: path,
				parameters: { httpMethod: 'POST', path, responseMode: 'lastNode', options: {} },
			};
		}),
	};
}

describe('the invoice workflow in queue mode: a main process and a worker', () => {
	let queue: QueueMode;
	let workflowId: string;
	beforeAll(async () => {
		queue = await startQueueMode();
		const { server } = queue;
		workflowId = await server.createWorkflow(await invoiceWorkflow('invoices', queue.credentials));
		await server.activate(workflowId);
	}, 900_000);
	beforeEach(() => queue.sandbox.reset());
	afterAll(async () => await queue?.stop(), 120_000);

	/** Sends files in one request to the webhook. */
	const send = async (files: Array<{ name: string; content: Buffer }>) => {
		const form = new FormData();
		const type = 'application/pdf';
		for (const [index, { name, content }] of files.entries()) {
			form.append(index === 0 ? 'data' : `data${index}`, new File([content], name, { type }));
		}
		const before = await queue.server.executions(workflowId);
		const response = await queue.server.call('/webhook/invoices', { method: 'POST', body: form });
		const responseBody: unknown = await response.json();
		const [{ id }] = await queue.server.waitForExecutions(workflowId, before.length + 1);
		return { id, responseBody, execution: await queue.server.execution(id) };
	};
	const receivedFiles = () =>
		queue.sandbox.requests
			.flatMap(({ parts = [] }) => parts)
			.filter(({ name }) => name === 'file')
			.map(({ filename, size, sha256: digest }) => ({ name: filename, size, sha256: digest }));
	const factsOf = (name: string, content: Buffer) => ({
		name,
		size: content.length,
		sha256: sha256(content),
	});
	const stores = (execution: Execution) =>
		execution.binaries(SOURCE).map(({ data }) => data.id?.split(':')[0]);
	const expectInWorker = async (id: string) => {
		const { main, worker } = await queue.logs();
		expect(main).toContain(`Enqueued execution ${id} `);
		expect(worker).toContain(`Worker started execution ${id} `);
		expect(worker).toContain(`Worker finished execution ${id} `);
		expect(main).not.toContain(`Worker started execution ${id} `);
	};

	it('sends a file from the main process, byte for byte, from the worker', async () => {
		const content = await readFile(exampleFile);

		const { id, responseBody, execution } = await send([
			{ name: 'invoice-2026-0042.pdf', content },
		]);

		expect(execution.error).toBeUndefined();
		expect(receivedFiles()).toEqual([factsOf('invoice-2026-0042.pdf', content)]);
		expect(stores(execution)).toEqual([queue.fileStore]);
		await expectInWorker(id);
		const [{ uuid }] = [...queue.sandbox.state.containers.values()];
		expect(responseBody).toMatchObject({ container: { uuid, name: 'invoice-2026-0042.pdf' } });
		expect(queue.sandbox.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
			'GET /api/v1/me',
			`POST /api/v1/users/${queue.sandbox.user.id}/containers/encode`,
			`GET /api/v1/containers/${uuid}`,
		]);
	});

	it('shows in the execution why the worker could not encrypt the file', async () => {
		queue.sandbox.faults.add({ kind: 'status', status: 413, method: 'POST' });
		const content = Buffer.from('%PDF-1.7 refused');

		const { id, execution } = await send([{ name: 'refused.pdf', content }]);

		expect(execution.status).toBe('error');
		expect(execution.error).toMatchObject({
			httpCode: '413',
			message: expect.stringContaining('larger than the service accepts'),
		});
		expect(queue.sandbox.state.containers.size).toBe(0);
		await expectInWorker(id);
	});

	it('shows the API key in neither log', async () => {
		const { main, worker } = await queue.logs();
		expect(main + worker).toContain('execution');
		expect(main + worker).not.toContain(queue.sandbox.apiKey);
	});
});
