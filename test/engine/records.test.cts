import { defaultCredentials, storedRecord } from '../support/engine.cts';
import { mockService } from '../support/nock.cts';
import { upsertBase } from './support/contacts.cts';
import { encode, envelope, path as encodePath, withManifest } from './support/encode.cts';
import {
	byId,
	contactEmail,
	contactPath,
	containersPath,
	itemsWith,
	newKey,
	operation,
	outputOf,
} from './support/operations.cts';

const service = mockService();
const path = '/containers/c-1';
const anna = 'anna@example.com';
const get = operation('container: get', byId('c-1'));

describe('getting a record', () => {
	/** Which responses show what was asked for is in the unit tests. */
	it.each([
		[{}, 'an empty JSON object instead of the container "c-1"'],
		[{ uuid: 'c-2' }, 'the fields uuid instead of the container "c-1"'],
	])('fails for another record, or none: %j', async (form, message) => {
		service.get(path).reply(200, form);

		expect((await get()).error?.message).toContain(message);
	});

	it('returns it as it came, with its ID and its link at the top', async () => {
		const form = { data: { container: { uuid: 'c-1' } }, id: 'request-7' };
		service.get(path).reply(200, form);

		expect(await outputOf(get())).toEqual([{ containerId: 'c-1', link: null, ...form }]);
	});
});

describe.each([
	['container', operation('container: delete', byId('={{ $json.id }}')), 'c-1', path],
	[
		'contact',
		operation('contact: delete', { contactEmail: contactEmail('={{ $json.id }}') }),
		anna,
		contactPath(anna),
	],
])('deleting a %s', (resource, remove, id, url) => {
	const items = itemsWith(id);
	const deleted = { deleted: true, [resource === 'container' ? 'containerId' : 'email']: id };

	it('is done after a body when it is gone, and is an error while it is there', async () => {
		for (const status of [404, 410, 200]) {
			service.delete(url).reply(202, { uuid: 'c-1', message: 'queued' });
			service.get(url).reply(status, { name: 'N' });
		}

		expect(await outputOf(remove({}, {}, { items }))).toEqual([deleted]);
		expect(await outputOf(remove({}, {}, { items }))).toEqual([deleted]);
		const { error, items: output } = await remove({}, {}, { items });
		expect(error?.message).toMatch(new RegExp(`^The ${resource} is still there\\.`));
		expect(output).toEqual([]);
	});

	it('says that it was sent where nobody can tell what became of it', async () => {
		service.delete(url).reply(200, 'queued');
		service.get(url).reply(403, '');

		const { error } = await remove({}, {}, { items });
		expect(error?.description).toContain('The change was sent before this');
	});

	it('is sent once for two items, and is an error when it was not there', async () => {
		service.delete(url).reply(204);
		const twice = { items: itemsWith(id, id) };
		expect(await outputOf(remove({}, {}, twice))).toEqual([deleted, deleted]);

		service.delete(url).reply(404);
		expect((await remove({}, {}, { items })).error?.message).toMatch(/was not found/);
	});
});

describe('a password', () => {
	const password = 'Größe & "Hafen" 7';
	/** What a service makes of a password that it echoes, as it is. */
	const echoes = [
		`It is ${password}.`,
		JSON.stringify({ password }),
		`https://x.example/?password=${encodeURIComponent(password)}`,
	];

	it.each<[number, object]>([
		[422, { message: `Not accepted: ${echoes.join(' ')}` }],
		[200, { uuid: 'c-1', notes: echoes }],
	])(
		'is sent unchanged, and not shown when the service echoes it with %i',
		async (status, body) => {
			service.post(encodePath).reply(status, body);

			const result = await encode(withManifest({ container: { name: 'Invoice', password } }));

			expect(String(service.requests.at(-1)?.body)).toContain(JSON.stringify(password));
			const { items, error, log, execution } = result;
			const shown = [JSON.stringify([items, error]), error?.message, error?.description, ...log];
			for (const trace of ['Größe', 'Gr%C3']) {
				expect([...shown, storedRecord(execution)].join('\n')).not.toContain(trace);
			}
		},
	);

	it('in JSON that can not be used is not in its error', async () => {
		const recipients = [{ user: 'anna@x.example', password: 'correct horse' }];
		const { error } = await encode(withManifest({ container: { name: 'x', recipients } }));

		expect(error?.message).toContain('"an object" in "Manifest (JSON)" is not an email address');
		expect(JSON.stringify(error)).not.toContain('horse');
	});
});

