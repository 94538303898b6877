import { Expression, type INodeParameters } from 'n8n-workflow';
import { runNode } from '../support/engine.cts';
import { mockService, type MockedService } from '../support/nock.cts';
import { upsertBase, anna, pathOf } from './support/contacts.cts';
import {
	describeOperationContract,
	describeRunner,
	describeUserContract,
	rejectedContacts,
	rejectedContainers,
	setUpUser,
	type TestedOperation,
	type UserOperation,
} from './support/contracts.cts';
import { base as encodeBase, envelope, path as encodePath, settingsOf } from './support/encode.cts';
import {
	contactEmail,
	containerId,
	containersPath,
	itemsWith,
	outputOf,
	userId,
} from './support/operations.cts';
import { getLastDayOverEverywhere } from '../../nodes/shared/parameters/dates';
import { currentRules, updateBase } from './support/rules.cts';

const service = mockService();

const container = { containerId: containerId('={{ $json.id }}') };
const contact = { contactEmail: contactEmail('={{ $json.id }}') };
const containers = ['c-1', 'c-2', 'c-3'];
const addresses = ['a@example.com', 'b@example.com', 'c@example.com'];
const ended = { ...currentRules(), time: { end: getLastDayOverEverywhere() } };
const me = { id: userId, role: 'member', email: 'ada@example.com', further: { a: [1] } };
const entry = { uuid: 'c-1', email: anna };

