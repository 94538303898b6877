import type { Container, ServiceEvent } from '../support/api.mts';
import { createContainer } from '../support/encode.mts';
import { addUser, describeService, startService, type Service } from '../support/service.mts';

describeService('events', () => {
	let service: Service;
	let first: Container;
	let second: Container;
	let list: string;
	let all: ServiceEvent[];

	beforeAll(async () => {
		service = await startService({ env: { OWNER_EMAIL: 'olive@example.com' } });
		list = `/users/${service.userId}/events`;
		first = await createContainer(service, { name: 'First' });
		second = await createContainer(service, { name: 'Second', drm: { dynamic: true } });
		const change = { opens: 2, recipients: ['ada@example.com'] };
		await service.api.patch(`/containers/${second.uuid}/drm`, change);
		await service.api.delete(`/containers/${first.uuid}`);
		all = await service.api.getAll(list);
	});

	const get = async (query: string) => await service.api.getAll<ServiceEvent>(list + query);

	it('tell what happened, oldest first, also to a deleted container', () => {
		const user = 'olive@example.com';
		const ip = expect.stringMatching(/^(127\.|::1$|::ffff:127)/);
		const about = ({ uuid, name }: Container, action: string, more: object = {}) =>
			expect.objectContaining({
				...{ id: expect.stringMatching(/^\d+$/), action, user },
				...{
					container_id: uuid,
					container_name: name,
					detail: expect.objectContaining({ ip, ...more }),
				},
			});
		expect(all).toEqual([
			about(first, 'container.create'),
			about(second, 'container.create'),
			about(second, 'drm.update', { changed: expect.arrayContaining(['opens', 'recipients']) }),
			about(first, 'container.delete'),
		]);
		expect(all[2].detail.changed).toHaveLength(2);
	});

	it('are listed newest first, page by page, after one that was seen, and after a time', async () => {
		const newest = [...all].reverse();
		expect(await get('?order=desc')).toEqual(newest);
		expect(await get('?limit=1')).toEqual(all);
		expect(await get('?limit=1&order=desc')).toEqual(newest);
		expect(await get(`?after=${all[0].id}`)).toEqual(all.slice(1));
		expect(await get(`?after=${all[0].id}&limit=1`)).toEqual(all.slice(1));
		expect(await get(`?after=${all[3].id}`)).toEqual([]);
		const { created_date: time } = all[1];
		const later = all.filter(({ created_date: created }) => created > time);
		expect(await get(`?created_after=${time}`)).toEqual(later);
	});

	it('of one container are those of it alone, also after its deletion', async () => {
		for (const { uuid } of [first, second]) {
			const own = all.filter(({ container_id: id }) => id === uuid);
			const path = `/users/${service.userId}/containers/${uuid}/events?limit=1`;
			expect(await service.api.getAll(path)).toEqual(own);
		}
	});

	it.each(['after=last', 'after=-1', 'created_after=2026', 'limit=0', 'order=up'])(
		'are refused for %s',
		async (query) => {
			const { status, body } = await service.api.get(`${list}?${query}`);
			expect([status, Object.keys(body.fields ?? {})]).toEqual([422, [query.split('=')[0]]]);
		},
	);

	it('are none for a change that changes nothing', async () => {
		const path = `/containers/${second.uuid}/drm`;
		const { etag } = (await service.api.get(path)).headers;
		for (const patch of [{}, { time: null }, { recipients: ['ada@example.com'] }]) {
			const { status, headers } = await service.api.patch(path, patch);
			expect([status, headers.etag]).toEqual([200, etag]);
		}
		expect(await get('')).toEqual(all);
	});

	it('of others are no business of a user, but of an admin', async () => {
		const ben = await addUser(service, 'ben@example.com');
		await createContainer(ben);
		const path = `/users/${ben.userId}/events`;
		const own = await ben.api.getAll<ServiceEvent>(path);
		expect(own).toMatchObject([{ action: 'container.create', user: 'ben@example.com' }]);
		expect(await service.api.getAll(path)).toEqual(own);
		for (const user of [service.userId, ben.userId]) {
			const foreign = `/users/${user}/containers/${second.uuid}/events`;
			expect((await ben.api.get(foreign)).status).toBe(404);
		}
	});

	it('never appear behind one that was already listed', async () => {
		const user = await addUser(service, 'eva@example.com');
		const path = `/users/${user.userId}/events`;
		let done = false;
		const create = async () => await createContainer(user);
		const work = Promise.all(Array.from({ length: 40 }, create)).finally(() => (done = true));
		const seen: ServiceEvent[] = [];
		for (let last = false; !last;) {
			last = done;
			const after = seen.length > 0 ? `?after=${seen.at(-1)?.id}` : '';
			seen.push(...(await user.api.getAll<ServiceEvent>(path + after)));
		}
		await work;
		expect(seen).toEqual(await user.api.getAll(path));
		expect(seen).toHaveLength(40);
	});
});
