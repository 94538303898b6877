import type { IDataObject, INodeParameters } from 'n8n-workflow';
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

type Reply = [method: 'get' | 'post' | 'patch' | 'delete', path: string, response: unknown];

interface Case {
	operation: string;
	parameters?: INodeParameters;
	options?: IDataObject;
	replies: Reply[];
}

const container = { containerId: containerId('c-1') };
const contact = { contactEmail: contactEmail(anna.email) };
const text = { fileSource: 'text', textContent: 'x', name: 'Invoice', recipients: anna.email };
const listPath = `/users/${userId}/containers`;
const contactPath = `/users/${userId}/contacts/anna%40example.com`;

const cases: Case[] = [
	{
		operation: 'container/encode',
		parameters: text,
		replies: [['post', `${listPath}/encode`, envelope]],
	},
	{
		operation: 'container/delete',
		parameters: container,
		replies: [['delete', '/containers/c-1', '']],
	},
	{
		operation: 'container/get',
		parameters: container,
		replies: [['get', '/containers/c-1', envelope]],
	},
	{
		operation: 'container/getEnvelope',
		parameters: container,
		replies: [['get', `${listPath}/c-1`, envelope]],
	},
	{
		operation: 'container/getAll',
		replies: [['get', listPath, [envelope]]],
	},
	{
		operation: 'container/getAll',
		replies: [['get', listPath, [envelope]]],
	},
	{
		operation: 'drm/get',
		parameters: container,
		replies: [['get', '/containers/c-1/drm', rules]],
	},
	{
		operation: 'drm/update',
		parameters: { ...container, rules: { opens: 5 } },
		replies: [
			['get', '/containers/c-1/drm', { ...rules, opens: 1 }],
			['patch', '/containers/c-1/drm', rules],
		],
	},
	{
		operation: 'drm/check',
		parameters: {
			containers: 'all',
			policy: 'fields',
			policyFields: { forbidDownload: true, maxAccessDays: 1, allowedRecipients: 'b@example.com' },
		},
		replies: [
			['get', listPath, [envelope]],
			['get', '/containers/c-1/drm', { ...rules, downloadable: true }],
		],
	},
	{
		operation: 'drm/removeEverywhere',
		parameters: { email: anna.email },
		options: { dryRun: true },
		replies: [
			['get', listPath, [envelope]],
			['get', '/containers/c-1/drm', rules],
		],
	},
	{
		operation: 'drm/syncRecipients',
		parameters: { containers: 'byName', nameContains: 'Inv', email: 'b@example.com' },
		options: { dryRun: true },
		replies: [
			['get', listPath, [envelope]],
			['get', '/containers/c-1/drm', rules],
		],
	},
	{
		operation: 'drm/revoke',
		parameters: container,
		replies: [['get', '/containers/c-1/drm', ended]],
	},
	{ operation: 'contact/get', parameters: contact, replies: [['get', contactPath, anna]] },
	{
		operation: 'contact/getAll',
		replies: [['get', `/users/${userId}/contacts`, { contacts: [anna] }]],
	},
	{
		operation: 'contact/upsert',
		parameters: {
			email: anna.email,
			fieldsUi: { fields: [{ name: 'company', value: anna.company }] },
		},
		replies: [['patch', contactPath, anna]],
	},
	{
		operation: 'contact/sync',
		parameters: { email: anna.email },
		replies: [
			['get', `/users/${userId}/contacts`, { contacts: [] }],
			['patch', contactPath, anna],
		],
	},
	{ operation: 'contact/delete', parameters: contact, replies: [['delete', contactPath, '']] },
	{ operation: 'user/getMe', replies: [['get', '/me', me]] },
];

describe.each([...new Set(cases.map(({ operation }) => operation))])('%s', (path) => {
	const schema = new OutputSchema('EncryptedContainers', path);

	it('has outputs that fit its schema, with exactly its fields', async () => {
		const fields = new Set<string>();
		for (const { parameters, options = {}, replies } of cases.filter(
			({ operation }) => operation === path,
		)) {
			for (const [method, url, response] of replies) {
				const scope = service.scope();
				scope[method](url).reply(200, response as never);
			}
			const [resource, operation] = path.split('/');
			const { items, error } = await runNode({
				parameters: {
					resource,
					operation,
					...parameters,
					options: { ...(path === 'user/getMe' ? {} : { userId }), ...options },
				} as INodeParameters,
				credentials: newService(),
			});

			expect(error).toBeUndefined();
			expect(items).toHaveLength(1);
			expect(items.flatMap(({ json }) => schema.check(json))).toEqual([]);
			for (const { json } of items) for (const field of getOutputFields(json)) fields.add(field);
		}
		expect([...fields].sort()).toEqual([...schema.fields].sort());
	});
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