const ofContainer = (name: string, path: (id: string) => string) => ({
	name,
	parameters: container,
	ids: containers,
	path,
	errorFields: (id: string) => ({ containerId: id }),
	rejected: rejectedContainers,
});
const ofContact = (name: string, label = 'Contact') => ({
	name,
	parameters: contact,
	ids: addresses,
	path: pathOf,
	errorFields: (id: string) => ({ contactEmail: id }),
	rejected: rejectedContacts(label),
});
const listOf = (resource: string) => ({
	name: `${resource}: getAll`,
	parameters: { returnAll: true, options: { userId: '={{ $json.id }}' } },
	ids: ['user-1', 'user-2', 'user-3'],
	method: 'get' as const,
	path: (id: string) => `/users/${id}/${resource}s`,
	response: { items: [entry] },
	output: resource === 'container' ? { containerId: 'c-1', ...entry } : entry,
	errorFields: () => ({}),
	rejected: [
		['two dots', '..', /"User ID" can't be/],
		['a line end', 'a\nb', /"User ID" contains a character/],
	] as TestedOperation['rejected'],
});
/** The rules before a change: others in a second run, so that there is something to change. */
const expectRules = (mocked: MockedService, id: string, run: number) =>
	mocked.get(`/containers/${id}/drm`).reply(200, { ...currentRules(), opens: 5 + run });
const rulesOf = (name: string) => ofContainer(name, (id) => `/containers/${id}/drm`);

const getContainer: TestedOperation = {
	...ofContainer('container: get', (id) => `/containers/${id}`),
	method: 'get',
	response: (uuid) => ({ uuid, name: 'Invoice' }),
	output: (uuid) => ({ containerId: uuid, uuid, name: 'Invoice' }),
};
const upsertContact: TestedOperation = {
	...ofContact('contact: upsert', 'Email'),
	parameters: upsertBase,
	method: 'patch',
	response: { first_name: 'Anna' },
	output: { first_name: 'Anna' },
};

const operations: TestedOperation[] = [
	getContainer,
	upsertContact,
	{
		name: 'container: encode',
		parameters: encodeBase,
		ids: ['One', 'Two', 'Three'],
		method: 'post',
		path: () => encodePath,
		response: envelope,
		output: (name) => ({ containerId: 'c-1', ...envelope, settings: settingsOf(name) }),
		errorFields: (id) => ({ name: id }),
		rejected: [
			['a blank name', ' \n', /"Container Name" is empty/],
			['a missing field', null, /"Container Name" is empty/],
		],
	},
	{
		...ofContainer('container: getEnvelope', (id) => `${containersPath}/${id}`),
		method: 'get',
		response: (uuid) => ({ org_id: userId, container: { uuid } }),
		output: (uuid) => ({ containerId: uuid, org_id: userId, container: { uuid } }),
	},
	{
		...ofContainer('container: delete', (id) => `/containers/${id}`),
		method: 'delete',
		response: '',
		output: (id) => ({ deleted: true, containerId: id }),
	},
	{
		...rulesOf('drm: get'),
		method: 'get',
		response: currentRules(),
		output: (id) => ({ containerId: id, ...currentRules() }),
	},
	{
		...rulesOf('drm: update'),
		parameters: updateBase,
		method: 'patch',
		expectBefore: expectRules,
		response: { ...currentRules(), opens: 1 },
		output: (id) => ({ containerId: id, changed: true, ...currentRules(), opens: 1 }),
	},
	{
		...rulesOf('drm: revoke'),
		method: 'patch',
		expectBefore: expectRules,
		response: ended,
		output: (id) => ({ containerId: id, changed: true, ...ended }),
	},
	{
		...ofContact('contact: get'),
		method: 'get',
		response: (email) => ({ email, first_name: 'Anna' }),
		output: (email) => ({ email, first_name: 'Anna' }),
	},
	{
		...ofContact('contact: delete'),
		method: 'delete',
		response: '',
		output: (email) => ({ deleted: true, email }),
	},
	listOf('container'),
	listOf('contact'),
	{
		name: 'user: getMe',
		parameters: {},
		ids: ['1', '2', '3'],
		method: 'get',
		path: () => '/me',
		response: me,
		output: me,
		errorFields: () => ({}),
	},
];

describe.each(operations)('$name', (tested) => {
	describeOperationContract(service, tested);
});

describe.each([getContainer, upsertContact])('the runner, shown by $name,', (tested) => {
	describeRunner(service, tested);
});

const envelopeOfUser: UserOperation = {
	name: 'container: getEnvelope',
	parameters: { containerId: containerId('c-1') },
	method: 'get',
	path: (user) => `/users/${user}/containers/c-1`,
	response: envelope,
};

describe.each<UserOperation>([
	envelopeOfUser,
	{
		name: 'container: encode',
		parameters: { ...encodeBase, name: 'Invoice', recipients: anna },
		method: 'post',
		path: (user) => `/users/${user}/containers/encode`,
		response: envelope,
	},
	...['container', 'contact'].map((resource): UserOperation => ({
		name: `${resource}: getAll`,
		parameters: { returnAll: true },
		method: 'get',
		path: (user) => `/users/${user}/${resource}s`,
		response: [entry],
	})),
])('$name', (tested) => {
	describeUserContract(service, tested);
});

describe('the user in the path', () => {
	const { run, expectFor } = setUpUser(service, envelopeOfUser);

	it('is asked for again in the next execution after a failure, which all items share', async () => {
		service.get('/me').reply(503, {});
		const items = itemsWith('1', '2', '3');
		const failed = await run({}, { userId: '' }, { items, onError: 'continueRegularOutput' });
		expect(failed.items.map(({ json }) => json.error)).toEqual(
			items.map(() => expect.stringMatching(/find the user of the API key/)),
		);

		service.get('/me').reply(200, { id: 'user-8' });
		expectFor('user-8');
		await outputOf(run({}, { userId: '' }));
	});
});

const ITEMS = 3;

/** Runs the node, and returns how often each expression or other value was evaluated. */
async function countEvaluations(parameters: INodeParameters, value: string) {
	service
		.scope()
		.intercept(/.*/, 'GET')
		.optionally()
		.times(2 * ITEMS)
		.reply(200, (uri) => (/contacts$/.test(uri) ? [] : { dynamic: true, id: 'c-1' }));
	for (const method of ['POST', 'PATCH']) {
		const response = { container: { uuid: 'c-1' } };
		service.scope().intercept(/.*/, method).optionally().times(ITEMS).reply(200, response);
	}
	const evaluate = jest.spyOn(Expression.prototype, 'resolveSimpleParameterValue');
	const { error } = await runNode({
		parameters,
		items: Array.from({ length: ITEMS }, (_item, index) => ({
			json: { value, email: `p${index}@example.com` },
		})),
	});
	const counts = new Map<string, number>();
	for (const [entered] of evaluate.mock.calls) {
		const key = String(entered);
		counts.set(key, (counts.get(key) ?? 0) + 1);
	}
	evaluate.mockRestore();
	expect(error).toBeUndefined();
	return counts;
}

/** Different expressions of one meaning. */
const expression = (number: number) => `={{ $json.value }}${' '.repeat(number)}`;

const encodeFields = {
	resource: 'container',
	operation: 'encode',
	fileSource: 'text',
	textContent: expression(1),
	textFileName: expression(2),
	name: expression(3),
	recipients: expression(4),
	drmRules: { password: expression(5) },
	options: { userId: expression(6) },
};
const contactFields = {
	resource: 'contact',
	operation: 'sync',
	email: '={{ $json.email }}',
	dataToSend: 'defineBelow',
	fieldsUi: { fields: [{ name: 'company', value: expression(1) }] },
	options: { userId },
};

it.each<[string, string, INodeParameters]>([
	['encode', 'anna@example.com', encodeFields],
	['sync', 'Example Ltd', contactFields],
])('%s evaluates each expression once for each item', async (_operation, value, parameters) => {
	const counts = await countEvaluations(parameters, value);

	const expressions = [...counts].filter(([entered]) => entered.startsWith('='));
	expect(expressions.length).toBeGreaterThan(0);
	for (const [entered, count] of expressions) expect([entered, count]).toEqual([entered, ITEMS]);
});
