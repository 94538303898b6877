import type { INodeParameters } from 'n8n-workflow';
import { runNode } from '../support/engine.cts';
import { mockService } from '../support/nock.cts';
import { getOutputFields, OutputSchema } from './support/outputSchemas.cts';
import { contactEmail, containerId, newService, userId } from './support/operations.cts';
import { Polling } from './support/polling.cts';

const service = mockService();

const rules = {
	dynamic: true,
	geo: { allow: [{ country: 'CH' }], block: [{ country: 'US' }] },
	ip: { allow: ['192.168.1.0/24'], block: ['10.*.1.*'] },
	opens: 5,
	time: { start: '2026-01-01', end: '2999-12-31' },
	downloadable: false,
	recipients: ['anna@example.com'],
};
const ended = { ...rules, time: { start: '2019-01-01', end: '2020-01-01' } };
const envelope = { org_id: userId, container: { uuid: 'c-1', name: 'Invoice' } };
const anna = {
	email: 'anna@example.com',
	first_name: 'Anna',
	last_name: 'Ada',
	company: 'Example Ltd',
	phone_number: '+41 44 000 00 00',
};
const me = {
	id: '3f8a1c52-3d7e-4a41-8a4c-6c1f0e2d9b75',
	role: 'user',
	root_org_id: '0b9f6a52-3d7e-4a41-8a4c-6c1f0e2d9b75',
	created_date: '2026-01-15T09:30:00.123Z',
	email: 'ada@example.com',
	first_name: 'Ada',
	last_name: 'Lovelace',
	mobile_phone: '+41 79 000 00 00',
};

const event = {
	id: '1042',
	created_date: '2026-01-15T09:30:00.123Z',
	action: 'container.refuse',
	container_id: 'c-1',
	container_name: 'Invoice',
	user: anna.email,
	detail: { ip: '192.0.2.7', country: 'DE', reason: 'time', changed: ['time'] },
};

type Reply = [method: 'get' | 'post' | 'patch' | 'delete', path: string, response: unknown];

const container = { containerId: containerId('c-1') };
const contact = { contactEmail: contactEmail(anna.email) };
const text = {
	...{ fileSource: 'text', textContent: 'x', name: 'Invoice', recipients: anna.email },
	accessEnds: 'never',
};
const policyFields = {
	...{ forbidDownload: true, maxAccessDays: 1, allowedRecipients: 'b@example.com' },
};
const company = { fieldsUi: { fields: [{ name: 'company', value: anna.company }] } };
const dryRun = { dryRun: true };
const listPath = `/users/${userId}/containers`;
const contactsPath = `/users/${userId}/contacts`;
const contactPath = `${contactsPath}/anna%40example.com`;
const rulesPath = '/containers/c-1/drm';
const list: Reply = ['get', listPath, [envelope]];
const getRules: Reply = ['get', rulesPath, rules];

/** The parameters of each operation, and what the service returns. */
const cases: Array<[operation: string, parameters: object, ...replies: Reply[]]> = [
	['container/encode', text, ['post', `${listPath}/encode`, envelope]],
	['container/delete', container, ['delete', '/containers/c-1', '']],
	['container/get', container, ['get', '/containers/c-1', envelope]],
	['container/getEnvelope', container, ['get', `${listPath}/c-1`, envelope]],
	['container/getAll', {}, list],
	[
		'container/getActivity',
		{ options: {} },
		['get', '/me', { id: userId, features: ['events'] }],
		['get', `/users/${userId}/events?order=desc&limit=1000`, [event]],
	],
	['drm/get', container, getRules],
	[
		'drm/update',
		{ ...container, rules: { opens: 5 } },
		['get', rulesPath, { ...rules, opens: 1 }],
		['patch', rulesPath, rules],
	],
	[
		'drm/check',
		{ containers: 'all', policy: 'fields', policyFields, ...dryRun },
		list,
		['get', rulesPath, { ...rules, downloadable: true }],
	],
	['drm/removeEverywhere', { email: anna.email, ...dryRun }, list, getRules],
	[
		'drm/syncRecipients',
		{ containers: 'byName', nameContains: 'Inv', email: 'b@example.com', ...dryRun },
		list,
		getRules,
	],
	['drm/revoke', container, ['get', rulesPath, ended]],
	['contact/get', contact, ['get', contactPath, anna]],
	['contact/getAll', {}, ['get', contactsPath, { contacts: [anna] }]],
	['contact/upsert', { email: anna.email, ...company }, ['patch', contactPath, anna]],
	['contact/sync', { email: anna.email, dryRun: true }, ['get', contactsPath, { contacts: [] }]],
	['contact/delete', contact, ['delete', contactPath, '']],
	['user/getMe', { options: {} }, ['get', '/me', me]],
];

it.each(cases)('%s has an output that fits its schema, with exactly its fields', async (...row) => {
	const [path, parameters, ...replies] = row;
	const schema = new OutputSchema('EncryptedContainers', path);
	for (const [method, url, response] of replies) {
		const scope = service.scope();
		scope[method](url).reply(200, response as never);
	}
	const [resource, operation] = path.split('/');

	const { items, error } = await runNode({
		parameters: {
			...{ resource, operation, options: { userId } },
			...parameters,
		} as INodeParameters,
		credentials: newService(),
	});

	expect(error).toBeUndefined();
	expect(items).toHaveLength(1);
	expect(schema.check(items[0].json)).toEqual([]);
	expect(getOutputFields(items[0].json).sort()).toEqual([...schema.fields].sort());
});

describe('the trigger', () => {
	const schema = new OutputSchema('EncryptedContainersTrigger');

	it.each([
		['containerCreated', { containers: [envelope] }],
		['containerDeleted', { containers: [envelope] }],
		['drmChanged', { containers: [envelope], rules: { 'c-1': rules } }],
		['accessEnding', { containers: [envelope], rules: { 'c-1': rules } }],
		['contactCreated', { contacts: [anna] }],
		['contactChanged', { contacts: [anna] }],
		['contactDeleted', { contacts: [anna] }],
	])('has outputs that fit its schema: %s', async (event, responses) => {
		const polling = new Polling(
			service,
			{ event, withinDays: 1_000_000 },
			{ mode: 'manual', credentials: newService() },
		);
		service.get('/me').reply(200, { id: userId });

		const { emitted, error } = await polling.poll(responses);

		expect(error).toBeUndefined();
		expect(emitted.length).toBeGreaterThan(0);
		expect(emitted.flatMap((json) => schema.check(json))).toEqual([]);
	});
});
