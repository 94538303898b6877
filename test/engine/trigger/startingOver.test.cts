import { mockService } from '../../support/nock.cts';
import { expectUserOf, pollingsOf, containers, createdItems } from '../support/polling.cts';

const service = mockService();
const start = pollingsOf(service);

describe('the poll state', () => {
	it('starts over for another service', async () => {
		const polling = start('containerCreated');
		await polling.poll({ containers: containers('a') });
		const other = { baseUrl: 'https://share.example.com/api/v2', apiKey: 'key-of-version-two' };
		service.scope(other.baseUrl).get('/me').reply(200, { id: 'user-1' });
		service.scope(other.baseUrl).get('/users/user-1/containers').reply(200, containers('b', 'c'));

		const { items, error } = await polling.poll({}, { credentials: other });

		expect(error).toBeUndefined();
		expect(items).toBeNull();
	});

	it('starts over for the API key of another user, and continues for another key of the same user', async () => {
		const polling = start('containerCreated');
		await polling.poll({ containers: containers('a') });

		const same = expectUserOf(service, 'another-key-of-the-same-user');
		const sameUser = await polling.poll(
			{ containers: containers('a', 'b') },
			{ credentials: same },
		);
		expect(sameUser.emitted).toEqual(createdItems('b'));

		const other = expectUserOf(service, 'a-key-of-another-user', { id: 'user-2' });
		const otherUser = await polling.poll(
			{ containers: containers('x', 'y'), userId: 'user-2' },
			{ credentials: other },
		);
		expect(otherUser.items).toBeNull();
	});

	it('starts over for another user of the same key', async () => {
		const polling = start('containerCreated');
		await polling.poll({ containers: containers('a') });
		polling.set({ options: { userId: 'user-7' } });

		expect(
			(await polling.poll({ containers: containers('b'), userId: 'user-7' })).items,
		).toBeNull();
		const { emitted } = await polling.poll({ containers: containers('b', 'c'), userId: 'user-7' });
		expect(emitted).toEqual(createdItems('c'));
	});
});
