import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { defaultCredentials, storeBinary } from '../support/engine.cts';
import { mockService } from '../support/nock.cts';
import { agentWays, runAgent } from './support/agent.cts';
import { userId } from './support/operations.cts';

const service = mockService();

const fromModel = (name: string) => `={{ $fromAI('${name}', 'what it says', 'string') }}`;
const options = { userId, maxRetries: 0 };

interface ToolCase {
	resource: string;
	operation: string;
	parameters: INodeParameters;
	call: IDataObject;
	method: 'get' | 'post' | 'patch' | 'delete';
	path: string;
	body?: unknown;
	response: unknown;
	result: unknown;
}

const container = { containerId: { __rl: true, mode: 'id', value: fromModel('id') } };

/** All operations take the same two ways: these differ in what a call of the model becomes. */
const cases: ToolCase[] = [
	{
		resource: 'container',
		operation: 'get',
		parameters: container,
		call: { id: 'c?1' },
		method: 'get',
		path: '/containers/c%3F1',
		response: { uuid: 'c?1' },
		result: [{ containerId: 'c?1', uuid: 'c?1' }],
	},
	{
		resource: 'container',
		operation: 'delete',
		parameters: container,
		call: { id: 'c-1' },
		method: 'delete',
		path: '/containers/c-1',
		response: '',
		result: [{ deleted: true, containerId: 'c-1' }],
	},
	{
		resource: 'drm',
		operation: 'update',
		parameters: {
			...container,
			rules: { opens: "={{ $fromAI('opens', 'how often', 'number') }}" },
		},
		call: { id: 'c-1', opens: 3 },
		method: 'patch',
		path: '/containers/c-1/drm',
		body: { opens: 3 },
		response: { opens: 3 },
		result: [{ containerId: 'c-1', changed: true, opens: 3 }],
	},
	{
		resource: 'container',
		operation: 'encode',
		parameters: {
			textContent: fromModel('content'),
			textFileName: 'report.md',
			name: fromModel('name'),
			recipients: 'anna@example.com',
			accessEnds: 'never',
		},
		call: { content: 'Revenue grew.', name: 'Report' },
		method: 'post',
		path: `/users/${userId}/containers/encode`,
		response: { org_id: userId, container: { uuid: 'c-1' } },
		result: [
			{
				containerId: 'c-1',
				org_id: userId,
				container: { uuid: 'c-1' },
				settings: {
					name: 'Report',
					recipients: ['anna@example.com'],
					downloadable: false,
					drm: { dynamic: true },
					emailTo: 'anna@example.com',
					endsOn: null,
					link: null,
				},
			},
		],
	},
];

const parametersOf = ({ resource, operation, parameters }: ToolCase) =>
	({ resource, operation, options, ...parameters }) as INodeParameters;
const interceptor = ({ method, path, body }: ToolCase, times = 1) => {
	const scope = service.scope();
	// What an update changes.
	if (method === 'patch') scope.get(path).times(times).optionally().reply(200, { opens: 9 });
	return scope[method](path, body as never).times(times);
};

