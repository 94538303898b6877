import { join } from 'node:path';
import {
	copyExampleFile,
	exampleWorkflow,
	withFile,
	withRevocation,
} from '../../tools/demoService.cts';
import { executeInEngine } from '../../tools/engine/engine.cts';
import { readExamples, withCredentials } from '../../tools/examples.cts';
import type { Execution } from '../../tools/realN8n/execution.cts';
import type { WorkflowJson } from '../../tools/realN8n/workflow.cts';
import { setup } from './support/setup.cts';
import { startTestEnvironment, type TestEnvironment } from './support/testEnvironment.cts';

const ID_OR_DATE = /[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}|\d{4}-\d\d-\d\d(T[\d:.]+Z)?/g;

describe('the demo', () => {
	let e2e: TestEnvironment;
	beforeAll(async () => {
		e2e = await startTestEnvironment();
	});
	afterAll(async () => await e2e?.stop());

	/** Everything that the demo prints, without what differs from run to run. */
	const summarize = (execution: Execution) => {
		const [upload] = e2e.sandbox.requests.filter(({ parts }) => parts !== undefined);
		const printed = {
			error: execution.error,
			envelope: execution.json('Encrypt the Invoice'),
			container: execution.json('Get the Container'),
			rules: execution.json('Rules After'),
			manifest: upload.body,
			parts: upload.parts,
		};
		return JSON.parse(JSON.stringify(printed).replace(ID_OR_DATE, 'ID or date')) as typeof printed;
	};

	it("gets the same envelope, manifest and rules in n8n's execution engine as in the complete n8n", async () => {
		const example = (await readExamples()).get(exampleWorkflow) as WorkflowJson;
		const workflow = withRevocation(withCredentials(example, e2e.credentials));
		const path = await copyExampleFile(e2e.n8n.files);
		const id = await e2e.server.createWorkflow(withFile(workflow, path));
		const [trigger] = workflow.nodes.filter(({ type }) => type.endsWith('.manualTrigger'));
		const complete = summarize(await e2e.server.runWorkflow(id, trigger.name));

		e2e.sandbox.reset();
		const folder = join(e2e.n8n.folder, 'engine');
		const engine = summarize(
			await executeInEngine({
				tarball: setup.read().tarball,
				folder,
				caPath: e2e.sandbox.caPath,
				workflow: withFile(workflow, await copyExampleFile(join(folder, 'files'))),
				credential: { baseUrl: e2e.sandbox.url, apiKey: e2e.sandbox.apiKey },
			}),
		);

		expect(complete.error).toBeUndefined();
		expect(complete.envelope).toHaveLength(1);
		expect(complete.parts).toHaveLength(2);
		expect(engine).toEqual(complete);
	});
});