describe('the API key', () => {
	const { apiKey } = defaultCredentials;

	it('is hidden in a record, and in the fields of an error item', async () => {
		service.get(path).reply(200, { uuid: 'c-1', echoed: `Bearer ${apiKey}` });
		service.get(containersPath).reply(200, [{ uuid: 'c-1', name: `Key ${apiKey}` }]);
		service.get(`${path}/drm`).reply(403, {});
		const more = { credentials: { apiKey }, onError: 'continueRegularOutput' } as const;

		expect(await outputOf(get({}, {}, more))).toMatchObject([{ echoed: 'Bearer [hidden]' }]);
		const remove = operation('drm: removeEverywhere', { email: 'anna@x.example' });
		expect(await outputOf(remove({}, {}, more))).toMatchObject([
			{ containerId: 'c-1', name: 'Key [hidden]', action: 'failed' },
		]);
	});

	it('is not in an error about what the service shows', async () => {
		service.allowUser();
		service.get(`${path}/drm`).reply(200, { time: { end: `x ${apiKey}` } });
		const update = operation('drm: update', { ...byId('c-1'), rules: { extendByDays: 1 } });

		const { error } = await update({}, {}, { credentials: { apiKey } });

		const said = `${error?.message} ${error?.description}`;
		expect(said).toContain('[hidden]');
		expect(said).not.toContain(apiKey);
	});
});

describe('the user in the path', () => {
	const getEnvelope = operation('container: getEnvelope', byId('c-1'));
	const respond = (user: string, times = 1) =>
		service.get(`/users/${user}/containers/c-1`).times(times).reply(200, envelope);
	const countMe = () => service.requests.filter(({ path }) => path === '/api/v1/me').length;

	it('is asked for once for all items, and again by the next execution', async () => {
		const credentials = newKey();
		const items = itemsWith('1', '2', '3');
		service.get('/me').reply(503, {});
		const more = { items, credentials, onError: 'continueRegularOutput' } as const;
		const failed = await getEnvelope({}, { userId: '' }, more);
		const error = expect.stringMatching(/find the user of the API key/) as string;
		expect(failed.items.map(({ json }) => json.error)).toEqual([error, error, error]);

		service.get('/me').reply(200, { id: 'user?7' });
		respond('user%3F7', 3);
		await outputOf(getEnvelope({}, { userId: '' }, { items, credentials }));

		expect(countMe()).toBe(2);
	});

	it('is that of each item, also of a credential with an expression', async () => {
		const { apiKey } = newKey();
		const scopeOf = (id: string) =>
			service.scope().matchHeader('authorization', `Bearer ${apiKey}-${id}`);
		for (const id of ['a', 'b']) {
			scopeOf(id)
				.get('/me')
				.reply(200, { id: `user-${id}` });
		}
		for (const id of ['a', 'b']) {
			scopeOf(id).get(`/users/user-${id}/containers/c-1`).reply(200, envelope);
		}
		const credentials = { apiKey: `=${apiKey}-{{ $json.id }}` };

		await outputOf(getEnvelope({}, { userId: '' }, { items: itemsWith('a', 'b'), credentials }));
	});

	it('keeps what the items of two users are compared with apart', async () => {
		const users = ['user-a', 'user-b'];
		const items = users.map((user) => ({ json: { user, id: anna } }));
		const options = { userId: '={{ $json.user }}', skipUnchanged: true };
		service.get('/users/user-a/contacts').reply(200, [{ email: anna, first_name: 'Anna' }]);
		service.get('/users/user-b/contacts').reply(200, []);
		service.patch('/users/user-b/contacts/anna%40example.com').reply(201, { email: anna });

		await outputOf(operation('contact: upsert', upsertBase)({}, options, { items }));

		for (const user of users) {
			service.get(`/users/${user}/containers`).query(true).reply(200, []);
			service.post(`/users/${user}/containers/encode`).reply(201, { container: { uuid: user } });
		}
		const reuse = { ...options, ifExists: 'reuse' };
		expect(await outputOf(encode({ name: 'Invoice' }, reuse, { items }))).toMatchObject(
			users.map((uuid) => ({ containerId: uuid, reused: false })),
		);
	});
});
