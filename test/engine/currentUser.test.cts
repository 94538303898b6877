import { runListSearch, runNode, runPoll } from '../support/engine.cts';
import { mockService } from '../support/nock.cts';
import { contactEmail, newKey, sequential } from './support/operations.cts';

const service = mockService();
const MINUTE = 60_000;

const list = { resource: 'contact', operation: 'getAll', options: sequential };
const get = { resource: 'contact', operation: 'get', contactEmail: contactEmail('a@x.example') };
const isMe = ({ path }: { path: string }) => path === '/api/v1/me';

const expectMe = (id: string) => service.get('/me').reply(200, { id });

/** A key whose user the node knows from an earlier execution. */
const knownKey = async (id = 'user-1') => {
	const credentials = newKey();
	expectMe(id);
	service.get(`/users/${id}/contacts`).reply(200, []);
	await runNode({ parameters: list, credentials });
	service.requests.length = 0;
	return credentials;
};

const refuse = (path: string, status: number) => service.get(path).reply(status, { message: 'No' });

describe('the remembered user of an API key', () => {
	afterEach(() => jest.restoreAllMocks());

	it.each([403, 404])(
		'fails with status %d, and the next execution asks for the new one',
		async (status) => {
			const credentials = await knownKey();
			refuse('/users/user-1/contacts', status);
			expect((await runNode({ parameters: list, credentials })).error).toBeDefined();
			expect(service.requests).toHaveLength(1);

			expectMe('user-2');
			service
				.get('/users/user-2/contacts')
				.times(2)
				.reply(200, [{ email: 'b@x.example' }]);
			for (let execution = 0; execution < 2; execution += 1) {
				const { items } = await runNode({ parameters: list, credentials });
				expect(items.map(({ json }) => json.email)).toEqual(['b@x.example']);
			}
			expect(service.requests.filter(isMe)).toHaveLength(1);
		},
	);

	it('stays the same for all items of an execution', async () => {
		const credentials = await knownKey();
		service.get('/users/user-1/contacts/a%40x.example').times(3).reply(404, {});

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

	it('fails a picker, and the next one asks', async () => {
		const credentials = await knownKey();
		refuse('/users/user-1/contacts', 404);
		await expect(runListSearch({ method: 'searchContacts', credentials })).rejects.toThrow(/found/);

		expectMe('user-2');
		service.get('/users/user-2/contacts').reply(200, [{ email: 'b@x.example' }]);
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
		service.get('/users/user-2/contacts').reply(200, []);
		expect((await runPoll({ parameters, credentials })).error).toBeUndefined();
	});

	it('is asked for again after ten minutes', async () => {
		const credentials = await knownKey();
		const start = Date.now();
		service.get('/users/user-1/contacts').reply(200, []);
		jest.spyOn(Date, 'now').mockImplementation(() => start + 9 * MINUTE);
		await runNode({ parameters: list, credentials });
		expect(service.requests.filter(isMe)).toHaveLength(0);

		expectMe('user-2');
		service.get('/users/user-2/contacts').reply(200, []);
		jest.spyOn(Date, 'now').mockImplementation(() => start + 11 * MINUTE);
		const { error } = await runNode({ parameters: list, credentials });
		expect(error?.message).toBeUndefined();
	});
});