describe.each(agentWays)('as the tool of an agent that calls it (%s)', (way) => {
	it.each(cases)('$resource: $operation does what the model requests', async (tool) => {
		interceptor(tool).reply(200, tool.response as never);

		const { results } = await runAgent({
			parameters: parametersOf(tool),
			calls: [tool.call],
			way,
		});

		expect(results.map((calls) => calls.map((result) => JSON.parse(result) as unknown))).toEqual([
			[tool.result],
		]);
	});

	it.each<[string, INodeParameters]>([
		['sync', { email: 'a@x.example' }],
		['syncRecipients', { containerId: 'c-1', email: 'a@x.example' }],
		['removeEverywhere', { email: 'a@x.example' }],
		['check', { onViolation: 'revoke' }],
		['check', { onViolation: fromModel('action') }],
	])('%s changes nothing, because it can change many records', async (operation, more) => {
		const policy = { policy: 'fields', policyFields: { requireEnd: true } };
		const resource = operation === 'sync' ? 'contact' : 'drm';
		const parameters = { resource, operation, ...policy, ...more, options };

		const { results } = await runAgent({ parameters, calls: [{ action: 'fix' }], way });

		expect(results[0][0]).toMatch(/As a tool, this operation needs \\"Dry Run\\"/);
		expect(service.requests).toEqual([]);
	});

	it.each(['upsert', 'sync'])('%s sends none of what the agent received', async (operation) => {
		const parameters = { resource: 'contact', operation, email: fromModel('email') };
		const { results } = await runAgent({
			parameters: {
				...{ ...parameters, dataToSend: 'autoMapInputData', dryRun: true },
				options,
			},
			...{ items: [{ json: { chatInput: 'secret' } }], calls: [{ email: 'a@x.example' }], way },
		});

		expect(results[0][0]).toMatch(/A tool can't use/);
		expect(service.requests).toEqual([]);
	});
});

it.each(agentWays)(
	'a file of a node before the agent can be sent by reference: %s',
	async (way) => {
		const data = await storeBinary(Buffer.from('x'), { fileName: 'x.txt', mimeType: 'text/plain' });
		service
			.post(`/users/${userId}/containers/encode`, /filename="x.txt"/)
			.reply(200, { container: { uuid: 'c-1' } });

		const { results } = await runAgent({
			parameters: {
				...{ resource: 'container', operation: 'encode', fileSource: 'named', options },
				...{ binaryPropertyName: "={{ $('Input').first().binary.data }}", name: 'Report' },
				recipients: 'anna@example.com',
			},
			calls: [{}],
			items: [{ json: {}, binary: { data } }],
			way,
		});

		expect(JSON.parse(results[0][0])).toMatchObject([{ containerId: 'c-1' }]);
	},
);

describe('as the tool of an agent that calls it by itself', () => {
	it('it has a name, a description and a schema of the fields that the model fills in', async () => {
		const [tool] = cases;
		interceptor(tool).reply(200, tool.response as never);

		const { name, description, accepts } = await runAgent({
			parameters: parametersOf(tool),
			calls: [tool.call],
		});

		expect(name).toBe('Encrypted_Containers');
		expect(description).toMatch(/\w/);
		expect(accepts({ id: 'c-1' })).toBe(true);
		expect(accepts({})).toBe(false);
		expect(accepts({ id: 5 })).toBe(false);
	});

	it('it tells the model what went wrong, without the API key', async () => {
		const [tool] = cases;
		interceptor(tool).reply(404, { message: `No such container for ${defaultCredentials.apiKey}` });

		const { results, log } = await runAgent({ parameters: parametersOf(tool), calls: [tool.call] });

		expect(JSON.parse(results[0][0])).toEqual([
			{
				containerId: 'c?1',
				error: expect.stringMatching(/The container "c\?1" was not found/),
				errorDescription: expect.stringMatching(/Check that you entered its ID/),
				httpCode: '404',
			},
		]);
		expect([...results[0], ...log].join('\n')).not.toContain(defaultCredentials.apiKey);
	});

	it.each([
		['a refusal', 422, 3, /did not accept/],
		['an unknown outcome', 500, 1, /Retry On Fail did not send it again/],
	])('with Retry On Fail: repeats %s only where it can', async (_what, status, count, message) => {
		const tool = cases[cases.length - 1];
		interceptor(tool, count).reply(status, { message: 'no' });

		const { results } = await runAgent({
			parameters: parametersOf(tool),
			calls: [tool.call],
			settings: { retryOnFail: true, waitBetweenTries: 1 },
		});

		expect(service.requests).toHaveLength(count);
		const [{ error, errorDescription }] = JSON.parse(results[0][0]) as IDataObject[];
		expect(`${String(error)} ${String(errorDescription)}`).toMatch(message);
	});

	it('with Retry On Fail: each call has its own tries, and its own result', async () => {
		const [tool] = cases;
		interceptor(tool).reply(422, { message: 'no' });
		interceptor(tool, 2).reply(200, tool.response as never);

		const { results } = await runAgent({
			parameters: parametersOf(tool),
			calls: [tool.call, { ...tool.call }],
			settings: { retryOnFail: true, waitBetweenTries: 1 },
		});

		expect(results[0].map((result) => JSON.parse(result) as unknown)).toEqual([
			tool.result,
			tool.result,
		]);
	});
});
