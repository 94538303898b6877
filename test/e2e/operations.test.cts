import type { IDataObject, INodeParameters } from 'n8n-workflow';
import type { NodeOptions } from '../../tools/realN8n/workflow.cts';
import { code, containerById } from './support/nodes.cts';
import { startTestEnvironment, type TestEnvironment } from './support/testEnvironment.cts';

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
const text: INodeParameters = {
	resource: 'container',
	operation: 'encode',
	name: '=Container {{ $json.key }}',
	recipients: 'ada@example.com',
	fileSource: 'text',
	textContent: 'confidential',
};

describe('in the real n8n', () => {
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
	) => await e2e.runWorkflow([input, e2e.node('Operation', parameters, more), linked]);
	/** The requests after the one for the user. */
	const sent = () =>
		e2e.sandbox.requests
			.filter(({ path }) => !path.endsWith('/me'))
			.map(({ method, path }) => `${method} ${path.slice('/api/v1'.length)}`)
			.sort();
	const containers = () =>
		KEYS.map((key) => ({
			key,
			uuid: e2e.sandbox.addContainer({ name: `Container ${key}`, rules: { ...RULES } }).uuid,
		}));
	const contacts = () =>
		KEYS.map((key) => {
			const email = `${key}+news@example.com`;
			e2e.sandbox.addContact(email, { first_name: key });
			return { key, email };
		});
	const newContacts = () => KEYS.map((key) => ({ key, email: `${key}@example.com` }));

	describe('an operation runs for three items, and a later node finds the item of each output', () => {
		type Item = { key: string; uuid?: string; email?: string };
		interface Case {
			parameters: INodeParameters;
			input?: () => Item[];
			/** The request of an item, without the user's part of the path. */
			request: (item: Item) => string;
			output: (item: Item) => object;
		}
		const envelope = ({ key }: Item) => ({ container: { name: `Container ${key}` } });
		const address = ({ key }: Item, plus = '%2Bnews') => `/contacts/${key}${plus}%40example.com`;
		const cases: Record<string, Case> = {
			'container: encode': {
				parameters: text,
				input: () => KEYS.map((key) => ({ key })),
				request: () => 'POST /containers/encode',
				output: envelope,
			},
			'container: get': {
				parameters: { resource: 'container', operation: 'get', ...containerId },
				request: ({ uuid }) => `GET /containers/${uuid}`,
				output: envelope,
			},
			'container: getEnvelope': {
				parameters: { resource: 'container', operation: 'getEnvelope', ...containerId },
				request: ({ uuid }) => `GET /containers/${uuid}`,
				output: envelope,
			},
			'container: delete': {
				parameters: { resource: 'container', operation: 'delete', ...containerId },
				request: ({ uuid }) => `DELETE /containers/${uuid}`,
				output: ({ uuid }) => ({ deleted: true, containerId: uuid }),
			},
			'drm: get': {
				parameters: { resource: 'drm', operation: 'get', ...containerId },
				request: ({ uuid }) => `GET /containers/${uuid}/drm`,
				output: ({ uuid }) => ({ containerId: uuid, ...RULES }),
			},
			'contact: get': {
				parameters: { resource: 'contact', operation: 'get', contactEmail },
				input: contacts,
				request: (item) => `GET ${address(item)}`,
				output: ({ email }) => ({ email }),
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
				request: (item) => `PATCH ${address(item, '')}`,
				output: ({ key, email }) => ({ email, company: `Company ${key}` }),
			},
			'contact: delete': {
				parameters: { resource: 'contact', operation: 'delete', contactEmail },
				input: contacts,
				request: (item) => `DELETE ${address(item)}`,
				output: ({ email }) => ({ deleted: true, email }),
			},
		};

		it.each(Object.entries(cases))('%s', async (_name, { parameters, input, request, output }) => {
			const list = (input ?? containers)();

			const execution = await run(items(list), parameters);

			expect(execution.error).toBeUndefined();
			const user = `/users/${e2e.sandbox.user.id}`;
			expect(sent().map((line) => line.replace(user, ''))).toEqual(list.map(request).sort());
			expect(execution.json('Linked')).toMatchObject(
				list.map((item) => ({ key: item.key, response: output(item) })),
			);
		});

		it.each<[string, INodeParameters, () => object]>([
			['update', { rules: { opens: 7 } }, () => ({ opens: 7 })],
			['revoke', {}, () => ({ time: { end: lastDay() } })],
		])('drm: %s', async (operation, parameters, changes) => {
			const list = containers();

			const execution = await run(items(list), {
				resource: 'drm',
				operation,
				...containerId,
				...parameters,
			});

			expect(execution.error).toBeUndefined();
			const rules = { ...RULES, ...changes() };
			const stored = list.map(({ uuid }) => e2e.sandbox.state.containers.get(uuid)?.rules);
			expect(stored).toEqual(list.map(() => rules));
			expect(execution.json('Linked')).toEqual(
				list.map(({ key, uuid }) => ({
					key,
					response: { containerId: uuid, changed: true, ...rules },
				})),
			);
		});

		it('user: getMe', async () => {
			const execution = await run(items(KEYS.map((key) => ({ key }))), {
				resource: 'user',
				operation: 'getMe',
			});

			const { id, email } = e2e.sandbox.user;
			expect(execution.json('Linked')).toMatchObject(
				KEYS.map((key) => ({ key, response: { id, email } })),
			);
			for (const { headers } of e2e.sandbox.requests) {
				expect(headers.authorization).toBe(`Bearer ${e2e.sandbox.apiKey}`);
			}
		});

		it.each([
			['container', containers, { returnAll: true }, 3],
			['contact', contacts, { limit: 2 }, 2],
		])('%s: getAll', async (resource, create, parameters, count) => {
			create();

			const execution = await run(items([{ key: 'the list' }]), {
				resource,
				operation: 'getAll',
				...parameters,
			});

			expect(execution.error).toBeUndefined();
			expect(sent()).toEqual([`GET /users/${e2e.sandbox.user.id}/${resource}s`]);
			const keys = execution.json('Linked').map(({ key }) => key);
			expect(keys).toEqual(Array.from({ length: count }, () => 'the list'));
		});
	});

	describe('when one of three items fails', () => {
		const missing = '5f0c2a4e-8d1b-4c7a-9e36-2b7d1f4a6c90';
		const get = { resource: 'container', operation: 'get', ...containerId };
		const withMissing = () =>
			items(containers().map((item, index) => (index === 1 ? { ...item, uuid: missing } : item)));
		const failed = expect.objectContaining({
			containerId: missing,
			error: expect.stringContaining('not found'),
			httpCode: '404',
		});

		it('the execution stops with an error that names the item', async () => {
			const execution = await run(withMissing(), get);

			expect(execution.status).toBe('error');
			expect(execution.error?.message).toContain('[item 1]');
			expect(execution.error?.message).toContain(missing);
			expect(execution.runData).not.toHaveProperty('Linked');
		});

		it('it is among the others with Continue', async () => {
			const execution = await run(withMissing(), get, { onError: 'continueRegularOutput' });

			expect(execution.error).toBeUndefined();
			const found = expect.objectContaining({ container: expect.any(Object) });
			expect(execution.json('Linked').map(({ response }) => response)).toEqual([
				found,
				failed,
				found,
			]);
		});

		it('it is in the error output', async () => {
			const execution = await e2e.runWorkflow([
				withMissing(),
				e2e.node('Operation', get, {
					onError: 'continueErrorOutput',
					to: [['Linked'], ['Failures']],
				}),
				{ ...linked, to: [] },
				{ ...linked, name: 'Failures', to: [] },
			]);

			expect(execution.error).toBeUndefined();
			expect(execution.json('Linked').map(({ key }) => key)).toEqual(['first', 'third']);
			expect(execution.json('Failures')).toEqual([{ key: 'second', response: failed }]);
		});
	});

	describe('an expression', () => {
		const value = '={{ $json.value }}';
		const values = (list: unknown[]) => items(list.map((one) => ({ value: one as string })));
		const unusable = [null, '', [], [''], { a: 1 }, [null], undefined];

		it.each<[string, INodeParameters, unknown[]]>([
			['Recipients', { recipients: value }, unusable],
			['Available Until', { accessEnds: 'onDate', timeEnd: value }, [...unusable, '12/31/2026']],
			['Allow Changes Later', { dynamic: value }, [...unusable, 1]],
			['If Container Exists', { options: { ifExists: value } }, [...unusable, 'merge']],
			['Password', { drmRules: { password: value } }, unusable],
		])('that returns nothing usable is refused by name: %s', async (label, parameters, list) => {
			const execution = await run(
				values(list),
				{ ...text, ...parameters },
				{ onError: 'continueRegularOutput' },
			);

			const errors = execution.json('Operation').map(({ error }) => String(error));
			expect(errors).toEqual(list.map(() => expect.stringContaining(`"${label}"`)));
			expect(e2e.sandbox.requests).toEqual([]);
		});

		it('that returns what is clear is accepted', async () => {
			const list = [
				'["ada@example.com"]',
				['ada@example.com'],
				'mailto:ada@example.com',
				{ email: 'ada@example.com' },
				[{ email: 'ada@example.com', name: 'Ada' }],
			];

			const execution = await run(values(list), {
				...text,
				name: '={{ $itemIndex }}',
				recipients: value,
				downloadable: '={{ "True" }}',
				accessEnds: 'onDate',
				timeEnd: '={{ $now.plus({ days: 30 }) }}',
				dynamic: '={{ "False" }}',
				drmRules: { opens: '={{ "3" }}' },
			});

			expect(execution.error).toBeUndefined();
			const manifests = e2e.sandbox.requests.flatMap(({ path, body }) =>
				path.endsWith('/encode') ? [(body as { container: { name: string } }).container] : [],
			);
			const end = expect.stringMatching(/^\d{4}-\d{2}-\d{2}$/);
			const drm = { dynamic: false, opens: 3, time: { end } };
			const rules = { recipients: ['ada@example.com'], downloadable: true, drm };
			expect(manifests.sort((one, other) => one.name.localeCompare(other.name))).toEqual(
				list.map((_value, index) => ({ name: String(index), ...rules })),
			);
		});
	});
});
