import { mockService } from '../support/nock.cts';
import { contact, listPath, pathOf, upsert } from './support/contacts.cts';
import { encode } from './support/encode.cts';
import { containerId, itemsWith, newKey, operation, outputOf } from './support/operations.cts';

const service = mockService();
const otherUrl = 'https://other.example.com/api/v1';
const otherService = mockService(otherUrl);

const byId = { containerId: containerId('={{ $json.id }}') };

const getEnvelope = operation('container: getEnvelope', byId);
const byUser = { userId: '' };

afterEach(() => jest.restoreAllMocks());

describe('a credential with an expression', () => {
	it('is resolved for each item, and so is its user', async () => {
		const { apiKey } = newKey();
		for (const id of ['a', 'b']) {
			const scope = () => service.scope().matchHeader('authorization', `Bearer ${apiKey}-${id}`);
			scope()
				.get('/me')
				.reply(200, { id: `user-${id}` });
			scope()
				.get(`/users/user-${id}/containers/${id}`)
				.reply(200, { org_id: `user-${id}`, uuid: id });
		}

		expect(
			await outputOf(
				getEnvelope({}, byUser, {
					items: itemsWith('a', 'b'),
					credentials: { apiKey: `=${apiKey}-{{ $json.id }}` },
				}),
			),
		).toMatchObject([{ org_id: 'user-a' }, { org_id: 'user-b' }]);
	});
});

it('a user whose ID can not be used is asked for again in the next run', async () => {
	const credentials = newKey();
	service.get('/me').reply(200, { id: 'y'.repeat(2500) });
	service.get('/me').reply(200, { id: 'user-1' });
	service.get('/users/user-1/containers/a').reply(200, { org_id: 'user-1', uuid: 'a' });
	const once = async () => await getEnvelope({}, byUser, { items: itemsWith('a'), credentials });

	expect((await once()).error?.message).toContain('without an id that can be used');
	expect(await outputOf(once())).toMatchObject([{ org_id: 'user-1' }]);
});

describe('the items of two users in one execution', () => {
	const perItem = { userId: '={{ $json.user }}' };
	const items = ['user-a', 'user-b'].map((user) => ({
		json: { user, id: user === 'user-a' ? 'anna@example.com' : 'Anna@example.com' },
	}));

	it('are compared with the contacts of their own user', async () => {
		service.get('/users/user-a/contacts').reply(200, [contact]);
		service.get('/users/user-b/contacts').reply(200, []);
		service.patch('/users/user-b/contacts/Anna%40example.com').reply(201, contact);

		await outputOf(upsert({}, { ...perItem, skipUnchanged: true }, { items }));
	});

	it('do not reuse the container of the other user', async () => {
		const container = { uuid: 'c-a', name: 'Invoice' };
		const other = { uuid: 'c-b', name: 'Invoice' };
		service.get('/users/user-a/containers').query(true).reply(200, [{ container }]);
		service.get('/containers/c-a/drm').reply(200, {});
		service.get('/users/user-b/containers').query(true).reply(200, []);
		service.post('/users/user-b/containers/encode').reply(200, { container: other });

		const output = await outputOf(
			encode({ name: 'Invoice' }, { ...perItem, ifExists: 'reuse' }, { items }),
		);

		expect(output.map((json) => json.container)).toEqual([container, other]);
	});
});

describe('two services', () => {
	it('are not mixed up where both have a user with the same ID', async () => {
		service.get(listPath).reply(200, [{ ...contact, first_name: 'Old' }]);
		service.patch(pathOf(contact.email)).reply(204);
		// While this list is fetched, the contact of the first service changes.
		otherService.get(listPath).delay(100).reply(200, [contact]);

		await outputOf(
			upsert(
				{ email: contact.email },
				{ skipUnchanged: true, maxConcurrent: 5 },
				{
					items: ['share', 'other'].map((host) => ({ json: { host } })),
					credentials: { baseUrl: '=https://{{ $json.host }}.example.com/api/v1' },
				},
			),
		);

		expect(otherService.requests).toHaveLength(1);
	});
});
