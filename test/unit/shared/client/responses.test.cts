import { Readable } from 'node:stream';

import type { ClientSettings, ServiceRequest } from '../../../../nodes/shared/client/client';
import {
	baseUrl,
	errorOf,
	getContainer,
	networkError,
	setUpClient,
	type Reply,
} from '../../support/client.cts';

const list = { method: 'GET', path: '/users/u/containers', action: 'list the containers' } as const;
const update = {
	method: 'PATCH',
	path: '/containers/c-1/drm',
	action: 'change the rules',
} as const;
const deletion = { method: 'DELETE', path: '/containers/c-1', action: 'delete it' } as const;
const html = { headers: { 'content-type': 'text/html' }, body: '<html><title>Login</title>' };

describe('an object', () => {
	it.each<[string, Reply]>([
		['a record', { body: { uuid: 'c-1' } }],
		['another status of success', { status: 299, body: { uuid: 'c-1' } }],
		['a record whose field has the name of an error', { body: { uuid: 'c-1', error: 'none' } }],
	])('is accepted: %s', async (_what, reply) => {
		const { client } = setUpClient([reply]);
		expect(await client.requestObject(getContainer)).toMatchObject({ uuid: 'c-1' });
	});

	it.each<[string, Reply, string]>([
		['nothing', {}, 'returned an empty response instead of a JSON object for the request to get'],
		['text', { body: 'OK' }, 'returned text instead of a JSON object'],
		['a list', { body: [{ uuid: 'c-1' }] }, 'returned a list instead of a JSON object'],
		['null', { body: 'null' }, 'returned the JSON value null instead of a JSON object'],
		['a failure', { body: { error: 'No' } }, 'returned the failure "No" instead of a JSON object'],
		['a page', html, 'Received an HTML page ("Login") instead of an API response'],
		['a page by its label', { ...html, body: 'Sorry<p>' }, 'Received an HTML page instead of an'],
		[
			'invalid JSON',
			{ body: '{"a":' },
			'returned invalid JSON for the request to get the container',
		],
	])('is not %s', async (_what, reply, message) => {
		const { client } = setUpClient([reply]);
		expect((await errorOf(client.requestObject(getContainer))).message).toContain(message);
	});

	it.each<[string, Reply, string]>([
		['with a failure beside it', { body: { container: { uuid: 'c-1' }, error: 'No' } }, '"No"'],
		['with its own failure', { body: { uuid: 'c-1', success: false } }, 'reports a failure'],
		['with status 202', { status: 202, body: { uuid: 'c-1' } }, 'says that it is not done yet'],
		['in a queue', { body: { uuid: 'c-1', status: 'queued' } }, 'says that it is not done yet'],
	])('is not a new record %s', async (_what, reply, message) => {
		const { client } = setUpClient([reply]);
		const request = { ...getContainer, method: 'POST', idempotent: false } as const;
		expect((await errorOf(client.requestObject(request))).message).toContain(message);
	});

	it('is what the caller asked for', async () => {
		const { client } = setUpClient([{ body: { a: 1 } }]);
		const check = () => ({ kind: 'unexpected', expected: 'rules', received: 'no rules' }) as const;
		const error = await errorOf(client.requestObject(getContainer, check));
		expect(error.message).toBe(
			'The service returned no rules instead of rules for the request to get the container',
		);
	});
});

