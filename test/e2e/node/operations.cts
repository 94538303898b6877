import type { IDataObject, INodeParameters } from 'n8n-workflow';
import type { NodeOptions } from '../../../tools/realN8n/workflow.cts';
import { code, containerById, type TestEnvironment } from '../support/testEnvironment.cts';

const KEYS = ['first', 'second', 'third'];
const RULES = { dynamic: true, opens: 3, recipients: ['ada@example.com'] };
/** The last day that is over everywhere. */
const lastDay = () => new Date(Date.now() - 36 * 3_600_000).toISOString().slice(0, 10);

const items = (list: IDataObject[]): NodeOptions =>
	code('Items', `return ${JSON.stringify(list)}.map((json) => ({ json }));`);

/** A node that looks up the paired item in Items for each of its items. */
const linked: NodeOptions = {
	name: 'Linked',
	type: 'n8n-nodes-base.set',
	typeVersion: 3.4,
	parameters: {
		mode: 'raw',
		jsonOutput: "={{ ({ key: $('Items').item.json.key, response: $json }) }}",
		options: {},
	},
};

const containerId = containerById('={{ $json.uuid }}');
const contactEmail = { __rl: true, mode: 'email', value: '={{ $json.email }}' };

interface Item {
	[name: string]: string | undefined;
	key: string;
	uuid?: string;
	email?: string;
}

interface Case {
	parameters: INodeParameters;
	/** The items, which are containers by default. */
	input?: () => Item[];
	/** Whether it lists all records for each item. */
	lists?: boolean;
	/** The requests of an item, without the user's part of the path. */
	requests: (item: Item) => string[];
	output: (item: Item) => object;
}

