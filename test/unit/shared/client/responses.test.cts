import { Readable } from 'node:stream';

import type { ClientSettings, ServiceRequest } from '../../../../nodes/shared/client/client';
import {
	errorOf,
	getContainer,
	networkError,
	setUpClient,
	type Reply,
} from '../../support/client.cts';

const list = { method: 'GET', path: '/users/u/containers', action: 'list the containers' } as const;
const update = { method: 'PATCH', path: '/containers/c-1/drm', action: 'change it' } as const;
const deletion = { method: 'DELETE', path: '/containers/c-1', action: 'delete it' } as const;
const creation = { ...getContainer, method: 'POST', idempotent: false } as const;
const html = { headers: { 'content-type': 'text/html' }, body: '<html><title>Login</title>' };

/** What the request for an object makes of a response: the object, or the message of the error. */
const outcomeOf = async (request: Promise<unknown>) =>
	await request.catch((error: Error) => error.message);

describe('an object', () => {
	it.each<[Reply, object | string, ServiceRequest?]>([
		[{ body: { uuid: 'c-1' } }, { uuid: 'c-1' }],
		[{ status: 299, body: { uuid: 'c-1' } }, { uuid: 'c-1' }],
		[
			{ status: 202, body: { uuid: 'c-1', status: 'queued' } },
			{ uuid: 'c-1', status: 'queued' },
		],
		[{}, 'returned an empty response instead of a JSON object for the request to get'],
		[{ body: 'OK' }, 'returned text instead of a JSON object'],
		[{ body: [{ uuid: 'c-1' }] }, 'returned a list instead of a JSON object'],
		[{ body: 'null' }, 'returned the JSON value null instead of a JSON object'],
		[{ body: { error: 'No' } }, 'The service could not get the container: No'],
		[html, 'Received an HTML page ("Login") instead of an API response'],
		[{ body: '{"a":' }, 'returned invalid JSON for the request to get the container'],
		[{ body: { success: false } }, 'could not get the container: success: false'],
		[{ body: { errors: [{ message: 'No' }], id: 'request-1' } }, 'get the container: No'],
	])('from %j is %j', async (reply, expected, ...[request = getContainer]) => {
		const outcome = await outcomeOf(setUpClient([reply]).client.requestObject(request));
		if (typeof expected === 'string') expect(outcome).toContain(expected);
		else expect(outcome).toEqual(expected);
	});

	const envelope = { container: { uuid: 'c-1' }, error: 'No mail', success: false };
	const rules = { drm: { dynamic: true, ip: { allow: [] } }, errors: ['x'] };

	it.each<[object, ServiceRequest?]>([
		[{ uuid: 'C-1', error: 'none' }],
		[{ data: { id: 'c-1' }, errors: ['x'] }],
		[{ uuid: 'c-1', error: '', errors: [], success: true }],
		[envelope, creation],
		[rules],
	])('that shows what was asked for is no failure: %j', async (body, request = getContainer) => {
		expect(await setUpClient([{ body }]).client.requestObject(request)).toEqual(body);
	});

	it('is what the caller asked for', async () => {
		const { client } = setUpClient([{ body: { a: 1 } }]);
		const check = () => ({ kind: 'unexpected', expected: 'rules', received: 'no rules' }) as const;
		expect(await outcomeOf(client.requestObject(getContainer, check))).toBe(
			'The service returned no rules instead of rules for the request to get the container',
		);
	});

	it.each<[Reply, string, ServiceRequest?]>([
		[{ body: { error: 'No' } }, 'The service could not change it: No'],
		[{ body: { success: false, message: 'No' } }, 'The service could not delete it: No', deletion],
		[html, 'Received an HTML page'],
		[{ body: '{' }, 'returned invalid JSON'],
	])('of a change is not in %j', async (reply, expected, ...[request = update]) => {
		const { message, description } = await errorOf(
			setUpClient([reply]).client.requestChange(request),
		);
		expect(message).toContain(expected);
		// A failure in its own words comes from the API.
		expect(description?.includes('Check the parameters')).toBe(message.includes('could not'));
	});
});

it.each<[Reply, object]>([
	[{ status: 204 }, { isEmpty: true }],
	[{ body: {} }, { isEmpty: true }],
	[{ body: 'Your request was received' }, { isEmpty: false, message: 'Your request was received' }],
	[
		{ status: 202, body: { id: 'j' } },
		{ isEmpty: false, object: { id: 'j' } },
	],
	[{ body: { message: 'queued' } }, { isEmpty: false, message: 'queued' }],
	[{ body: [1] }, { isEmpty: false, object: undefined }],
])('a change is a record, a message or nothing: %j', async (reply, expected) => {
	expect(await setUpClient([reply]).client.requestChange(deletion)).toMatchObject(expected);
});

describe('a page of a list', () => {
	const page = async (reply: Reply) => await setUpClient([reply]).client.requestPage(list);

	it('can be empty', async () => {
		expect((await page({ status: 204 })).entries).toEqual([]);
	});

	it.each<[Reply, string]>([
		[{ body: { uuid: 'c-1' } }, 'a JSON object with the fields uuid'],
		[{ body: 'OK' }, 'text'],
	])('is not in %j', async (reply, received) => {
		const message = `returned ${received} instead of a list for the request to`;
		expect((await errorOf(page(reply))).message).toContain(message);
	});

	it('is not in a failure', async () => {
		for (const body of [
			{ data: [], error: 'No' },
			{ success: false, message: 'No' },
		]) {
			const message = 'The service could not list the containers: No';
			expect((await errorOf(page({ body }))).message).toBe(message);
		}
	});

	it('is not refused for what its entries say', async () => {
		const entries = [{ error: 'no', status: 'failed' }];
		const body = { data: { items: entries }, errors: [{ message: 'One is missing' }] };
		expect((await page({ body })).entries).toEqual(entries);
	});
});