describe('an optional object', () => {
	it.each<[string, ServiceRequest, Reply, unknown]>([
		['nothing', update, { status: 204 }, undefined],
		['text', update, { body: 'OK' }, undefined],
		['an empty object', update, { body: {} }, undefined],
		['a list', update, { body: [1] }, undefined],
		['what is not done yet', update, { status: 202, body: { job: 1 } }, { job: 1 }],
		['null', update, { body: 'null' }, undefined],
		['an object', update, { body: { opens: 3 } }, { opens: 3 }],
		[
			'a record with an error field',
			update,
			{ body: { id: 1, error: 'x' } },
			{ id: 1, error: 'x' },
		],
		['what was deleted', deletion, { body: { deleted: true } }, { deleted: true }],
	])('is %s', async (_what, request, reply, expected) => {
		const { client } = setUpClient([reply]);
		expect(await client.requestOptionalObject(request)).toEqual(expected);
	});

	it.each<[string, ServiceRequest, Reply, string]>([
		['a failure', update, { body: { error: 'No' } }, 'the failure "No" instead of an API response'],
		['a failure in a list', update, { body: [{ error: 'No' }] }, 'the failure "No"'],
		['a failure in an object', update, { body: { data: { success: false } } }, 'reports a failure'],
		['a failure in words', deletion, { body: 'Error: locked' }, 'the failure "Error: locked"'],
		['a failure to delete', deletion, { body: { id: 1, error: 'No' } }, 'the failure "No"'],
		['a page', update, html, 'Received an HTML page'],
		['invalid JSON', update, { body: '{' }, 'returned invalid JSON'],
	])('is not %s', async (_what, request, reply, message) => {
		const { client } = setUpClient([reply]);
		expect((await errorOf(client.requestOptionalObject(request))).message).toContain(message);
	});
});

it.each<[Reply, object]>([
	[{ body: { deleted: true } }, { object: { deleted: true }, outcome: 'done' }],
	[{ status: 204 }, { outcome: 'done' }],
	[
		{ status: 202, body: { id: 'job-1' } },
		{ object: { id: 'job-1' }, outcome: 'pending' },
	],
	[{ body: { uuid: 'c-1' } }, { object: { uuid: 'c-1' }, outcome: undefined }],
	[{ body: 'Your request was received' }, { outcome: undefined }],
])('a change is done, not done yet, or not known: %j', async (reply, expected) => {
	const { client } = setUpClient([reply]);
	expect(await client.requestChange(deletion)).toEqual(expected);
});

describe('a page of a list', () => {
	const page = async (reply: Reply, isEmptyAllowed?: boolean) =>
		await setUpClient([reply]).client.requestPage({ ...list, isEmptyAllowed });

	it('has its entries, memory and what it says of the rest', async () => {
		const headers = { link: '<?page=2>; rel="next"', 'x-pagination': '{"TotalCount":7}' };
		const body = '{"data":["é"],"total":7}';

		const { entries, memory, info } = await page({ body, headers });

		expect([entries, info.nextUrl, [...info.hints.keys()]]).toEqual([
			['é'],
			'?page=2',
			['x-pagination.TotalCount', 'total'],
		]);
		expect(memory).toBe(2 * 56 + 20 + 2 * 8 + 2 * 25);
	});

	it.each<[string, Reply]>([
		['nothing', { headers: { 'x-a': '1' } }],
		['null', { body: 'null' }],
		['an empty list', { body: [] }],
	])('can be %s where that is allowed', async (_what, reply) => {
		expect((await page(reply, true)).entries).toEqual([]);
	});

	it('has what its headers say also when it is empty', async () => {
		const { entries, info } = await page({ body: '  ', headers: { 'x-total': '1' } }, true);
		expect([entries, [...info.hints.keys()]]).toEqual([[], ['x-total']]);
	});

	it.each<[string, Reply, string]>([
		['nothing', {}, 'an empty response'],
		['null', { body: 'null' }, 'the JSON value null'],
		['an object', { body: { uuid: 'c-1' } }, 'a JSON object with the fields uuid'],
		['an empty list with a failure', { body: { data: [], error: 'No' } }, 'the failure "No"'],
		['text', { body: 'OK' }, 'text'],
	])('is not %s', async (_what, reply, received) => {
		const error = await errorOf(page(reply));
		expect(error.message).toContain(`returned ${received} instead of a list for the request to`);
	});

	it('is refused where a failure stands beside its entries, but not for what they say', async () => {
		const partial = page({ body: { data: [1], error: 'Partial' } });
		expect((await errorOf(partial)).message).toContain('Partial');
		const entries = [{ error: 'no', status: 'failed' }];
		expect((await page({ body: { data: { items: entries } } })).entries).toEqual(entries);
	});
});