/** One path through each operation, with what only the real n8n shows: its lookup of the node, expressions and links of items. */
export function testOperations(test: { e2e: TestEnvironment }): void {
	const containers = () =>
		KEYS.map((key) => ({
			key,
			uuid: test.e2e.sandbox.addContainer({ name: `Container ${key}`, rules: { ...RULES } }).uuid,
		}));
	const contacts = () =>
		KEYS.map((key) => {
			const email = `${key}+news@example.com`;
			test.e2e.sandbox.addContact(email, { first_name: key });
			return { key, email };
		});
	const newContacts = () => KEYS.map((key) => ({ key, email: `${key}@example.com` }));
	const envelope = ({ key }: Item) => ({ container: { name: `Container ${key}` } });
	const address = ({ key }: Item, plus = '%2Bnews') => `/contacts/${key}${plus}%40example.com`;
	const ofContainers = (operation: string) => ({
		...{ resource: 'container', operation, ...containerId },
	});
	const ofRules = (operation: string, more = {}) => ({
		...{ resource: 'drm', operation, ...containerId, ...more },
	});
	const change = ({ uuid }: Item) =>
		['GET', 'PATCH'].map((one) => `${one} /containers/${uuid}/drm`);
	const cases: Record<string, Case> = {
		'container: encode': {
			parameters: {
				resource: 'container',
				operation: 'encode',
				name: '=Container {{ $json.key }}',
				recipients: 'ada@example.com',
				fileSource: 'text',
				textContent: 'confidential',
			},
			input: () => KEYS.map((key) => ({ key })),
			requests: () => ['POST /containers/encode'],
			output: envelope,
		},
		'container: get': {
			parameters: ofContainers('get'),
			requests: ({ uuid }) => [`GET /containers/${uuid}`],
			output: envelope,
		},
		'container: getEnvelope': {
			parameters: ofContainers('getEnvelope'),
			requests: ({ uuid }) => [`GET /containers/${uuid}`],
			output: envelope,
		},
		'container: getAll': {
			parameters: { resource: 'container', operation: 'getAll', returnAll: true },
			lists: true,
			requests: () => ['GET /containers'],
			output: envelope,
		},
		'container: delete': {
			parameters: ofContainers('delete'),
			requests: ({ uuid }) => [`DELETE /containers/${uuid}`],
			output: ({ uuid }) => ({ deleted: true, containerId: uuid }),
		},
		'drm: get': {
			parameters: ofRules('get'),
			requests: ({ uuid }) => [`GET /containers/${uuid}/drm`],
			output: ({ uuid }) => ({ containerId: uuid, ...RULES }),
		},
		'drm: update': {
			parameters: ofRules('update', { rules: { opens: 7 } }),
			requests: change,
			output: ({ uuid }) => ({ containerId: uuid, changed: true, ...RULES, opens: 7 }),
		},
		'drm: revoke': {
			parameters: ofRules('revoke'),
			requests: change,
			output: () => ({ changed: true, ...RULES, time: { end: lastDay() } }),
		},
		'contact: get': {
			parameters: { resource: 'contact', operation: 'get', contactEmail },
			input: contacts,
			requests: (item) => [`GET ${address(item)}`],
			output: ({ email }) => ({ email }),
		},
		'contact: getAll': {
			parameters: { resource: 'contact', operation: 'getAll', returnAll: true },
			input: contacts,
			lists: true,
			requests: () => ['GET /contacts'],
			output: ({ key }) => ({ first_name: key }),
		},
		'contact: upsert': {
			parameters: {
				resource: 'contact',
				operation: 'upsert',
				email: '={{ $json.email }}',
				dataToSend: 'defineBelow',
				fieldsUi: { fields: [{ name: 'company', value: '=Company {{ $json.key }}' }] },
			},
			input: newContacts,
			requests: (item) => [`PATCH ${address(item, '')}`],
			output: ({ key, email }) => ({ email, company: `Company ${key}` }),
		},
		'contact: delete': {
			parameters: { resource: 'contact', operation: 'delete', contactEmail },
			input: contacts,
			requests: (item) => [`DELETE ${address(item)}`],
			output: ({ email }) => ({ deleted: true, email }),
		},
		'user: getMe': {
			parameters: { resource: 'user', operation: 'getMe' },
			input: () => [{ key: 'first' }],
			requests: () => [],
			output: () => ({ id: test.e2e.sandbox.user.id, email: test.e2e.sandbox.user.email }),
		},
	};

	it.each(Object.entries(cases))(
		'an operation runs for each item, and a later node finds the item of each output: %s',
		async (_name, { parameters, input = containers, lists = false, requests, output }) => {
			const { sandbox, node, runWorkflow } = test.e2e;
			const list = input();
			const given = lists ? [{ key: 'the list' }] : list;

			const nodes = [items(given), node('Operation', parameters), linked];
			const execution = await runWorkflow(nodes);

			expect(execution.error).toBeUndefined();
			const sent = sandbox.requests
				.filter(({ path }) => !path.endsWith('/me'))
				.map(({ method, path }) => `${method} ${path.replace(/^\/api\/v1(\/users\/[^/]+)?/, '')}`);
			expect(sent.sort()).toEqual(given.flatMap(requests).sort());
			expect(execution.json('Linked')).toMatchObject(
				list.map((item) => ({ key: lists ? 'the list' : item.key, response: output(item) })),
			);
			for (const { headers } of sandbox.requests) {
				expect(headers.authorization).toBe(`Bearer ${sandbox.apiKey}`);
			}
		},
	);

	it('an item that fails is in the error output, and the others are not', async () => {
		const { node, runWorkflow } = test.e2e;
		const missing = '5f0c2a4e-8d1b-4c7a-9e36-2b7d1f4a6c90';
		const list = containers().map((item, index) =>
			index === 1 ? { ...item, uuid: missing } : item,
		);

		const execution = await runWorkflow([
			items(list),
			node('Operation', ofContainers('get'), {
				onError: 'continueErrorOutput',
				to: [['Linked'], ['Failures']],
			}),
			{ ...linked, to: [] },
			{ ...linked, name: 'Failures', to: [] },
		]);

		expect(execution.error).toBeUndefined();
		expect(execution.json('Linked').map(({ key }) => key)).toEqual(['first', 'third']);
		const error = expect.stringContaining('not found');
		expect(execution.json('Failures')).toEqual([
			{
				key: 'second',
				response: expect.objectContaining({ containerId: missing, error, httpCode: '404' }),
			},
		]);
	});
}
