import { createRequire } from 'node:module';
import type { INodeTypeDescription } from 'n8n-workflow';
import { getN8nVersion } from '../../tools/realN8n/installN8n.cts';
import { INSTANT_TRIGGER_TYPE, NODE_TYPE, TRIGGER_TYPE } from '../../tools/realN8n/workflow.cts';
import { startTestEnvironment, type TestEnvironment } from './support/testEnvironment.cts';

interface WorkflowSdk {
	generateNodeTypeFile(description: INodeTypeDescription): string;
}

/** Of what a model reads for each node that it might use. */
const MAX_BYTES = 45_000;
/** n8n adds it to each operation of a declarative node, about 1 kB each time. Nothing here can change that. */
const ADDED_BY_N8N = 'requestOptions';

// n8n 1 has no such definitions.
(getN8nVersion().name === '1' ? describe.skip : describe)('what builders of workflows read', () => {
	let e2e: TestEnvironment;
	beforeAll(async () => void (e2e = await startTestEnvironment()));
	afterAll(async () => await e2e?.stop());

	it.each([NODE_TYPE, TRIGGER_TYPE, INSTANT_TRIGGER_TYPE])('is short for %s', async (name) => {
		const { server, n8n } = e2e;
		const body = { nodeInfos: [{ name, version: 1 }] };
		const [description] = await server.rest<INodeTypeDescription[]>(
			'POST',
			'/rest/node-types',
			body,
		);
		// As n8n does it for a node that isn't its own.
		const sdk = createRequire(n8n.installed.program)('@n8n/workflow-sdk') as WorkflowSdk;
		const properties = description.properties.filter(
			({ name: property, type }) => type !== 'hidden' && property !== ADDED_BY_N8N,
		);
		const definition = sdk.generateNodeTypeFile({ ...description, name, properties });

		expect(definition).toContain('Params');
		expect(Buffer.byteLength(definition)).toBeLessThan(MAX_BYTES);
	});
});
