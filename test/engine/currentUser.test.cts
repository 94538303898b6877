import { runListSearch, runNode, runPoll, storeBinary } from '../support/engine.cts';
import { mockService } from '../support/nock.cts';
import { contactEmail, newKey, sequential } from './support/parameters.cts';
import { base } from './support/uploads.cts';

const service = mockService();
const MINUTE = 60_000;

const list = { resource: 'contact', operation: 'getAll', options: sequential };
const get = { resource: 'contact', operation: 'get', contactEmail: contactEmail('a@x.example') };
const deletion = { ...get, operation: 'delete' };
const isMe = ({ path }: { path: string }) => path === '/api/v1/me';

const expectMe = (id: string) => service.scope().get('/me').reply(200, { id });

/** A key whose user the node knows from an earlier execution. */
const knownKey = async (id = 'user-1') => {
	const credentials = newKey();
	expectMe(id);
	service.scope().get(`/users/${id}/contacts`).reply(200, []);
	await runNode({ parameters: list, credentials });
	service.requests.length = 0;
	return credentials;
};

const refuse = (path: string, status: number) =>
	service.scope().get(path).reply(status, { message: 'No' });

describe('the remembered user of an API key', () => {
	afterEach(() => jest.restoreAllMocks());

	it.each([403, 404])(
		'is asked for again after status %d, and the new one counts',
		async (status) => {
			const credentials = await knownKey();
			refuse('/users/user-1/contacts', status);
			expectMe('user-2');
			service
				.scope()
				.get('/users/user-2/contacts')
				.times(2)
				.reply(200, [{ email: 'b@x.example' }]);

			const { items, error } = await runNode({ parameters: list, credentials });
			expect(error?.message).toBeUndefined();
			expect(items.map(({ json }) => json.email)).toEqual(['b@x.example']);

			await runNode({ parameters: list, credentials });
			expect(service.requests.filter(isMe)).toHaveLength(1);
		},
	);

	it('is asked for once for all items, also when items run at the same time', async () => {
		const credentials = await knownKey();
		service.scope().get('/users/user-1/contacts/a%40x.example').times(3).reply(404, {});
		expectMe('user-2');
		service.scope().get('/users/user-2/contacts/a%40x.example').times(3).reply(200, { id: 1 });

		const { items, error } = await runNode({
			parameters: { ...get, options: { maxRetries: 0, maxConcurrent: 3 } },
			items: [{ json: {} }, { json: {} }, { json: {} }],
			credentials,
		});

		expect(error?.message).toBeUndefined();
		expect(items).toHaveLength(3);
	});

	it('stops the execution at the first item when it is still the same', async () => {
		const credentials = await knownKey();
		service.scope().delete('/users/user-1/contacts/a%40x.example').reply(404, {});
		expectMe('user-1');

		const { error } = await runNode({
			parameters: { ...deletion, options: sequential },
			items: [{ json: {} }, { json: {} }],
			credentials,
		});

		expect(error?.message).toMatch(/contact "a@x.example" was not found \[item 0\]/);
		expect(service.requests).toHaveLength(2);
	});

	it('is asked for once, although each item is refused', async () => {
		const credentials = await knownKey();
		service.scope().get('/users/user-1/contacts/a%40x.example').times(3).reply(404, {});
		expectMe('user-1');

		const { items } = await runNode({
			parameters: { ...get, options: sequential },
			items: [{ json: {} }, { json: {} }, { json: {} }],
			credentials,
			onError: 'continueRegularOutput',
		});

		expect(items.map(({ json }) => json.error)).toEqual(
			Array(3).fill(expect.stringMatching(/not found/)),
		);
	});

	it('is refused once more for the new one, and then no more', async () => {
		const credentials = await knownKey();
		refuse('/users/user-1/contacts', 403);
		expectMe('user-2');
		refuse('/users/user-2/contacts', 403);

		const { error } = await runNode({ parameters: list, credentials });

		expect(error?.message).toMatch(/no permission to list the contacts/);
	});

	it('does not hide the refusal when the service does not tell the new one', async () => {
		const credentials = await knownKey();
		refuse('/users/user-1/contacts', 403);
		service.scope().get('/me').reply(500, {});

		const { error } = await runNode({ parameters: list, credentials });

		expect(error?.message).toMatch(/no permission to list the contacts/);
	});

	it('is not asked for where this execution asked, or where the user is set', async () => {
		const credentials = newKey();
		expectMe('user-1');
		refuse('/users/user-1/contacts', 404);
		await runNode({ parameters: list, credentials });

		refuse('/users/user-1/contacts', 404);
		await runNode({
			parameters: { ...list, options: { ...sequential, userId: 'user-1' } },
			credentials,
		});

		expect(service.requests.filter(isMe)).toHaveLength(1);
	});

	it('is followed by an upload, which is sent again as a whole', async () => {
		const credentials = await knownKey();
		const bodies: string[] = [];
		const note = (body: string) => bodies.push(body.slice(body.indexOf('\r\n'))) > 0;
		service.scope().post('/users/user-1/containers/encode', note).reply(404, {});
		expectMe('user-2');
		service
			.scope()
			.post('/users/user-2/containers/encode', note)
			.reply(200, { container: { uuid: 'c-1' } });
		const data = await storeBinary(Buffer.from('a file'), {
			fileName: 'a.txt',
			mimeType: 'text/plain',
		});

		const { error } = await runNode({
			parameters: { ...base, options: sequential },
			items: [{ json: {}, binary: { data } }],
			credentials,
		});

		expect(error?.message).toBeUndefined();
		expect(bodies).toHaveLength(2);
		for (const body of bodies) expect(body).toContain('a file');
	});

	it('is followed by a picker', async () => {
		const credentials = await knownKey();
		refuse('/users/user-1/contacts', 404);
		expectMe('user-2');
		service
			.scope()
			.get('/users/user-2/contacts')
			.reply(200, [{ email: 'b@x.example' }]);

		const { results } = await runListSearch({ method: 'searchContacts', credentials });

		expect(results.map(({ value }) => value)).toEqual(['b@x.example']);
	});

	it('fails a poll, and the next one asks', async () => {
		const credentials = await knownKey();
		const parameters = { event: 'contactCreated', options: sequential };
		refuse('/users/user-1/contacts', 404);

		const { error } = await runPoll({ parameters, credentials });
		expect(error?.message).toMatch(/Nothing found/);

		expectMe('user-2');
		service.scope().get('/users/user-2/contacts').reply(200, []);
		expect((await runPoll({ parameters, credentials })).error).toBeUndefined();
	});

	it('is asked for again after ten minutes', async () => {
		const credentials = await knownKey();
		const start = Date.now();
		service.scope().get('/users/user-1/contacts').reply(200, []);
		jest.spyOn(Date, 'now').mockImplementation(() => start + 9 * MINUTE);
		await runNode({ parameters: list, credentials });
		expect(service.requests.filter(isMe)).toHaveLength(0);

		expectMe('user-2');
		service.scope().get('/users/user-2/contacts').reply(200, []);
		jest.spyOn(Date, 'now').mockImplementation(() => start + 11 * MINUTE);
		const { error } = await runNode({ parameters: list, credentials });
		expect(error?.message).toBeUndefined();
	});
});
