import { NodeApiError, type INodeParameters } from 'n8n-workflow';
import {
	defaultCredentials,
	inlineBinary,
	runHttpRequestNodeStyle,
	runListSearch,
	runNode,
	runPoll,
	storeBinary,
	storedRecord,
	testCredential,
	useBinaryMode,
} from '../support/engine.cts';
import { mockService } from '../support/nock.cts';

const service = mockService();

const getMe: INodeParameters = { resource: 'user', operation: 'getMe' };

const getContact: INodeParameters = {
	resource: 'contact',
	operation: 'get',
	contactEmail: { __rl: true, mode: 'email', value: '={{ $json.email }}' },
	options: { userId: 'user-1' },
};

const contactPath = (email: string) => `/users/user-1/contacts/${encodeURIComponent(email)}`;

const twoContacts = [{ json: { email: 'a@example.com' } }, { json: { email: 'b@example.com' } }];

describe('running the node', () => {
	it('uses the engine with the credential applied', async () => {
		service.scope().get('/me').reply(200, { id: 'user-1' });

		const result = await runNode({ parameters: getMe });

		expect(result.status).toBe('success');
		expect(result.items.map((item) => item.json)).toEqual([{ id: 'user-1' }]);
		expect(result.run.executionStatus).toBe('success');
		expect(result.decryptions).toBeGreaterThan(0);
		expect(service.requests).toEqual([
			expect.objectContaining({
				method: 'GET',
				path: '/api/v1/me',
				headers: expect.objectContaining({
					authorization: `Bearer ${defaultCredentials.apiKey}`,
				}),
			}),
		]);
	});

	it('evaluates expressions for each item, before and after the node', async () => {
		for (const { json } of twoContacts) {
			service.scope().get(contactPath(json.email)).reply(200, { first_name: 'Ada' });
		}

		const result = await runNode({
			parameters: getContact,
			items: twoContacts,
			timezone: 'Asia/Tokyo',
			next: {
				email: "={{ $('Input').item.json.email }}",
				zone: '={{ $now.zoneName }}',
				unknown: "={{ $('Nowhere').item.json.email }}",
			},
		});

		expect(service.requests.map(({ path }) => path).sort()).toEqual([
			'/api/v1/users/user-1/contacts/a%40example.com',
			'/api/v1/users/user-1/contacts/b%40example.com',
		]);
		const failed = { $error: expect.stringContaining("doesn't exist") };
		expect(result.next).toEqual([
			{ email: 'a@example.com', zone: 'Asia/Tokyo', unknown: failed },
			{ email: 'b@example.com', zone: 'Asia/Tokyo', unknown: failed },
		]);
	});

	it('returns error items separately', async () => {
		service.scope().get(contactPath('a@example.com')).reply(200, { first_name: 'Ada' });
		service.scope().get(contactPath('b@example.com')).reply(404, { message: 'No such contact' });

		const result = await runNode({
			parameters: getContact,
			items: twoContacts,
			onError: 'continueErrorOutput',
			next: { email: "={{ $('Input').item.json.email }}" },
		});

		expect(result.error).toBeUndefined();
		expect(result.items).toHaveLength(1);
		expect(result.errorItems).toHaveLength(1);
		expect(result.next).toEqual([{ email: 'a@example.com' }]);
		expect(result.nextOfErrors).toEqual([{ email: 'b@example.com' }]);
	});

	it('returns the error itself, its record and the log, without the API key', async () => {
		service.scope().get('/me').reply(403, { message: 'Not for you' });

		const result = await runNode({ parameters: getMe });

		expect(result.status).toBe('error');
		expect(result.error).toBeInstanceOf(NodeApiError);
		expect(result.run.error?.message).toBe(result.error?.message);
		const written = [storedRecord(result.execution), ...result.log].join('\n');
		expect(written).toContain(result.error?.message);
		expect(written).not.toContain(defaultCredentials.apiKey);
	});

	it('is repeated by Retry On Fail', async () => {
		service.scope().get('/me').reply(403, { message: 'Not yet' });
		service.scope().get('/me').reply(200, { id: 'user-1' });

		const result = await runNode({
			parameters: getMe,
			retryOnFail: true,
			maxTries: 2,
			waitBetweenTries: 1,
		});

		expect(result.error).toBeUndefined();
		expect(result.items).toHaveLength(1);
		expect(service.requests).toHaveLength(2);
	});

	it.each([
		['after a time', () => ({ cancelAfterMs: 100 })],
		['with a signal', () => ({ signal: AbortSignal.timeout(100) })],
	])('stops when it is cancelled %s', async (_how, cancellation) => {
		service.scope().get('/me').delay(20_000).reply(200, { id: 'user-1' });
		const startedAt = Date.now();

		const result = await runNode({ parameters: getMe, ...cancellation() });

		// The engine treats an execution as canceled, not failed, when the error's message contains this word.
		expect(result.error?.message).toContain('canceled');
		expect(result.status).toBe('canceled');
		expect(result.items).toEqual([]);
		expect(Date.now() - startedAt).toBeLessThan(5_000);
	});
});