describe('a large response', () => {
	it.each([
		[100_000, 0],
		[100_001, 1],
	])('of %i bytes is parsed with %i breaks', async (size, breaks) => {
		let turns = 0;
		const countTurns = () =>
			setTimeout(() => {
				turns += 1;
				timer = countTurns();
			}, 0);
		let timer = countTurns();

		await setUpClient([{ body: `[${' '.repeat(size - 2)}]` }]).client.requestPage(list);
		clearTimeout(timer);

		expect(turns).toBe(breaks);
	});
});

describe('the length of a response', () => {
	const stream = (bytes: number) =>
		Readable.from([Buffer.alloc(bytes - 2, ' '), Buffer.from('{}')]);

	it('is limited', async () => {
		const { client, replies } = setUpClient([{ body: stream(8_000_000) }]);
		expect(await client.requestObject(getContainer)).toEqual({});

		replies.push({ body: stream(8_000_001) });
		const error = await errorOf(client.requestObject(getContainer));
		expect(error.message).toMatch(/more than 8 MB for the request to get the container/);

		replies.push({ body: stream(101) });
		const other = await errorOf(
			client.requestObject({ ...getContainer, limits: { bytes: 100, memory: 1_000_000 } }),
		);
		expect(other.message).toMatch(/more than 0.0001 MB/);
	});

	it.each([300, 403])('of an error hides no status: %i', async (status) => {
		const broken = new Readable({
			read() {
				this.destroy(new Error('reset'));
			},
		});
		for (const body of [stream(1_000_001), broken]) {
			const { client } = setUpClient([{ status, body }]);
			const error = await errorOf(client.requestObject(getContainer));
			expect(error.httpCode).toBe(String(status));
			expect(error.description).toMatch(/returned (no message \(status 403\)|a redirect)/);
		}
	});

	it('of an error is limited to 1 MB', async () => {
		const message = (bytes: number) => ({
			status: 403,
			body: Readable.from([Buffer.alloc(bytes - 19, ' '), Buffer.from('{"message":"Words"}')]),
		});
		const { client } = setUpClient([message(1_000_000), message(1_000_001)]);
		expect((await errorOf(client.requestObject(getContainer))).description).toMatch(/Words/);
		expect((await errorOf(client.requestObject(getContainer))).description).not.toMatch(/Words/);
	});

	it('that ends too early is a lost connection', async () => {
		const body = new Readable({
			read() {
				this.destroy(Object.assign(new Error('aborted'), { code: 'ECONNRESET' }));
			},
		});
		const { client } = setUpClient([{ body }]);
		const error = await errorOf(client.requestObject(getContainer));
		expect(error.message).toMatch(/its response was cut off/);
	});
});

