import { Readable } from 'node:stream';
import { acceptChange, acceptObject, acceptPage } from '../../../../nodes/shared/client/accept';
import type { ServiceRequest } from '../../../../nodes/shared/client/client';
import { getFailureCause } from '../../../../nodes/shared/errors/failure';
import {
	errorOf,
	getContainer,
	networkError,
	setUpClient,
	type Reply,
} from '../../support/client.cts';

const list = { method: 'GET', path: '/users/u/containers', action: 'list the containers' } as const;
const update = { method: 'PATCH', path: '/containers/c-1/drm', action: 'change it' } as const;
const creation = { ...getContainer, method: 'POST', subject: { creates: 'container' } } as const;
const html = '<html><title>Login</title>';
const expected = { what: 'a uuid', isIn: ({ uuid }: { uuid?: unknown }) => uuid !== undefined };

/** What the request for an object makes of a response: the object, or the message of the error. */
const get = async (reply: Reply, more: Partial<ServiceRequest> = {}) =>
	await setUpClient([reply])
		.client.request({ ...getContainer, ...more }, acceptObject)
		.then(
			({ object }) => object,
			(error: Error) => error.message,
		);
const change = async (reply: Reply) =>
	await setUpClient([reply]).client.request(update, acceptChange);
const page = async (reply: Reply) => await setUpClient([reply]).client.request(list, acceptPage);

describe('an object', () => {
	it.each<[Reply, object | string]>([
		[{ body: { uuid: 'c-1' } }, { uuid: 'c-1' }],
		[
			{ status: 299, body: { uuid: 'c-1', status: 'queued' } },
			{ uuid: 'c-1', status: 'queued' },
		],
		[{}, 'returned an empty response instead of a JSON object for the request to get'],
		[{ body: 'OK' }, 'returned text instead of a JSON object'],
		[{ body: [{ uuid: 'c-1' }] }, 'returned a list instead of a JSON object'],
		[{ body: html }, 'returned an HTML page "Login" instead of a JSON object'],
		[{ body: '{"a":' }, 'returned invalid JSON of 5 characters instead of a JSON object'],
		[{ body: { error: 'No' } }, 'The service could not get the container: No'],
		[{ body: { success: false } }, 'could not get the container: success: false'],
		[{ body: { errors: [{ message: 'No' }], id: 'request-1' } }, 'get the container: No'],
		[{ status: 304, body: { uuid: 'c-1' } }, 'The service redirected the request'],
	])('from %j is %j', async (reply, outcome) => {
		const isMessage = typeof outcome === 'string';
		expect(await get(reply)).toEqual(isMessage ? expect.stringContaining(outcome) : outcome);
	});

	it('is what is expected, whatever is beside it', async () => {
		const body = { uuid: 'c-1', error: 'No mail', errors: ['x'], success: false };
		expect(await get({ body }, { expected })).toEqual(body);
		expect(await get({ body: { a: 1 } }, { expected })).toBe(
			'The service returned a JSON object with the fields a instead of a uuid for the request to get the container',
		);
	});

	it.each([
		['"3"', '"3"'],
		['W/"3"', undefined],
	])('with the ETag %s can be changed by %s', async (etag, usable) => {
		const { client } = setUpClient([{ body: {}, headers: { etag } }]);
		expect(await client.request(getContainer, acceptObject)).toEqual({ object: {}, etag: usable });
	});
});

describe('a change', () => {
	it.each<[Reply, object]>([
		[{ status: 204 }, { isEmpty: true }],
		[{ body: {} }, { isEmpty: true, object: undefined }],
		[{ body: 'It was received' }, { isEmpty: false, message: 'It was received' }],
		[
			{ status: 202, body: { id: 'j' } },
			{ isEmpty: false, object: { id: 'j' } },
		],
		[{ body: { message: 'queued' } }, { isEmpty: false, message: 'queued' }],
		[{ body: [1] }, { isEmpty: false, object: undefined }],
	])('is a record, a message or nothing: %j', async (reply, result) => {
		expect(await change(reply)).toMatchObject(result);
	});

	it.each<[Reply, string, string]>([
		[{ body: { error: 'No' } }, 'The service could not change it: No', 'Check the parameters'],
		[{ body: { success: false, message: 'No' } }, 'not change it: No', 'status of success'],
		[{ body: html }, 'an HTML page "Login" instead', 'Base URL.* might have made the change'],
		[{ body: '{' }, 'invalid JSON', 'The service might have made the change'],
	])('is not in %j', async (reply, message, description) => {
		const error = await errorOf(change(reply));
		expect(error.message).toContain(message);
		expect(error.description).toMatch(new RegExp(description));
	});
});

