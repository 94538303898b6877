import type { IDataObject, INodeParameters } from 'n8n-workflow';
import type { ReceivedRequest } from '../../sandbox/index.cts';
import type { Execution } from '../../tools/realN8n/execution.cts';
import type { NodeOptions } from '../../tools/realN8n/workflow.cts';
import { startTestEnvironment, type TestEnvironment } from './support/testEnvironment.cts';
import { code } from './support/nodes.cts';

const KEYS = ['first', 'second', 'third'];
const RULES = { dynamic: true, opens: 3, recipients: ['ada@example.com'] };
/** The last day that is over everywhere. */
const lastDay = () => new Date(Date.now() - 36 * 3_600_000).toISOString().slice(0, 10);

/** A node with these items. */
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

const containerId = { __rl: true, mode: 'id', value: '={{ $json.uuid }}' };
const contactEmail = { __rl: true, mode: 'email', value: '={{ $json.email }}' };

describe('each operation in the real n8n, followed by a node that uses paired items', () => {
	let e2e: TestEnvironment;
	beforeAll(async () => {
		e2e = await startTestEnvironment();
	});
	beforeEach(() => e2e.sandbox.reset());
	afterAll(async () => await e2e?.stop());

	const run = async (
		input: NodeOptions,
		parameters: INodeParameters,
		more: Partial<NodeOptions> = {},
	): Promise<Execution> =>
		await e2e.runWorkflow([input, e2e.node('Operation', parameters, more), linked]);
	const sent = () =>
		e2e.sandbox.requests
			.filter(({ path }) => !path.endsWith('/me'))
			.map(({ method, path }) => `${method} ${path.slice('/api/v1'.length)}`)
			.sort();
	const bodies = (method: string) =>
		e2e.sandbox.requests
			.filter((request: ReceivedRequest) => request.method === method)
			.map(({ body }) => body);
	const threeContainers = () =>
		KEYS.map((key) => ({
			key,
			uuid: e2e.sandbox.addContainer({ name: `Container ${key}`, rules: { ...RULES } }).uuid,
		}));
	const threeContacts = () =>
		KEYS.map((key) => {
			const email = `${key}+news@example.com`;
			e2e.sandbox.addContact(email, { first_name: key });
			return { key, email };
		});
	const user = () => `/users/${e2e.sandbox.user.id}`;
	const inOrder = (responses: unknown[]) =>
		responses.map((response, index) => ({ key: KEYS[index], response }));

	it('container: encode', async () => {
		const files = code(
			'Items',
			`return ${JSON.stringify(KEYS)}.map((key) => ({ json: { key }, binary: { data: {
				data: Buffer.from('file ' + key).toString('base64'),
				mimeType: 'text/plain', fileName: key + '.txt' } } }));`,
		);

		const execution = await run(files, {
			resource: 'container',
			operation: 'encode',
			name: '=Container {{ $json.key }}',
			recipients: 'ada@example.com',
		});

		expect(execution.error).toBeUndefined();
		expect(sent()).toEqual(KEYS.map(() => `POST ${user()}/containers/encode`));
		expect(execution.json('Linked')).toEqual(
			inOrder(
				KEYS.map((key) => ({
					org_id: e2e.sandbox.user.id,
					container: expect.objectContaining({ name: `Container ${key}` }),
					settings: expect.objectContaining({ name: `Container ${key}` }),
				})),
			),
		);
	});

	it.each([
		['get', '/containers'],
		['getEnvelope', null],
	])('container: %s', async (operation, prefix) => {
		const list = threeContainers();

		const execution = await run(items(list), { resource: 'container', operation, containerId });

		expect(execution.error).toBeUndefined();
		const folder = prefix ?? `${user()}/containers`;
		expect(sent()).toEqual(list.map(({ uuid }) => `GET ${folder}/${uuid}`).sort());
		// Only the path of the envelope contains the user.
		const others = e2e.sandbox.requests.length - list.length;
		expect(others).toBeLessThanOrEqual(prefix === null ? 1 : 0);
		expect(execution.json('Linked')).toEqual(
			inOrder(
				list.map(({ key, uuid }) => ({
					org_id: e2e.sandbox.user.id,
					container: expect.objectContaining({ uuid, name: `Container ${key}` }),
				})),
			),
		);
	});

	it('container: getAll', async () => {
		const list = threeContainers();

		const execution = await run(items([{ key: 'the list' }]), {
			resource: 'container',
			operation: 'getAll',
			returnAll: true,
		});

		expect(execution.error).toBeUndefined();
		expect(sent()).toEqual([`GET ${user()}/containers`]);
		expect(execution.json('Linked')).toEqual(
			list.map(({ uuid }) => ({
				key: 'the list',
				response: expect.objectContaining({ container: expect.objectContaining({ uuid }) }),
			})),
		);
	});

	it('container: delete', async () => {
		const list = threeContainers();
		const { uuid: kept } = e2e.sandbox.addContainer({ name: 'Kept' });

		const execution = await run(items(list), {
			resource: 'container',
			operation: 'delete',
			containerId,
		});

		expect(execution.error).toBeUndefined();
		expect(sent()).toEqual(list.map(({ uuid }) => `DELETE /containers/${uuid}`).sort());
		expect([...e2e.sandbox.state.containers.keys()]).toEqual([kept]);
		expect(execution.json('Linked')).toEqual(
			inOrder(list.map(({ uuid }) => ({ deleted: true, containerId: uuid }))),
		);
	});

	it('drm: get', async () => {
		const list = threeContainers();

		const execution = await run(items(list), { resource: 'drm', operation: 'get', containerId });

		expect(execution.error).toBeUndefined();
		expect(sent()).toEqual(list.map(({ uuid }) => `GET /containers/${uuid}/drm`).sort());
		expect(execution.json('Linked')).toEqual(
			inOrder(list.map(({ uuid }) => ({ containerId: uuid, ...RULES }))),
		);
	});

	it('drm: update', async () => {
		const list = threeContainers();

		const execution = await run(items(list), {
			resource: 'drm',
			operation: 'update',
			containerId,
			rules: { opens: 7, addRecipients: '={{ $json.key }}@example.com' },
		});

		expect(execution.error).toBeUndefined();
		const changed = KEYS.map((key) => ({
			...RULES,
			opens: 7,
			recipients: ['ada@example.com', `${key}@example.com`],
		}));
		expect(bodies('PATCH')).toHaveLength(3);
		expect(bodies('PATCH')).toEqual(expect.arrayContaining(changed));
		expect(execution.json('Linked')).toEqual(
			inOrder(
				changed.map((rules, index) => ({ containerId: list[index].uuid, changed: true, ...rules })),
			),
		);
	});

	it('drm: revoke', async () => {
		const list = threeContainers();

		const execution = await run(items(list), { resource: 'drm', operation: 'revoke', containerId });

		expect(execution.error).toBeUndefined();
		const ended = { ...RULES, time: { end: lastDay() } };
		for (const { uuid } of list) {
			expect(e2e.sandbox.state.containers.get(uuid)?.rules).toEqual(ended);
		}
		expect(execution.json('Linked')).toEqual(
			inOrder(list.map(({ uuid }) => ({ containerId: uuid, changed: true, ...ended }))),
		);
	});

	it('contact: getAll', async () => {
		const list = threeContacts();

		const execution = await run(items([{ key: 'the list' }]), {
			resource: 'contact',
			operation: 'getAll',
			limit: 2,
		});

		expect(execution.error).toBeUndefined();
		expect(sent()).toEqual([`GET ${user()}/contacts`]);
		expect(execution.json('Linked')).toEqual(
			list.slice(0, 2).map(({ email }) => ({
				key: 'the list',
				response: expect.objectContaining({ email }),
			})),
		);
	});

	it('contact: get', async () => {
		const list = threeContacts();

		const execution = await run(items(list), {
			resource: 'contact',
			operation: 'get',
			contactEmail,
		});

		expect(execution.error).toBeUndefined();
		expect(sent()).toEqual(
			KEYS.map((key) => `GET ${user()}/contacts/${key}%2Bnews%40example.com`).sort(),
		);
		expect(execution.json('Linked')).toEqual(
			inOrder(list.map(({ email }) => expect.objectContaining({ email }))),
		);
	});

	it.each<[string, INodeParameters]>([
		[
			'fields defined below',
			{
				dataToSend: 'defineBelow',
				fieldsUi: { fields: [{ name: 'company', value: '=Company {{ $json.key }}' }] },
			},
		],
		['JSON', { dataToSend: 'json', bodyJson: '={ "company": "Company {{ $json.key }}" }' }],
		['the fields of the item', { dataToSend: 'autoMapInputData', inputsToIgnore: 'key' }],
	])('contact: upsert with %s', async (_what, parameters) => {
		const list = KEYS.map((key) => ({
			key,
			email: `${key}@example.com`,
			company: `Company ${key}`,
		}));

		const execution = await run(items(list), {
			resource: 'contact',
			operation: 'upsert',
			email: '={{ $json.email }}',
			...parameters,
		});

		expect(execution.error).toBeUndefined();
		expect(sent()).toEqual(
			KEYS.map((key) => `PATCH ${user()}/contacts/${key}%40example.com`).sort(),
		);
		expect(bodies('PATCH')).toEqual(
			expect.arrayContaining(list.map(({ company }) => ({ company }))),
		);
		expect(execution.json('Linked')).toEqual(
			inOrder(list.map(({ email, company }) => expect.objectContaining({ email, company }))),
		);
	});

	it('contact: delete', async () => {
		const list = threeContacts();

		const execution = await run(items(list), {
			resource: 'contact',
			operation: 'delete',
			contactEmail,
		});

		expect(execution.error).toBeUndefined();
		expect(e2e.sandbox.state.contactsOf(e2e.sandbox.user.id).size).toBe(0);
		expect(execution.json('Linked')).toEqual(
			inOrder(list.map(({ email }) => ({ deleted: true, email }))),
		);
	});

	it('user: getMe', async () => {
		const execution = await run(items(KEYS.map((key) => ({ key }))), {
			resource: 'user',
			operation: 'getMe',
		});

		expect(execution.error).toBeUndefined();
		const { id, email } = e2e.sandbox.user;
		const me = expect.objectContaining({ id, email });
		expect(execution.json('Linked')).toEqual(inOrder(KEYS.map(() => me)));
		for (const { headers } of e2e.sandbox.requests) {
			expect(headers.authorization).toBe(`Bearer ${e2e.sandbox.apiKey}`);
		}
	});

	it('stops with an error that names the item, and without output, when one of three fails', async () => {
		const [first, , third] = threeContainers();
		const missing = { key: 'second', uuid: '5f0c2a4e-8d1b-4c7a-9e36-2b7d1f4a6c90' };

		const execution = await run(items([first, missing, third]), {
			resource: 'container',
			operation: 'get',
			containerId,
		});

		expect(execution.status).toBe('error');
		expect(execution.error?.message).toContain('[item 1]');
		expect(execution.error?.message).toContain(missing.uuid);
		expect(execution.runData).not.toHaveProperty('Linked');
	});

	it('returns the failed item among the others with Continue', async () => {
		const [first, , third] = threeContainers();
		const missing = { key: 'second', uuid: '5f0c2a4e-8d1b-4c7a-9e36-2b7d1f4a6c90' };

		const execution = await run(
			items([first, missing, third]),
			{ resource: 'container', operation: 'get', containerId },
			{ onError: 'continueRegularOutput' },
		);

		expect(execution.error).toBeUndefined();
		const found = expect.objectContaining({ container: expect.any(Object) });
		const failed = expect.objectContaining({
			containerId: missing.uuid,
			error: expect.stringContaining('not found'),
			httpCode: '404',
		});
		expect(execution.json('Linked')).toEqual(inOrder([found, failed, found]));
	});

	it('returns the failed item separately with an error output', async () => {
		const [first, , third] = threeContainers();
		const missing = { key: 'second', uuid: '5f0c2a4e-8d1b-4c7a-9e36-2b7d1f4a6c90' };
		const failures = { ...linked, name: 'Failures', to: [] };

		const execution = await e2e.runWorkflow([
			items([first, missing, third]),
			e2e.node(
				'Operation',
				{ resource: 'container', operation: 'get', containerId },
				{ onError: 'continueErrorOutput', to: [['Linked'], ['Failures']] },
			),
			{ ...linked, to: [] },
			failures,
		]);

		expect(execution.error).toBeUndefined();
		expect(execution.json('Linked').map(({ key }) => key)).toEqual(['first', 'third']);
		expect(execution.json('Failures')).toEqual([
			{
				key: 'second',
				response: expect.objectContaining({
					containerId: missing.uuid,
					error: expect.stringContaining('not found'),
					httpCode: '404',
				}),
			},
		]);
	});
});
