import type { IDataObject } from 'n8n-workflow';
import { NodeApiError, NodeOperationError } from 'n8n-workflow';
import { getLastDayOverEverywhere } from '../../nodes/shared/parameters/dates';
import { storedRecord } from '../support/engine.cts';
import { mockService } from '../support/nock.cts';
import { upsertBase, anna, pathOf } from './support/contacts.cts';
import { base as encodeBase, envelope, path as encodePath, settingsOf } from './support/encode.cts';
import {
	byId,
	contactEmail,
	containersPath,
	expectRefusal,
	inputItemId,
	itemsWith,
	newKey,
	operation,
	tries,
	userId,
} from './support/operations.cts';

const service = mockService();

type Body = '' | IDataObject | ((id: string) => IDataObject);

/** What becomes of `$json.id`, and what identifies a failed item. */
interface TestedOperation {
	name: string;
	parameters: IDataObject;
	ids: string[];
	method: 'get' | 'post' | 'patch' | 'delete';
	path: (id: string) => string;
	/** What is read before a change. */
	before?: IDataObject;
	response: Body;
	output: Body;
	errorFields: (id: string) => IDataObject;
}

const containers = ['c-1', 'c?2', 'ü 3'];
const addresses = ['a@example.com', 'b+b@example.com', 'c@example.com'];
const rules = { dynamic: true, opens: 5, recipients: [anna] };
const ended = { ...rules, time: { end: getLastDayOverEverywhere() } };
const entry = { uuid: 'c-1', email: anna };

const ofContainer = (
	name: string,
	method: TestedOperation['method'],
	path = (id: string) => `/containers/${id}`,
) => ({
	...{ name, method, parameters: byId('={{ $json.id }}'), ids: containers },
	path: (id: string) => path(encodeURIComponent(id)),
	errorFields: (id: string) => ({ containerId: id }),
});
const ofContact = (name: string, method: TestedOperation['method']) => ({
	...{ name, method, parameters: { contactEmail: contactEmail('={{ $json.id }}') } },
	...{ ids: addresses, path: pathOf, errorFields: (id: string) => ({ contactEmail: id }) },
});
const ofRules = (name: string, method: TestedOperation['method']) => ({
	...ofContainer(name, method, (id) => `/containers/${id}/drm`),
	...(method === 'patch' ? { before: rules } : {}),
});
const listOf = (resource: string): TestedOperation => ({
	...{ name: `${resource}: getAll`, method: 'get', ids: ['user-1', 'user?2', 'user-3'] },
	parameters: { returnAll: true, options: { userId: '={{ $json.id }}' } },
	path: (id) => `/users/${encodeURIComponent(id)}/${resource}s`,
	response: { items: [entry] },
	output: resource === 'container' ? { containerId: 'c-1', ...entry } : entry,
	errorFields: () => ({}),
});

const getContainer: TestedOperation = {
	...ofContainer('container: get', 'get'),
	response: (uuid) => ({ uuid, name: 'Invoice' }),
	output: (uuid) => ({ containerId: uuid, uuid, name: 'Invoice' }),
};
const upsertContact: TestedOperation = {
	...ofContact('contact: upsert', 'patch'),
	parameters: upsertBase,
	response: { first_name: 'Anna' },
	output: { first_name: 'Anna' },
};
const operations: TestedOperation[] = [
	getContainer,
	upsertContact,
	{
		...{ name: 'container: encode', parameters: encodeBase, ids: ['One', 'Two', 'Three'] },
		...{ method: 'post', path: () => encodePath, response: envelope },
		output: (name) => ({ containerId: 'c-1', ...envelope, settings: settingsOf(name) }),
		errorFields: (id) => ({ name: id }),
	},
	{
		...ofContainer('container: getEnvelope', 'get', (id) => `${containersPath}/${id}`),
		response: (uuid) => ({ org_id: userId, container: { uuid } }),
		output: (uuid) => ({ containerId: uuid, org_id: userId, container: { uuid } }),
	},
	{
		...ofContainer('container: delete', 'delete'),
		...{ response: '', output: (id) => ({ deleted: true, containerId: id }) },
	},
	{
		...ofRules('drm: get', 'get'),
		...{ response: rules, output: (id) => ({ containerId: id, ...rules }) },
	},
	{
		...ofRules('drm: update', 'patch'),
		parameters: { ...byId('={{ $json.id }}'), rules: { opens: 1 } },
		response: { ...rules, opens: 1 },
		output: (id) => ({ containerId: id, changed: true, ...rules, opens: 1 }),
	},
	{
		...ofRules('drm: revoke', 'patch'),
		...{ response: ended, output: (id) => ({ containerId: id, changed: true, ...ended }) },
	},
	{
		...ofContact('contact: get', 'get'),
		...{ response: (email) => ({ email }), output: (email) => ({ email }) },
	},
	{
		...ofContact('contact: delete', 'delete'),
		...{ response: '', output: (email) => ({ deleted: true, email }) },
	},
	listOf('container'),
	listOf('contact'),
	{
		...{ name: 'user: getMe', parameters: {}, ids: ['1', '2', '3'], method: 'get' },
		path: () => '/me',
		response: { id: userId, email: anna, further: { a: [1] } },
		output: { id: userId, email: anna, further: { a: [1] } },
		errorFields: () => ({}),
	},
];

const forId = (body: Body, id: string) => (typeof body === 'function' ? body(id) : body);