it.each<[Reply, string]>([
	[{ body: { uuid: 'c-1' } }, 'returned a JSON object with the fields uuid instead of a list'],
	[{ body: html }, 'returned an HTML page "Login" instead of a list'],
	[{ body: { data: [], error: 'No' } }, 'The service could not list the containers: No'],
])('a page of a list is not in %j', async (reply, message) => {
	expect((await errorOf(page(reply))).message).toContain(message);
});

it('a page of a list with entries is one, whatever is beside them', async () => {
	const { entries } = await page({ body: { data: [{ uuid: 'c-1' }], error: 'No preview' } });
	expect(entries).toEqual([{ uuid: 'c-1' }]);
});

describe('the length of a response', () => {
	const stream = (bytes: number) =>
		Readable.from([Buffer.alloc(bytes - 2, ' '), Buffer.from('{}')]);
	const broken = () =>
		new Readable({
			read() {
				this.destroy(Object.assign(new Error('aborted'), { code: 'ECONNRESET' }));
			},
		});

	it('can be 8 MB', async () => {
		expect(await get({ body: stream(8_000_000) })).toEqual({});
		expect(await get({ body: stream(8_000_001) })).toMatch(/more than 8 MB instead of/);
	});

	it('is that of a connection that holds', async () => {
		expect(await get({ body: broken() })).toMatch(/closed the connection before its response/);
		const created = await errorOf(
			setUpClient([{ body: broken() }]).client.request(creation, acceptObject),
		);
		expect(created.description).toMatch(/The container might have been created: look for it/);
	});

	it('of an error says by a word of the contract what is wrong', async () => {
		const refused = { status: 409, body: '{"message":"Kept","code":"on_hold"}' };
		const { client } = setUpClient([refused]);
		const { message } = await errorOf(client.request(getContainer, acceptObject));
		expect(message).toMatch(/because the container is on hold$/);
	});

	it.each([stream(1_000_001), broken()])('of an error hides no status', async (body) => {
		const { client } = setUpClient([{ status: 403, body }]);
		expect(await errorOf(client.request(getContainer, acceptObject))).toMatchObject({
			...{
				reason: { status: 403 },
				description: expect.stringMatching(/no message \(status 403\)/) as string,
			},
		});
	});
});

describe('an error', () => {
	const fail = async (reply: Reply, request: Partial<ServiceRequest> = {}) =>
		await errorOf(
			setUpClient([reply]).client.request({ ...getContainer, ...request }, acceptObject),
		);

	it('names the origin, where a redirect goes to, and for n8n how long to wait', async () => {
		expect((await fail(networkError('ECONNREFUSED'))).message).toMatch(
			/^Could not connect to https:\/\/share\.example\.com /,
		);
		const location = 'https://x.example/login';
		expect((await fail({ status: 302, headers: { location } })).description).toMatch(
			/ a redirect to https:\/\/x\.example\/login\./,
		);
		const { reason } = await fail({ status: 429, headers: { 'retry-after': '7' } });
		expect(getFailureCause(reason)).toEqual({
			...{ cause: 'rate-limited', retryAfterMs: 7000 },
		});
	});

	it('shows no secret, and what the service says on one line', async () => {
		const { client, connection, replies } = setUpClient([]);
		const body = { message: `Key ${connection.apiKey}\n<b>password-1</b>` };
		replies.push({ status: 422, body });
		const subject = { containerId: 'id\npassword-1' };
		const secrets = ['password-1'];
		const request = { ...getContainer, subject, secrets };
		const { message, description } = await errorOf(client.request(request, acceptObject));

		expect(message).toBe(
			'The service did not accept the request to get the container: Key [hidden] ‹b›[hidden]‹/b›',
		);
		expect(description).not.toMatch(/password-1/);
	});
});
