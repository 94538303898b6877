import type { INodeParameters } from 'n8n-workflow';
import { buildWorkflow, NODE_TYPE, type NodeOptions } from '../../tools/realN8n/workflow.cts';
import { startMockChatModel, type MockChatModel } from './support/mocks/chatModel.cts';
import { containerById } from './support/nodes.cts';
import { startTestEnvironment, type TestEnvironment } from './support/testEnvironment.cts';

let environment: TestEnvironment;
let model: MockChatModel;

beforeAll(async () => {
	[environment, model] = await Promise.all([startTestEnvironment(), startMockChatModel()]);
});
afterAll(async () => {
	await environment?.stop();
	await model?.stop();
});

const fromModel = (name: string) => `={{ $fromAI('${name}', '', 'string') }}`;

/** Runs n8n's own agent with these tools, which are our node with its defaults. */
async function runAgent(tools: Record<string, INodeParameters>) {
	const { server, credentials } = environment;
	const openAi = { name: 'Model', type: 'openAiApi' };
	const id = await server.createCredential({
		...openAi,
		data: { apiKey: model.apiKey, url: model.baseUrl },
	});
	const langchain = '@n8n/n8n-nodes-langchain';
	const toolNodes: NodeOptions[] = Object.entries(tools).map(([name, parameters]) => ({
		name,
		type: `${NODE_TYPE}Tool`,
		credentials,
		parameters,
		to: [],
	}));
	const workflow = buildWorkflow([
		{ name: 'Start', type: 'n8n-nodes-base.manualTrigger' },
		{
			name: 'Agent',
			type: `${langchain}.agent`,
			typeVersion: 3,
			parameters: { promptType: 'define', text: 'Share a report, then end access.' },
			to: [],
		},
		{
			name: 'Model',
			type: `${langchain}.lmChatOpenAi`,
			typeVersion: 1.2,
			credentials: { openAiApi: { id, name: openAi.name } },
			parameters: { model: { __rl: true, mode: 'id', value: 'a-model' } },
			to: [],
		},
		...toolNodes,
	]);
	const connect = (name: string, type: 'ai_languageModel' | 'ai_tool') => {
		workflow.connections[name] = { [type]: [[{ node: 'Agent', type, index: 0 }]] };
	};
	connect('Model', 'ai_languageModel');
	for (const name of Object.keys(tools)) connect(name, 'ai_tool');
	return await server.runWorkflow(await server.createWorkflow(workflow), 'Start');
}

describe('an agent of n8n', () => {
	it('encodes a text that the model writes, and revokes access to it', async () => {
		const results: string[] = [];
		model.respond = ({ messages, tools = [] }) => {
			const toolNamed = (words: string) =>
				tools.find(({ function: { name } }) => name.includes(words))?.function.name ?? 'none';
			results.splice(0);
			for (const { role, content } of messages) if (role === 'tool') results.push(content ?? '');
			if (results.length === 0) {
				return {
					tool: toolNamed('Share'),
					arguments: { content: 'Revenue grew.', name: 'Report', recipients: 'ada@example.com' },
				};
			}
			const uuid = /"uuid":"([^"]+)"/.exec(results[0])?.[1] ?? 'none';
			if (results.length === 1) return { tool: toolNamed('End'), arguments: { id: uuid } };
			return { text: 'Done.' };
		};

		const execution = await runAgent({
			'Share Text': {
				resource: 'container',
				operation: 'encode',
				textContent: fromModel('content'),
				textFileName: 'report.md',
				name: fromModel('name'),
				recipients: fromModel('recipients'),
			},
			'End Access': { resource: 'drm', operation: 'revoke', ...containerById(fromModel('id')) },
		});

		expect(execution.error).toBeUndefined();
		expect(execution.json('Agent')).toEqual([{ output: 'Done.' }]);
		const [{ tools = [] }] = model.requests;
		expect(tools.map((tool) => tool.function.description).sort()).toEqual([
			'Encode files into a container in Encrypted Containers',
			'Revoke access to a container in Encrypted Containers',
		]);
		const { sandbox } = environment;
		const [upload] = sandbox.requests.filter(({ method }) => method === 'POST');
		expect(upload.parts?.find(({ name }) => name === 'file')).toMatchObject({
			filename: 'report.md',
			size: 'Revenue grew.'.length,
		});
		const containers = [...sandbox.state.containers.values()];
		expect(containers).toEqual([
			expect.objectContaining({
				name: 'Report',
				rules: expect.objectContaining({
					recipients: ['ada@example.com'],
					time: { end: expect.stringMatching(/^\d{4}-\d\d-\d\d$/) },
				}),
			}),
		]);
		expect(results[1]).toContain(containers[0].uuid);
	});
});