/** Runs an operation, and what the service must be asked for by it. */
function setUp({ ids, method, path, before, response, ...tested }: TestedOperation) {
	const expectRequest = (id: string) => {
		if (before !== undefined) service.get(path(id)).reply(200, before as object);
		return service[method](path(id));
	};
	return {
		run: operation(tested.name, tested.parameters, itemsWith(ids[0])),
		all: itemsWith(...ids),
		expectRequest,
		succeed: (...some: string[]) => {
			for (const id of some) expectRequest(id).reply(200, forId(response, id));
		},
		refuse: (id: string) => expectRequest(id).reply(422, { message: 'Words of the service' }),
		requests: () => service.requests.filter((sent) => sent.method === method.toUpperCase()),
		itemsOf: (...indexes: number[]) =>
			indexes.map((index) => {
				const json = forId(tested.output, ids[index]);
				return expect.objectContaining({ json, pairedItem: { item: index } }) as unknown;
			}),
		inputs: (...indexes: number[]) => indexes.map((index) => ({ id: ids[index] })),
	};
}

it.each(operations)(
	'$name sends its path, and links outputs and errors to their items',
	async (tested) => {
		const { ids, path, errorFields } = tested;
		const { run, all, succeed, refuse, requests, itemsOf, inputs } = setUp(tested);
		succeed(ids[0]);
		refuse(ids[1]);
		succeed(ids[2]);
		const credentials = newKey();
		const onError = 'continueErrorOutput' as const;

		const more = { items: all, next: inputItemId, onError, credentials };
		const { items, errorItems, next, nextOfErrors, error } = await run({}, {}, more);

		expect(error).toBeUndefined();
		expect(requests().map((sent) => sent.path)).toEqual(ids.map((id) => `/api/v1${path(id)}`));
		// The API key is nowhere else.
		for (const { headers, ...request } of service.requests) {
			const { authorization, ...others } = headers;
			expect(authorization).toBe(`Bearer ${credentials.apiKey}`);
			expect(JSON.stringify([request, others])).not.toContain(credentials.apiKey);
		}
		expect(items).toEqual(itemsOf(0, 2));
		expect(next).toEqual(inputs(0, 2));
		expect(errorItems).toEqual([
			expect.objectContaining({
				json: {
					// n8n adds the fields of the input item.
					...{ id: ids[1], ...errorFields(ids[1]), httpCode: '422' },
					error: expect.stringContaining('Words of the service') as string,
					errorDescription: expect.any(String) as string,
				},
				pairedItem: { item: 1 },
			}),
		]);
		expect(nextOfErrors).toEqual(inputs(1));
	},
);

describe.each([getContainer, upsertContact])('the runner, shown by $name,', (tested) => {
	const { ids, method } = tested;
	const { run, all, expectRequest, succeed, refuse, requests, itemsOf, inputs } = setUp(tested);

	it.each([
		[401, /did not accept the API key/],
		[403, /API key has no permission to \w/],
		[422, /did not accept/],
		[500, /could not \w.* \(status 500/],
	])('ends at %i, names the item, and shows the API key nowhere', async (status, message) => {
		const credentials = newKey();
		expectRequest(ids[0]).reply(status, { message: `Refused Bearer ${credentials.apiKey}` });

		const { error, items, execution, log } = await run({}, {}, { items: all, credentials });

		expect(error).toBeInstanceOf(NodeApiError);
		expect(error).toMatchObject({ httpCode: String(status), context: { itemIndex: 0 } });
		expect(error?.message).toMatch(message);
		expect(error?.message).toMatch(/\[item 0\]$/);
		expect(items).toEqual([]);
		const isOutcomeUnknown = status === 500 && method !== 'get';
		expect(/might have/.test(error?.description ?? '')).toBe(isOutcomeUnknown);
		expect(requests()).toHaveLength(1);
		expect([storedRecord(execution), ...log].join('\n')).not.toContain(credentials.apiKey);
	});

	it.each([
		['stopWorkflow', 2],
		// Where the node continues, n8n only tries again if the first item failed.
		['continueRegularOutput', 0],
		['continueErrorOutput', 0],
	] as const)(
		'sends only what failed in a later try of Retry On Fail: %s',
		async (onError, failing) => {
			refuse(ids[failing]);
			succeed(...ids);

			const more = { items: all, ...tries, onError, next: inputItemId };
			const { items, error, next } = await run({}, {}, more);

			expect(error).toBeUndefined();
			expect(requests()).toHaveLength(4);
			expect(items).toEqual(itemsOf(0, 1, 2));
			expect(next).toEqual(inputs(0, 1, 2));
		},
	);

	it('sends all items again in a second run, as in a loop', async () => {
		succeed(...ids, ...ids);

		const { execution } = await run({}, {}, { items: all, ...tries, runs: 2 });

		expect(execution.status).toBe('success');
		expect(requests()).toHaveLength(6);
	});
});

/** The unit tests of each kind of field know more. */
it.each<[RegExp, unknown, TestedOperation]>([
	[/"Container" is empty/, '  ', getContainer],
	[/"Container" is not an ID or/, '..', getContainer],
	[/"anna" in "Email" is not an email address/, 'anna', upsertContact],
	[/"Email" is not an ID or an email address/, 'a/b@x.example', upsertContact],
	[/"Container Name" is empty/, null, operations[2]],
	[/"User ID" is not an ID/, '..', listOf('contact')],
	[/"User ID" is empty/, null, listOf('container')],
	[/"User ID" is not an ID/, { id: 'user-1' }, listOf('container')],
	[/"User ID" is not an ID/, 1e21, listOf('container')],
])('nothing is sent where an item is wrong: %s, %j', async (message, id, tested) => {
	const { run, all } = setUp(tested);
	const items = [all[0], { json: { id } as IDataObject }, all[2]];

	expect((await run({}, {}, { items })).error).toBeInstanceOf(NodeOperationError);
	await expectRefusal(service, run({}, {}, { items }), message, { item: 1 });
});
