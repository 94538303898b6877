import type { INodeParameters } from 'n8n-workflow';
import { createUser } from '../../sandbox/users.cts';
import {
	CREDENTIAL_TYPE,
	TRIGGER_TYPE,
	buildWorkflow,
	type NodeOptions,
} from '../../tools/realN8n/workflow.cts';
import { code } from './support/nodes.cts';
import { pollEvery, until } from './support/polls.cts';
import { startTestEnvironment, type TestEnvironment } from './support/testEnvironment.cts';

const LIST = /\/containers(\?|$)/;
const page = (title: string) =>
	`<!DOCTYPE html><html><head><title>${title}</title></head><body><p>Sorry</p></body></html>`;

/** A node whose items each have a name, an ID, and a text file in memory. */
const items = (list: Array<{ name: string; id?: string }>): NodeOptions =>
	code(
		'Items',
		`return ${JSON.stringify(list)}.map((json) => ({ json, binary: { data: {
			data: Buffer.from('content of ' + json.name).toString('base64'),
			mimeType: 'text/plain', fileName: json.name + '.txt' } } }));`,
	);

describe('what the service really did, in the real n8n', () => {
	let e2e: TestEnvironment;
	beforeAll(async () => {
		e2e = await startTestEnvironment({ timezone: 'UTC' });
	});
	beforeEach(() => e2e.sandbox.reset());
	afterAll(async () => await e2e?.stop());

	/** The bodies of the next responses, in their order. */
	const respond = (method: string, path: RegExp, ...bodies: unknown[]) => {
		for (const body of bodies) {
			e2e.sandbox.faults.add({ kind: 'body', method, path, body: JSON.stringify(body) });
		}
	};
	const run = async (
		list: Array<{ name: string; id?: string }>,
		parameters: INodeParameters,
		more: Partial<NodeOptions> = {},
	) =>
		await e2e.runWorkflow([
			items(list),
			e2e.node(
				'Operation',
				{
					resource: 'container',
					...parameters,
					options: { maxConcurrent: 1, ...(parameters.options as INodeParameters | undefined) },
				},
				more,
			),
		]);
	const byId = { containerId: { __rl: true, mode: 'id', value: '={{ $json.id }}' } };
	const encode: INodeParameters = {
		operation: 'encode',
		name: '={{ $json.name }}',
		recipients: 'ada@example.com',
	};
	const reuse = { ...encode, options: { ifExists: 'reuse', maxRetries: 0 } };
	const continues: Partial<NodeOptions> = { onError: 'continueRegularOutput' };
	const containers = (...names: string[]) =>
		names.map((name) => ({ name, id: e2e.sandbox.addContainer({ name }).uuid }));
	const stored = () => [...e2e.sandbox.state.containers.values()].map(({ name }) => name);
	const sent = (method: string) =>
		e2e.sandbox.requests.filter((request) => request.method === method);

	describe('Execute Once with three input items', () => {
		const once = { executeOnce: true };

		it('gets the first container', async () => {
			const list = containers('one', 'two', 'three');

			const execution = await run(list, { operation: 'get', ...byId }, once);

			expect(execution.error).toBeUndefined();
			expect(execution.json('Operation')).toEqual([
				expect.objectContaining({ container: expect.objectContaining({ uuid: list[0].id }) }),
			]);
			expect(sent('GET')).toHaveLength(1);
		});

		it('deletes the first container', async () => {
			const list = containers('one', 'two', 'three');

			const execution = await run(list, { operation: 'delete', ...byId }, once);

			expect(execution.error).toBeUndefined();
			expect(execution.json('Operation')).toEqual([expect.objectContaining({ deleted: true })]);
			expect(stored()).toEqual(['two', 'three']);
		});

		it('encodes the files of the first item, and refuses all items in one container', async () => {
			const list = ['one', 'two', 'three'].map((name) => ({ name }));

			const execution = await run(list, encode, once);
			const refused = await run(list, { ...encode, containerMode: 'allItems' }, once);

			expect(execution.error).toBeUndefined();
			expect(refused.error?.message).toContain('needs all input items, but "Execute Once" is on');
			expect(stored()).toEqual(['one']);
			expect(
				sent('POST').map(({ parts = [] }) =>
					parts.filter(({ name }) => name === 'file').map(({ filename }) => filename),
				),
			).toEqual([['one.txt']]);
		});
	});

	describe('a failure or nothing at all with status 200', () => {
		it('is not an encoded container: the outcome is unknown, and nothing is sent again', async () => {
			const bodies = [{ error: 'storage full' }, { success: false }, {}, { container: null }];
			respond('POST', /\/encode$/, ...bodies);

			const execution = await run(
				bodies.map((_body, index) => ({ name: `number ${index}` })),
				{ ...encode, options: { maxRetries: 3 } },
				continues,
			);

			const reasons = [
				'the failure "storage full"',
				'reports a failure',
				'an empty JSON object',
				'the fields container instead of a container with a uuid',
			];
			expect(execution.json('Operation')).toEqual(
				reasons.map((reason, index) => ({
					name: `number ${index}`,
					error: expect.stringContaining(reason),
					errorDescription: expect.stringContaining('might have been created'),
				})),
			);
			expect(sent('POST')).toHaveLength(bodies.length);
		});

		it('is not a deletion', async () => {
			const list = containers('one');
			respond('DELETE', /\/containers\//, { error: 'not permitted' });

			const execution = await run(list, { operation: 'delete', ...byId });

			expect(execution.status).toBe('error');
			expect(execution.error?.message).toContain('the failure "not permitted"');
			expect(stored()).toEqual(['one']);
		});
	});

	describe('status 503 after the work was done', () => {
		const unavailable = { kind: 'status', status: 503, when: 'effect' } as const;
		const headers = { 'retry-after': '0' };

		it('creates one container, and says that it might exist', async () => {
			e2e.sandbox.faults.add({ ...unavailable, headers, method: 'POST', times: Infinity });

			const execution = await run([{ name: 'one' }], { ...encode, options: { maxRetries: 3 } });

			expect(stored()).toEqual(['one']);
			expect(sent('POST')).toHaveLength(1);
			expect(execution.status).toBe('error');
			expect(execution.error?.description).toContain(
				'The container might have been created: look for "one"',
			);
		});

		it('deletes the container, which the second request no longer finds', async () => {
			const list = containers('one');
			e2e.sandbox.faults.add({ ...unavailable, headers, method: 'DELETE' });

			const execution = await run(list, { operation: 'delete', ...byId });

			expect(execution.error).toBeUndefined();
			expect(execution.json('Operation')).toEqual([expect.objectContaining({ deleted: true })]);
			expect(sent('DELETE').map(({ status }) => status)).toEqual([503, 404]);
			expect(stored()).toEqual([]);
		});
	});

	describe('a list that tells its pages in the body', () => {
		const [first, second] = ['one', 'two'].map((name) => ({ uuid: `c-${name}`, name }));
		const getAll = { operation: 'getAll', returnAll: true };
		const cutOff = [
			{ data: [first], total: 2 },
			{ data: [first], nextPageToken: 'abc' },
			{ data: [first], next_cursor: 'abc', has_more: true },
		];

		it.each([
			['a relative URL', () => ({ next: '?page=2' })],
			[
				'an absolute URL',
				() => ({
					links: {
						next: `${e2e.sandbox.url}/users/${e2e.sandbox.user.id}/containers?page=2`,
					},
				}),
			],
		])('is complete when it gives %s', async (_form, link) => {
			respond('GET', LIST, { results: [first], ...link() }, { results: [second], next: null });

			const execution = await run([{ name: 'any' }], getAll);

			expect(execution.error).toBeUndefined();
			expect(execution.json('Operation').map(({ uuid }) => uuid)).toEqual([
				first.uuid,
				second.uuid,
			]);
			expect(sent('GET').at(-1)?.path).toMatch(/\/containers\?page=2$/);
		});

		it.each(cutOff)('is an error, not the first page: %j', async (body) => {
			respond('GET', LIST, body);

			const execution = await run([{ name: 'any' }], getAll);

			expect(execution.status).toBe('error');
			expect(execution.error?.message).toContain('1 entries, but there might be more because');
		});

		it('shows Reuse Existing the container on its second page', async () => {
			respond('GET', LIST, { results: [first], next: '?page=2' }, { results: [second] });
			respond('GET', /\/drm$/, { recipients: ['ada@example.com'] });

			const execution = await run([{ name: 'two' }], reuse);

			expect(execution.json('Operation')).toMatchObject([{ container: second, reused: true }]);
			expect(sent('POST')).toEqual([]);
		});

		it('keeps Reuse Existing from creating a duplicate when it is cut off', async () => {
			respond('GET', LIST, ...cutOff);

			const execution = await run(
				cutOff.map(() => ({ name: 'two' })),
				reuse,
				continues,
			);

			expect(execution.json('Operation')).toEqual(
				cutOff.map(() => ({
					name: 'two',
					error: expect.stringContaining('1 entries, but there might be more because'),
					errorDescription: expect.any(String),
				})),
			);
			expect(sent('POST')).toEqual([]);
		});

		it('does not count as deletions for the trigger when it is cut off', async () => {
			const [kept, gone] = containers('kept', 'gone');
			const { faults, state } = e2e.sandbox;
			const polls = () => sent('GET').filter(({ path }) => LIST.test(path)).length;
			const trigger = {
				name: 'Trigger',
				type: TRIGGER_TYPE,
				credentials: e2e.credentials,
				parameters: { event: 'containerDeleted', pollTimes: pollEvery(2) },
			};
			const id = await e2e.server.createWorkflow(
				buildWorkflow([trigger, { name: 'Next', type: 'n8n-nodes-base.noOp' }]),
			);
			const executions = async (wanted: string) =>
				(await e2e.server.executions(id)).filter(({ status }) => status === wanted);

			await e2e.server.activate(id);
			await until('two polls', () => polls() >= 2);
			const listed = [{ uuid: kept.id, name: 'kept' }];
			respond('GET', LIST, { data: listed, total: 2 }, { data: listed, nextPageToken: 'abc' });
			await until('two failed polls', async () => (await executions('error')).length >= 2);
			faults.clear();
			const errors = await executions('error');
			const emitted = await executions('success');
			state.containers.delete(gone.id);
			await until('the deletion', async () => (await executions('success')).length >= 1);
			const before = polls();
			await until('two more polls', () => polls() >= before + 2);
			const deletions = await executions('success');
			await e2e.server.deactivate(id);

			expect(emitted).toEqual([]);
			for (const { id: failed } of errors) {
				const { error } = await e2e.server.execution(failed);
				expect(error?.message).toContain('1 entries, but there might be more because');
			}
			expect(deletions).toHaveLength(1);
			const [{ id: deletion }] = deletions;
			expect((await e2e.server.execution(deletion)).json('Trigger')).toEqual([
				{ containerId: gone.id, name: 'gone' },
			]);
		});
	});

	it('finds an existing container whose name contains the password', async () => {
		const rules = { recipients: ['ada@example.com'] };
		const { uuid } = e2e.sandbox.addContainer({ name: 'Statement 2026', rules });

		const execution = await run([{ name: 'Statement 2026' }], {
			...reuse,
			drmRules: { password: 'Statement' },
		});

		expect(execution.error).toBeUndefined();
		expect(execution.json('Operation')).toEqual([
			expect.objectContaining({
				container: expect.objectContaining({ uuid, name: 'Statement 2026' }),
			}),
		]);
		expect(sent('POST')).toEqual([]);
	});

	it('sends each item with its own credential when an expression sets the API key', async () => {
		const others = ['ada@example.com', 'bob@example.com'].map((email) => createUser({ email }));
		e2e.sandbox.users.push(...others);
		const data = { baseUrl: e2e.sandbox.url, apiKey: '={{ $json.id }}' };
		const name = 'Key of the item';
		const id = await e2e.server.createCredential({ name, type: CREDENTIAL_TYPE, data });

		const execution = await run(
			[others[0], others[1], others[0]].map(({ apiKey }, index) => ({
				name: `number ${index}`,
				id: apiKey,
			})),
			encode,
			{ credentials: { [CREDENTIAL_TYPE]: { id, name } } },
		);

		expect(execution.error).toBeUndefined();
		const owners = [...e2e.sandbox.state.containers.values()].map((container) => [
			container.name,
			container.userId,
		]);
		expect(owners).toEqual([
			['number 0', others[0].id],
			['number 1', others[1].id],
			['number 2', others[0].id],
		]);
		expect(sent('GET').map(({ path }) => path)).toEqual(['/api/v1/me', '/api/v1/me']);
	});

	describe('text and pages', () => {
		it('accepts the text OK that is labelled as HTML', async () => {
			const list = containers('one');
			const contentType = 'text/html; charset=utf-8';
			e2e.sandbox.faults.add({
				kind: 'body',
				when: 'effect',
				method: 'DELETE',
				body: 'OK',
				contentType,
			});

			const execution = await run(list, { operation: 'delete', ...byId });

			expect(execution.error).toBeUndefined();
			expect(execution.json('Operation')).toEqual([expect.objectContaining({ deleted: true })]);
			expect(stored()).toEqual([]);
		});

		it.each([
			['get', 'GET'],
			['delete', 'DELETE'],
		])('quotes the title of a page with status 200: %s', async (operation, method) => {
			const list = containers('one');
			const body = page('Sign in to continue');
			e2e.sandbox.faults.add({ kind: 'body', method, body, contentType: 'text/html' });

			const execution = await run(list, { operation, ...byId });

			expect(execution.error?.message).toContain('an HTML page ("Sign in to continue")');
			expect(stored()).toEqual(['one']);
		});

		it.each([401, 403, 404, 407])('quotes the title of a page with status %i', async (status) => {
			const list = containers('one');
			e2e.sandbox.faults.add({
				kind: 'status',
				status,
				body: page('Blocked by the firewall'),
				contentType: 'text/html',
			});

			const execution = await run(list, { operation: 'get', ...byId });

			expect(execution.error?.description).toContain('HTML page "Blocked by the firewall"');
		});
	});
});
