import { runNode } from '../support/engine.cts';
import { mockService } from '../support/nock.cts';
import { upsert } from './support/contacts.cts';
import { encode } from './support/encode.cts';
import { newKey, sequential } from './support/operations.cts';
import { revoke } from './support/rules.cts';

const service = mockService();
const otherUrl = 'https://other.example.com/api/v1';
const otherService = mockService(otherUrl);

const perItem = { userId: '={{ $json.user }}' };
const items = ['user-a', 'user-b'].map((user) => ({
	json: { user, id: user === 'user-a' ? 'anna@example.com' : 'Anna@example.com' },
}));

describe('the items of two users in one execution', () => {
	it('are compared with the contacts of their own user', async () => {
		const contact = { email: 'anna@example.com', first_name: 'Anna' };
		service.get('/users/user-a/contacts').reply(200, [contact]);
		service.get('/users/user-b/contacts').reply(200, []);
		service.patch('/users/user-b/contacts/Anna%40example.com').reply(201, contact);

		const { error } = await upsert({}, { ...perItem, skipUnchanged: true }, { items });

		expect(error).toBeUndefined();
	});

	it('do not reuse the container of the other user', async () => {
		const container = { uuid: 'c-a', name: 'Invoice' };
		service.get('/users/user-a/containers').reply(200, [{ container }]);
		service.get('/containers/c-a/drm').reply(200, {});
		service.get('/users/user-b/containers').reply(200, []);
		service
			.post('/users/user-b/containers/encode')
			.reply(200, { container: { uuid: 'c-b', name: 'Invoice' } });

		const { items: output, error } = await encode(
			{ name: 'Invoice' },
			{ ...perItem, ifExists: 'reuse' },
			{ items },
		);

		expect(error).toBeUndefined();
		expect(output.map(({ json }) => json.container)).toEqual([
			container,
			{ uuid: 'c-b', name: 'Invoice' },
		]);
	});
});

describe('two services', () => {
	it('have a user each, also for one API key', async () => {
		const credentials = newKey();
		const list = { resource: 'contact', operation: 'getAll', options: sequential };
		for (const [scope, user] of [
			[service.scope(), 'user-a'],
			[otherService.scope(), 'user-b'],
		] as const) {
			scope.get('/me').reply(200, { id: user });
			scope.get(`/users/${user}/contacts`).reply(200, []);
		}

		await runNode({ parameters: list, credentials });
		const { error } = await runNode({
			parameters: list,
			credentials: { ...credentials, baseUrl: otherUrl },
		});

		expect(error).toBeUndefined();
	});

	it('do not wait for each other where a container of each has the same ID', async () => {
		let release: () => void = () => undefined;
		const released = new Promise<void>((resolve) => (release = resolve));
		const rules = { time: { end: '2020-01-01' } };
		service.get('/containers/c-1/drm').reply(async () => {
			await released;
			return [200, rules];
		});
		otherService.get('/containers/c-1/drm').reply(200, rules);

		const first = revoke();
		const { error } = await revoke({}, {}, { credentials: { baseUrl: otherUrl } });
		release();

		expect(error).toBeUndefined();
		expect((await first).error).toBeUndefined();
	}, 10_000);
});
