import { Readable } from 'node:stream';

import type { Page } from '../../../../nodes/shared/client/accept';
import type { ClientSettings, ServiceRequest } from '../../../../nodes/shared/client/client';
import { MAX_KEPT, ResponseMemory } from '../../../../nodes/shared/responses/memory';
import {
	baseUrl,
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

const asItIs = async (page: Page) => await Promise.resolve(page);

describe('an object', () => {
	it.each<[Reply, object | string, ServiceRequest?]>([
		[{ body: { uuid: 'c-1' } }, { uuid: 'c-1' }],
		[{ status: 299, body: { uuid: 'c-1' } }, { uuid: 'c-1' }],
		[{ body: { uuid: 'c-1', error: 'none' } }, { uuid: 'c-1', error: 'none' }],
		[{ body: [] }, {}],
		[{}, 'returned an empty response instead of a JSON object for the request to get'],
		[{ body: 'OK' }, 'returned text instead of a JSON object'],
		[{ body: [{ uuid: 'c-1' }] }, 'returned a list instead of a JSON object'],
		[{ body: 'null' }, 'returned the JSON value null instead of a JSON object'],
		[{ body: { error: 'No' } }, 'returned the failure "No" instead of a JSON object'],
		[html, 'Received an HTML page ("Login") instead of an API response'],
		[{ body: '{"a":' }, 'returned invalid JSON for the request to get the container'],
		// A new record has not failed, and is not in a queue.
		[{ body: { container: { uuid: 'c-1' }, error: 'No' } }, '"No"', creation],
		[
			{ body: { uuid: 'c-1', success: false } },
			'the failure "uuid: c-1; success: false"',
			creation,
		],
		[{ status: 202, body: { uuid: 'c-1' } }, 'says that it is not done yet', creation],
		[{ body: { uuid: 'c-1', status: 'queued' } }, 'says that it is not done yet', creation],
	])('from %j is %j', async (reply, expected, ...[request = getContainer]) => {
		const outcome = await outcomeOf(setUpClient([reply]).client.requestObject(request));
		if (typeof expected === 'string') expect(outcome).toContain(expected);
		else expect(outcome).toEqual(expected);
	});

	it('is what the caller asked for', async () => {
		const { client } = setUpClient([{ body: { a: 1 } }]);
		const check = () => ({ kind: 'unexpected', expected: 'rules', received: 'no rules' }) as const;
		expect(await outcomeOf(client.requestObject(getContainer, check))).toBe(
			'The service returned no rules instead of rules for the request to get the container',
		);
	});

	it.each<[Reply, string, ServiceRequest?]>([
		[{ body: { error: 'No' } }, 'the failure "No" instead of an API response'],
		[{ body: 'Error: locked' }, 'the failure "Error: locked"', deletion],
		[{ body: { data: { error: 'No' } } }, 'the failure "No"', deletion],
		[html, 'Received an HTML page'],
		[{ body: '{' }, 'returned invalid JSON'],
	])('of a change is not in %j', async (reply, expected, ...[request = update]) => {
		const { message, description } = await errorOf(
			setUpClient([reply]).client.requestChange(request),
		);
		expect(message).toContain(expected);
		// A failure in its own words comes from the API.
		expect(description?.includes('Check the parameters')).toBe(message.includes('the failure'));
	});
});

it.each<[Reply, object, ServiceRequest?]>([
	[{ body: { deleted: true } }, { object: { deleted: true }, outcome: 'done' }],
	[{ status: 204 }, { outcome: 'done' }],
	[
		{ status: 202, body: { id: 'j' } },
		{ object: { id: 'j' }, outcome: 'pending' },
	],
	[{ body: { uuid: 'c-1' } }, { object: { uuid: 'c-1' }, outcome: undefined }],
	[{ body: 'Your request was received' }, { outcome: undefined }],
	[{ body: { id: 1, error: 'x' } }, { message: 'x', outcome: 'pending' }, update],
	[{ body: {} }, { outcome: 'done' }, update],
	[{ body: [1] }, { outcome: undefined }, update],
])(
	'a change is done, not done yet, or not known: %j',
	async (reply, expected, request = deletion) => {
		expect(await setUpClient([reply]).client.requestChange(request)).toMatchObject(expected);
	},
);

describe('a page of a list', () => {
	const page = async (reply: Reply, isEmptyAllowed?: boolean) =>
		await setUpClient([reply]).client.requestPage({ ...list, isEmptyAllowed }, asItIs);

	it('has its entries, memory and what it says of the rest', async () => {
		const headers = { link: '<?page=2>; rel="next"', 'x-pagination': '{"TotalCount":7}' };
		const { entries, memory, info } = await page({
			body: `{"data":["${'é'.repeat(1000)}"],"total":7}`,
			headers,
		});

		expect([entries, info.nextUrl]).toEqual([['é'.repeat(1000)], '?page=2']);
		expect([...info.hints.keys()]).toEqual(['x-pagination.TotalCount', 'total']);
		expect(memory).toBe(2 * 56 + 20 + 2 * 8 + 2 * (23 + 2000));
	});

	it.each<[Reply, boolean]>([
		[{ headers: { 'x-total': '1' } }, true],
		[{ body: 'null' }, false],
		[{ body: [] }, false],
	])('can be empty where that is allowed: %j', async (reply, hasTotal) => {
		const { entries, info } = await page(reply, true);
		expect([entries, info.hints.has('x-total')]).toEqual([[], hasTotal]);
	});

	it.each<[Reply, string]>([
		[{}, 'an empty response'],
		[{ body: { uuid: 'c-1' } }, 'a JSON object with the fields uuid'],
		[{ body: { data: [], error: 'No' } }, 'the failure "No"'],
		[{ body: 'OK' }, 'text'],
	])('is not in %j', async (reply, received) => {
		const message = `returned ${received} instead of a list for the request to`;
		expect((await errorOf(page(reply))).message).toContain(message);
	});

	it('is not refused for what its entries say', async () => {
		const entries = [{ error: 'no', status: 'failed' }];
		expect((await page({ body: { data: { items: entries } } })).entries).toEqual(entries);
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
			await outcomeOf(setUpClient([{ body }]).client.requestPage(list, asItIs));
		const tooLong = `[${Array.from({ length: 64 }, () => '1'.padStart(999_999)).join()}]`;

		expect(await get(tooLong)).toMatch(/more than 64 MB instead of data that n8n can handle/);
		expect(await get(tooLong.replace(' ', ''))).toMatchObject({ info: { isLast: false } });
	});

	it('is limited, also by the request', async () => {
		expect(await get({ body: stream(8_000_000) })).toEqual({});
		expect(await get({ body: stream(8_000_001) })).toMatch(/more than 8 MB instead of data/);
		const limits = { bytes: 100, memory: 1_000_000 };
		expect(await get({ body: stream(101) }, { limits })).toMatch(/more than 0.0001 MB/);
		expect(await get({ body: broken() })).toMatch(/its response was cut off/);
	});

	it.each([
		[63_999, 0],
		[64_000, 1],
	])('of %i bytes makes it be parsed with %i breaks', async (size, breaks) => {
		let turns = 0;
		const countTurns = () =>
			setTimeout(() => {
				turns += 1;
				timer = countTurns();
			}, 0);
		let timer = countTurns();
		await setUpClient([{ body: `[${' '.repeat(size - 2)}]` }]).client.requestPage(list, asItIs);
		clearTimeout(timer);

		expect(turns).toBe(breaks);
	});

	it.each([300, 403])('of an error hides no status: %i', async (status) => {
		for (const body of [stream(1_000_001), broken()]) {
			const error = await errorOf(
				setUpClient([{ status, body }]).client.requestObject(getContainer),
			);
			expect(error.httpCode).toBe(String(status));
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
		expect((await fail({ status, body: { uuid: 'c-1' } })).httpCode).toBe(String(status));
	});

	it('names the item, the origin, where a redirect goes to, and how long to wait', async () => {
		expect(await fail({ status: 422 }, { itemIndex: 3 })).toMatchObject({
			...{ message: text(/ \[item 3\]$/), context: { itemIndex: 3 } },
		});
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
		const chosenUser = 'u 1';
		const ofUser = { path: '/users/u%201/contacts/a', subject: {} };
		const { message } = await fail({ status: 404 }, { chosenUser }, ofUser);
		expect(message).toBe('User "u 1" was not found');

		for (const path of ['/containers/c-1', '/users/u%2012/contacts']) {
			const { description } = await fail({ status: 403 }, { chosenUser }, { path });
			expect(description).not.toMatch(/User ID/);
		}
	});

	it.each([html, { body: 'Blocked' }])(
		'points to the proxy where the response is not from the API: %j',
		async (page) => {
			const requestOptions = { proxy: { host: 'proxy.example.com', port: 3128 } };
			const reply = { ...page, status: 403 };
			expect((await fail(reply, { requestOptions })).message).toBe(
				'The proxy or the service refused to get the container (status 403)',
			);
			const ofApi = { body: { message: 'No' }, status: 403 };
			for (const error of [
				await fail(reply),
				await fail(reply, { requestOptions: {} }),
				await fail(ofApi, { requestOptions }),
			]) {
				expect(error.message).not.toMatch(/proxy/);
			}
		},
	);

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
		const { client, connection, replies } = setUpClient([], {}, ['password-1']);
		const body = { message: `Key ${connection.apiKey}\n<b>password-1</b>` };
		replies.push({ status: 422, body });
		const subject = { containerId: 'id\npassword-1' };
		const request = { ...getContainer, action: 'get password-1', subject };
		const { message, description } = await errorOf(client.requestObject(request));

		expect(message).toBe(
			'The service did not accept the request to get [hidden]: Key [hidden] ‹b›[hidden]‹/b›',
		);
		expect(description).toMatch(/^"id \[hidden\]" looks like a name/);
		expect(description).not.toMatch(/password-1/);
		expect((await fail({ status: 422 })).message).not.toMatch(/hidden/);
	});
});