describe('the length of a response', () => {
	const stream = (bytes: number, text = '{}') =>
		Readable.from([Buffer.alloc(bytes - text.length, ' '), Buffer.from(text)]);
	const broken = () =>
		new Readable({
			read() {
				this.destroy(Object.assign(new Error('aborted'), { code: 'ECONNRESET' }));
			},
		});
	const get = async (reply: Reply, more = {}) =>
		await outcomeOf(setUpClient([reply]).client.requestObject({ ...getContainer, ...more }));

	it('can be 64 MB for a page of a list', async () => {
		const get = async (body: string) =>
			await outcomeOf(setUpClient([{ body }]).client.requestPage(list));
		const tooLong = `[${Array.from({ length: 64 }, () => '1'.padStart(999_999)).join()}]`;

		expect(await get(tooLong)).toMatch(/more than 64 MB for the request/);
		expect(await get(tooLong.replace(' ', ''))).toHaveProperty('entries.63', 1);
	});

	it('is limited, also by the request', async () => {
		expect(await get({ body: stream(8_000_000) })).toEqual({});
		expect(await get({ body: stream(8_000_001) })).toMatch(/more than 8 MB for/);
		expect(await get({ body: stream(101) }, { maxBytes: 100 })).toMatch(/more than 0.0001 MB/);
		expect(await get({ body: broken() })).toMatch(/its response was cut off/);
	});

	it.each([300, 403])('of an error hides no status: %i', async (status) => {
		for (const body of [stream(1_000_001), broken()]) {
			const error = await errorOf(
				setUpClient([{ status, body }]).client.requestObject(getContainer),
			);
			expect(error.status).toBe(status);
			expect(error.description).toMatch(/returned (no message \(status 403\)|a redirect)/);
		}
	});

	it('of an error is limited to 1 MB', async () => {
		const say = async (bytes: number) =>
			await get({ status: 422, body: stream(bytes, '{"message":"Words"}') });
		expect(await say(1_000_000)).toMatch(/Words/);
		expect(await say(1_000_001)).not.toMatch(/Words/);
	});
});

describe('the error of a status', () => {
	const fail = async (
		reply: Reply,
		settings: Partial<ClientSettings> = {},
		request: Partial<ServiceRequest> = {},
	) =>
		await errorOf(
			setUpClient([reply], settings).client.requestObject({ ...getContainer, ...request }),
		);
	const text = expect.stringMatching;

	it.each([300, 304])('%i is no success', async (status) => {
		expect((await fail({ status, body: { uuid: 'c-1' } })).status).toBe(status);
	});

	it('names the origin, where a redirect goes to, and how long to wait', async () => {
		expect(await fail(networkError('ECONNREFUSED'))).toMatchObject({
			...{ message: 'Could not connect to https://share.example.com' },
		});
		const location = 'https://x.example/login';
		expect(await fail({ status: 302, headers: { location } })).toMatchObject({
			description: text(/ a redirect to https:\/\/x\.example\/login\./),
		});
		expect(await fail({ status: 429, headers: { 'retry-after': '7' } })).toMatchObject({
			failure: { cause: 'rate-limited', retryAfterMs: 7000 },
		});
		expect(await fail(networkError('EPROTO'))).toMatchObject({
			failure: { cause: 'configuration-invalid' },
		});
	});

	it('points to the User ID where its path has one', async () => {
		const ofUser = { path: '/users/u%201/contacts/a', subject: {} };
		const { message } = await fail({ status: 404 }, {}, ofUser);
		expect(message).toBe('User "u 1" was not found');

		const { client, replies } = setUpClient([{ body: { id: 'u 1' } }]);
		await client.getCurrentUser();
		for (const path of ['/containers/c-1', '/users/u%201/contacts/a']) {
			replies.push({ status: 403 });
			const { description } = await errorOf(client.requestObject({ ...getContainer, path }));
			expect(description).not.toMatch(/User ID/);
		}
	});

	it('says what might have been done', async () => {
		const subject = { containerName: 'Invoice' };
		const outage = { status: 502 };
		expect((await fail(outage, {}, { ...creation, subject })).description).toMatch(
			/might have been created: look for "Invoice"/,
		);
		expect((await fail(outage)).description).not.toMatch(/might have/);
		expect((await fail(outage, {}, { method: 'PATCH' })).description).toContain(
			'The service might have made the change.',
		);
	});

	it('shows no secret, and what the service says on one line', async () => {
		const { client, connection, replies } = setUpClient([]);
		const body = { message: `Key ${connection.apiKey}\n<b>password-1</b>` };
		replies.push({ status: 422, body });
		const subject = { containerId: 'id\npassword-1' };
		const secrets = ['password-1'];
		const request = { ...getContainer, action: 'get password-1', subject, secrets };
		const { message, description } = await errorOf(client.requestObject(request));

		expect(message).toBe(
			'The service did not accept the request to get [hidden]: Key [hidden] ‹b›[hidden]‹/b›',
		);
		expect(description).not.toMatch(/password-1/);
		expect((await fail({ status: 422 })).message).not.toMatch(/hidden/);
	});
});

it('text of the service is redacted before it leaves the node', async () => {
	const { client, connection } = setUpClient([]);
	const text = `${connection.apiKey} key`;

	expect(client.redactText(`${text}\n`)).toBe('[hidden] key\n');
	expect(client.redactLine(`${text}\n.`)).toBe('[hidden] key .');
	const records = Array.from({ length: 250 }, () => ({ note: text }));
	expect(await client.redact(records)).toBe(records);
	for (const { note } of records) expect(note).toBe('[hidden] key');
});
