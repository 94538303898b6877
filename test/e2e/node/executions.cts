import type { INodeParameters } from 'n8n-workflow';
import { buildWorkflow, NODE_TYPE, START } from '../../../tools/realN8n/workflow.cts';
import { startMockChatModel, type MockChatModel } from '../support/mocks/local.cts';
import { code, containerById, type TestEnvironment } from '../support/testEnvironment.cts';

const RULES = { dynamic: true, time: { end: '2099-12-31' }, recipients: ['ada@example.com'] };
const CONTAINERS = 20;
const PAIRS = 5;

export function testExecutions(test: { e2e: TestEnvironment }): void {
	let model: MockChatModel;
	beforeAll(async () => {
		model = await startMockChatModel();
	});
	afterAll(async () => await model?.stop());

	describe('an agent of n8n', () => {
		const fromModel = (name: string) => `={{ $fromAI('${name}', '', 'string') }}`;

		/** Runs n8n's own agent with these tools, which are our node with its defaults. */
		async function runAgent(tools: Record<string, INodeParameters>) {
			const { server, credentials } = test.e2e;
			const openAi = { name: 'Model', type: 'openAiApi' };
			const data = { apiKey: model.apiKey, url: model.baseUrl };
			const id = await server.createCredential({ ...openAi, data });
			const langchain = '@n8n/n8n-nodes-langchain';
			const workflow = buildWorkflow([
				START,
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
				...Object.entries(tools).map(([name, parameters]) => ({
					name,
					type: `${NODE_TYPE}Tool`,
					credentials,
					parameters,
					to: [],
				})),
			]);
			const connect = (name: string, type: 'ai_languageModel' | 'ai_tool') => {
				workflow.connections[name] = { [type]: [[{ node: 'Agent', type, index: 0 }]] };
			};
			connect('Model', 'ai_languageModel');
			for (const name of Object.keys(tools)) connect(name, 'ai_tool');
			return await server.runWorkflow(await server.createWorkflow(workflow), START.name);
		}

		it('encodes a text that the model writes, and revokes access to it', async () => {
			let results: string[] = [];
			model.respond = ({ messages, tools = [] }) => {
				const toolNamed = (words: string) =>
					tools.find(({ function: { name } }) => name.includes(words))?.function.name ?? 'none';
				results = messages.flatMap(({ role, content }) => (role === 'tool' ? [content ?? ''] : []));
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
				'Encode (encrypt) files into a container in Encrypted Containers',
				'Revoke access to a container in Encrypted Containers',
			]);
			const [upload] = test.e2e.sandbox.requests.filter(({ method }) => method === 'POST');
			expect(upload.parts?.find(({ name }) => name === 'file')).toMatchObject({
				filename: 'report.md',
				size: 'Revenue grew.'.length,
			});
			const containers = [...test.e2e.sandbox.state.containers.values()];
			expect(containers).toMatchObject([
				{
					name: 'Report',
					rules: {
						recipients: ['ada@example.com'],
						time: { end: expect.stringMatching(/^\d{4}-\d\d-\d\d$/) },
					},
				},
			]);
			expect(results[1]).toContain(containers[0].uuid);
		});
	});

	describe('executions with Retry On Fail', () => {
		const create = async (ids: string[], parameters: INodeParameters) =>
			await test.e2e.server.createWorkflow(
				buildWorkflow([
					START,
					code('Items', `return ${JSON.stringify(ids)}.map((id) => ({ json: { id } }));`),
					test.e2e.node('Operation', parameters, {
						retryOnFail: true,
						maxTries: 3,
						waitBetweenTries: 10,
					}),
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
		const names = () => [...test.e2e.sandbox.state.containers.values()].map(({ name }) => name);

		it.each(['create', 'reuse'])('create each container once (%s)', async (ifExists) => {
			test.e2e.sandbox.faults.add({ kind: 'status', status: 422, method: 'POST', nth: 3 });
			const wanted = ['A', 'B', 'C', 'D'].map((name) => `${name} of ${ifExists}`);

			const id = await create(wanted, encode(ifExists));
			const execution = await test.e2e.server.runWorkflow(id, START.name);

			expect(execution.error).toBeUndefined();
			expect(names()).toEqual(wanted);
			const output = execution.items('Operation');
			expect(output).toMatchObject(
				wanted.map((name, item) => ({ json: { container: { name } }, pairedItem: { item } })),
			);
		});

		it('undo and double nothing at the same moment, and n8n responds meanwhile', async () => {
			const ids = Array.from(
				{ length: CONTAINERS },
				(_value, index) =>
					test.e2e.sandbox.addContainer({ uuid: `kept-${index}`, rules: RULES }).uuid,
			);
			const onRules = (operation: string, more: INodeParameters = {}): INodeParameters => ({
				resource: 'drm',
				operation,
				...containerById('={{ $json.id }}'),
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
					await test.e2e.server.call('/healthz', {});
					longest = Math.max(longest, Date.now() - start);
					await new Promise((resolve) => setTimeout(resolve, 50));
				}
			})();

			const executions = await Promise.all(
				workflows.map(async (id) => await test.e2e.server.runWorkflow(id, START.name)),
			);
			isOver = true;
			await watching;

			expect(executions.map(({ error }) => error).filter(Boolean)).toEqual([]);
			expect(names().filter((name) => name === 'Shared')).toHaveLength(1);
			for (const id of ids) {
				const { time, recipients } = test.e2e.sandbox.state.containers.get(id)
					?.rules as typeof RULES;
				expect(time.end < '2099').toBe(true);
				expect(recipients).toHaveLength(PAIRS + 1);
			}
			expect(longest).toBeLessThan(3000);
		}, 170_000);
	});
}