it('text of the service is redacted before it leaves the node', async () => {
	const { client, connection } = setUpClient([], {}, ['password-1']);
	const text = `${connection.apiKey} password-1`;

	expect(client.redactText(`${text}\n`)).toBe('[hidden] [hidden]\n');
	expect(client.redactLine(`${text}\n.`)).toBe('[hidden] [hidden] .');
	const records = Array.from({ length: 250 }, () => ({ note: text }));
	expect(await client.redact(records)).toBe(records);
	for (const { note } of records) expect(note).toBe('[hidden] [hidden]');
});

it('a path is resolved below the base URL', () => {
	const { client } = setUpClient([]);
	expect(client.resolveUrl('/me')).toBe(`${baseUrl}/me`);
	expect(client.resolveUrl('https://x.example/')).toBe('https://x.example/');
	expect(client.origin).toBe('https://share.example.com');
});

describe('what an execution keeps of the responses', () => {
	const text = (bytes: number) => ({ uuid: 'a'.repeat(bytes / 2) });
	/** What a request does while so many bytes are kept. */
	const sendAt = async (bytes: number, ownMemory = 0) => {
		const memory = new ResponseMemory({ bytes }, ownMemory);
		const { client } = setUpClient([{ body: text(60_000) }], { memory });
		return await outcomeOf(client.requestObject(getContainer));
	};

	it('leaves room for each item, and for the small response to a change', async () => {
		expect(await sendAt(MAX_KEPT)).toMatch(
			/more than 150 MB of memory, together with those before/,
		);
		expect(await sendAt(MAX_KEPT, 61_000)).toEqual(text(60_000));
		expect(await sendAt(MAX_KEPT - 61_000)).toEqual(text(60_000));
		expect(new ResponseMemory({ bytes: MAX_KEPT }).free).toBe(2000);
	});

	it('counts a response until its item is done, and then what n8n needs to save the output', async () => {
		const memory = new ResponseMemory();
		const { client } = setUpClient([{ body: text(60_000) }], { memory });
		const { free } = memory;
		const saved = 580 + 1.3 * (60_000 + 40 + 56 + 2 * 28);
		await client.requestObject(getContainer);
		expect(free - memory.free).toBeGreaterThan(60_000);
		await memory.settle([]);
		expect(memory.free).toBe(free);
		await memory.settle([{ ...text(60_000), note: null }]);
		expect(free - memory.free).toBeCloseTo(saved);
		memory.add(1000);
		memory.keep();
		await memory.settle([]);
		expect(free - memory.free).toBeCloseTo(saved + 1000);
	});

	it('has room for the output of 100,000 contacts of 200 bytes', async () => {
		const contacts = Array.from({ length: 100_000 }, (_, index) => ({
			email: `user${index}@customer-${index % 997}.example.com`,
			first_name: `First${index}`,
			last_name: `Last name ${index}`,
			company: `Company number ${index} and more Ltd`,
			phone_number: `+49 30 ${1_000_000 + index}`,
			note: `abc def ${index}`,
		}));
		expect(JSON.stringify(contacts).length).toBeGreaterThan(19_000_000);
		await expect(new ResponseMemory().settle(contacts)).resolves.toBeUndefined();
	});

	it('ends with an error what returns more, but never a change', async () => {
		const output = Array.from({ length: 12 }, () => text(10_000_000));
		const memory = new ResponseMemory();
		memory.add(MAX_KEPT);
		await expect(memory.settle(output)).rejects.toThrow(
			'The node would return more data than n8n can handle',
		);
		await memory.settle(output.slice(2));
		await memory.settle(output, false);
		expect(memory.free).toBe(2000);
	});
});