describe('files', () => {
	const content = Buffer.from('confidential');
	const details = { fileName: 'report.txt', mimeType: 'text/plain' };

	afterEach(async () => {
		await useBinaryMode('filesystem');
	});

	it('are stored in the file system, with an id and without content', async () => {
		const file = await storeBinary(content, details);

		expect(file).toMatchObject({ ...details, data: 'filesystem-v2', fileExtension: 'txt' });
		expect(file.id).toMatch(/^filesystem-v2:/);
	});

	it('stay in the item in memory mode, and inline, without an id', async () => {
		await useBinaryMode('default');
		const inMemory = { ...details, data: content.toString('base64') };

		expect(await storeBinary(content, details)).toMatchObject(inMemory);
		expect(inlineBinary(content, details)).toMatchObject(inMemory);
		expect(inlineBinary(content, details).id).toBeUndefined();
	});
});

describe('testing the credential', () => {
	it('succeeds with the user of the API key', async () => {
		service.scope().get('/me').reply(200, { id: 'user-1', email: 'ada@example.com' });

		expect(await testCredential(defaultCredentials)).toMatchObject({ status: 'OK' });
	});

	it("fails with the service's response, which n8n requests twice", async () => {
		service.scope().get('/me').times(2).reply(401, {});

		expect(await testCredential(defaultCredentials)).toMatchObject({ status: 'Error' });
	});

	it('applies the rule that distinguishes an HTML page from the service', async () => {
		service.scope().get('/me').reply(200, '<html></html>', { 'content-type': 'text/html' });

		expect(await testCredential(defaultCredentials)).toEqual({
			status: 'Error',
			message: expect.stringContaining('Base URL'),
		});
	});
});

describe('the credential in the HTTP Request node', () => {
	it('signs requests to the service', async () => {
		const fields = { company: 'x' };
		service.scope().patch(contactPath('a@example.com'), fields).reply(200, { done: true });

		const { response, error } = await runHttpRequestNodeStyle({
			method: 'PATCH',
			url: `${defaultCredentials.baseUrl}${contactPath('a@example.com')}`,
			body: fields,
		});

		expect(error).toBeUndefined();
		expect(response).toMatchObject({ statusCode: 200, body: { done: true } });
		expect(service.requests[0]?.headers.authorization).toBe(`Bearer ${defaultCredentials.apiKey}`);
	});

	it.each(['http://share.example.com/api/v1/me', 'https://elsewhere.example.com/api/v1/me'])(
		'sends nothing to %s',
		async (url) => {
			const { response, error } = await runHttpRequestNodeStyle({ url });

			expect(response).toBeUndefined();
			expect(error).toBeInstanceOf(Error);
			expect(service.requests).toEqual([]);
		},
	);
});

describe('the list of a resource locator', () => {
	it("contains the service's records and is filtered by the search text", async () => {
		service.scope().get('/me').optionally().reply(200, { id: 'user-1' });
		service
			.scope()
			.get('/users/user-1/containers')
			.reply(200, [
				{ uuid: 'c-1', name: 'Contract' },
				{ uuid: 'c-2', name: 'Invoice' },
			]);

		const { results } = await runListSearch({ method: 'searchContainers', filter: 'invo' });

		expect(results.map(({ value }) => value)).toEqual(['c-2']);
	});
});

describe('polling the trigger', () => {
	const list = () => service.scope().get('/me').optionally().reply(200, { id: 'user-1' });

	it('keeps the static data between polls', async () => {
		list()
			.get('/users/user-1/containers')
			.reply(200, [{ uuid: 'c-1', name: 'One' }]);
		const first = await runPoll({ parameters: { event: 'containerCreated' } });
		expect(first.error).toBeUndefined();
		expect(first.items).toBeNull();
		expect(first.staticData).not.toEqual({});

		list()
			.get('/users/user-1/containers')
			.reply(200, [
				{ uuid: 'c-1', name: 'One' },
				{ uuid: 'c-2', name: 'Two' },
			]);
		const second = await runPoll({
			parameters: { event: 'containerCreated' },
			staticData: first.staticData,
		});
		expect(second.items?.[0]?.map((item) => item.json)).toEqual([
			expect.objectContaining({ uuid: 'c-2' }),
		]);
	});

	it('returns what it throws', async () => {
		service.scope().get('/me').reply(403, { message: 'Not for you' });

		const { error, items } = await runPoll({
			parameters: { event: 'containerCreated' },
			credentials: { apiKey: 'key-of-a-user-not-asked-for-yet' },
		});

		expect(error).toBeInstanceOf(NodeApiError);
		expect(items).toBeNull();
	});
});