describe('the error of a status', () => {
	const fail = async (
		reply: Reply,
		settings: Partial<ClientSettings> = {},
		request: Partial<ServiceRequest> = {},
		sensitiveValues: string[] = [],
	) => {
		const { client, connection } = setUpClient([reply], settings, sensitiveValues);
		return {
			connection,
			error: await errorOf(client.requestObject({ ...getContainer, ...request })),
		};
	};

	it.each([199, 300, 304])('%i is no success', async (status) => {
		const { error } = await fail({ status, body: { uuid: 'c-1' } });
		expect(error.httpCode).toBe(String(status));
	});

	it('names the item', async () => {
		const { error } = await fail({ status: 422 }, { itemIndex: 3 });
		expect(error.message).toMatch(/ \[item 3\]$/);
		expect(error.context.itemIndex).toBe(3);
	});

	it('names where a redirect goes to', async () => {
		const { error } = await fail({ status: 302, headers: { location: 'https://x.example/login' } });
		expect(error.description).toContain('a redirect to https://x.example/login.');
	});

	it('tells n8n how long to wait', async () => {
		const headers = { 'retry-after': '7' };
		expect((await fail({ status: 429, headers })).error.failure).toEqual({
			cause: 'rate-limited',
			retryAfterMs: 7000,
		});
		expect((await fail(networkError('EPROTO'))).error.failure).toEqual({
			cause: 'configuration-invalid',
		});
	});

	it('points to the User ID where its path has one', async () => {
		const chosenUser = 'u 1';
		const ofUser = { path: '/users/u%201/contacts/a', subject: {} };
		const { error } = await fail({ status: 404 }, { chosenUser }, ofUser);
		expect(error.message).toBe('User "u 1" was not found');

		const { error: other } = await fail({ status: 404 }, { chosenUser });
		expect(other.description).not.toMatch(/User ID/);
		const { error: longer } = await fail(
			{ status: 403 },
			{ chosenUser: 'u' },
			{ path: '/users/u2/contacts' },
		);
		expect(longer.description).not.toMatch(/User ID/);
	});

	it('points to the proxy where the response is not from the API', async () => {
		const requestOptions = { proxy: { host: 'proxy.example.com', port: 3128 } };
		for (const reply of [
			{ ...html, status: 403 },
			{ body: 'Blocked', status: 403 },
		]) {
			const { error } = await fail(reply, { requestOptions });
			expect(error.message).toBe(
				'The proxy or the service refused to get the container (status 403)',
			);
			expect((await fail(reply)).error.message).not.toMatch(/proxy/);
			expect((await fail(reply, { requestOptions: {} })).error.message).not.toMatch(/proxy/);
		}
		const { error } = await fail({ body: { message: 'No' }, status: 403 }, { requestOptions });
		expect(error.message).not.toMatch(/proxy/);
	});

	it('of a creation says where to look', async () => {
		const { error } = await fail(
			{ status: 502 },
			{},
			{ method: 'POST', idempotent: false, subject: { containerName: 'Invoice' } },
		);
		expect(error.description).toMatch(/might have been created: look for "Invoice"/);
		expect((await fail({ status: 502 })).error.description).not.toMatch(/might have/);
		const changed = await fail({ status: 502 }, {}, { method: 'PATCH' });
		expect(changed.error.description).toContain('The service might have made the change.');
	});

	it('shows no secret, and what the service says on one line', async () => {
		const { connection, error } = await fail({ status: 422 });
		const body = { message: `Key ${connection.apiKey}\n<b>password-1</b>` };
		const setUp = setUpClient([], {}, ['password-1', connection.apiKey]);
		setUp.replies.push({ status: 422, body });
		const request = {
			...getContainer,
			action: 'get password-1',
			subject: { containerId: 'id\npassword-1' },
		};
		const shown = await errorOf(setUp.client.requestObject(request));
		expect(error.message).not.toMatch(/hidden/);
		expect(shown.message).toBe(
			'The service did not accept the request to get [hidden]: Key [hidden] ‹b›[hidden]‹/b›',
		);
		expect(shown.description).toMatch(/^"id \[hidden\]" looks like a name/);
		expect(shown.description).not.toMatch(/password-1/);
	});

	it('contains the origin of the Base URL', async () => {
		const { error } = await fail(networkError('ECONNREFUSED'));
		expect(error.message).toBe('Could not connect to https://share.example.com');
	});
});

describe('text of the service', () => {
	it('is redacted before it leaves the node', async () => {
		const { client, connection } = setUpClient([], {}, ['password-1']);
		const text = `${connection.apiKey} password-1`;

		expect(client.redactText(`${text}\n`)).toBe('[hidden] [hidden]\n');
		expect(client.redactLine(`${text}\n.`)).toBe('[hidden] [hidden] .');
		const records = Array.from({ length: 250 }, () => ({ note: text }));
		expect(await client.redact(records)).toBe(records);
		for (const { note } of records) expect(note).toBe('[hidden] [hidden]');
	});

	it('is resolved below the base URL', () => {
		const { client } = setUpClient([]);
		expect(client.resolveUrl('/me')).toBe(`${baseUrl}/me`);
		expect(client.resolveUrl('https://x.example/')).toBe('https://x.example/');
		expect(client.origin).toBe('https://share.example.com');
	});
});
