import type { Api, Container, Envelope, ServiceEvent } from '../support/api.mts';
import { nextPage, readList } from '../support/api.mts';
import { createContainer } from '../support/encode.mts';
import {
	addUser,
	describeService,
	listFiles,
	startService,
	type Service,
} from '../support/service.mts';

describeService('containers', () => {
	let service: Service;
	let users = 0;

	beforeAll(async () => {
		service = await startService();
	});

	/** A user without containers. */
	const newUser = async () => await addUser(service, `user${users++}@example.com`);
	const createAll = async (user: { api: Api; userId: string }, names: string[]) => {
		const created: Container[] = [];
		for (const name of names) created.push(await createContainer(user, { name }));
		return created;
	};
	const namesOf = (list: Container[]) => list.map(({ name }) => name);

	it('returns the record, with the files and openings, and the envelope', async () => {
		const created = await createContainer(service, { name: 'One' });
		const record = await service.api.get<Container>(`/containers/${created.uuid}`);
		expect(record).toMatchObject({ status: 200, body: { ...created, opens_used: 0 } });
		expect(record.body.files).toHaveLength(1);
		const envelope = await service.api.get<Envelope>(
			`/users/${service.userId}/containers/${created.uuid}`,
		);
		expect(envelope).toMatchObject({
			status: 200,
			body: { org_id: service.userId, container: created },
		});
	});

	it('DELETE answers 204, and removes the container and its file', async () => {
		const before = listFiles(service.files);
		const { uuid } = await createContainer(service);
		expect(listFiles(service.files)).not.toEqual(before);
		expect((await service.api.delete(`/containers/${uuid}`)).status).toBe(204);
		expect(listFiles(service.files)).toEqual(before);
		const path = `/containers/${uuid}`;
		const responses = [
			await service.api.get(path),
			await service.api.get(`/users/${service.userId}${path}`),
			await service.api.get(`${path}/drm`),
			await service.api.patch(`${path}/drm`, { opens: 1 }),
			await service.api.delete(path),
		];
		expect(responses.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404]);
		const list = await readList<Container>(
			service.api,
			`/users/${service.userId}/containers`,
			service.baseUrl,
		);
		expect(list.filter((container) => container.uuid === uuid)).toEqual([]);
	});

	it('lists them oldest first, and newest first, page by page', async () => {
		const user = await newUser();
		const path = `/users/${user.userId}/containers`;
		const empty = await user.api.get<Container[]>(path);
		expect([empty.status, empty.body, empty.headers.link]).toEqual([200, [], undefined]);

		const names = ['e', 'd', 'c', 'b', 'a'];
		const created = await createAll(user, names);
		const whole = await user.api.get<Container[]>(path);
		expect(whole.headers.link).toBeUndefined();
		expect(whole.body).toEqual(created);
		const exact = await user.api.get<Container[]>(`${path}?limit=5`);
		expect([exact.body.length, exact.headers.link]).toEqual([5, undefined]);
		const first = await user.api.get<Container[]>(`${path}?limit=2`);
		expect(namesOf(first.body)).toEqual(['e', 'd']);
		expect(nextPage(first.headers, service.baseUrl)).toMatch(/[?&]limit=2\b/);
		expect(namesOf(await readList(user.api, `${path}?limit=2`, service.baseUrl))).toEqual(names);
		const newest = await readList<Container>(
			user.api,
			`${path}?limit=2&order=desc`,
			service.baseUrl,
		);
		expect(namesOf(newest)).toEqual([...names].reverse());
	});

	it('lists 100 of them in a page unless told otherwise, at most 1,000', async () => {
		const user = await newUser();
		const path = `/users/${user.userId}/containers`;
		await Promise.all(
			Array.from({ length: 101 }, async (_, n) => await createContainer(user, { name: `${n}` })),
		);
		const { body, headers } = await user.api.get<Container[]>(path);
		expect([body.length, nextPage(headers, service.baseUrl) !== undefined]).toEqual([100, true]);
		const all = await readList<Container>(user.api, path, service.baseUrl);
		expect(new Set(namesOf(all)).size).toBe(101);
		expect((await user.api.get<Container[]>(`${path}?limit=1000`)).body).toHaveLength(101);
	});

	it.each([
		['limit', '0'],
		['limit', '-1'],
		['limit', '1001'],
		['limit', '1.5'],
		['limit', 'ten'],
		['limit', ''],
		['order', 'newest'],
		['cursor', 'nonsense'],
		['created_after', 'yesterday'],
		['created_before', '2026-13-45T00:00:00.000Z'],
	])('answers 422 to %s=%s', async (name, value) => {
		const { status, body } = await service.api.get(
			`/users/${service.userId}/containers?${name}=${value}`,
		);
		expect([status, Object.keys(body.fields ?? {})]).toEqual([422, [name]]);
	});

	it('finds text anywhere in the name, literally and without regard to capitals', async () => {
		const user = await newUser();
		const names = [
			'Rabatt 50% off',
			'snake_case',
			'Ärger & Öl',
			'a*b',
			'back\\slash',
			"it's",
			'plain',
		];
		await createAll(user, names);
		const find = async (text: string) => {
			const path = `/users/${user.userId}/containers?name=${encodeURIComponent(text)}`;
			return namesOf((await user.api.get<Container[]>(path)).body);
		};
		expect(await find('%')).toEqual(['Rabatt 50% off']);
		expect(await find('_')).toEqual(['snake_case']);
		expect(await find('*')).toEqual(['a*b']);
		expect(await find('\\')).toEqual(['back\\slash']);
		expect(await find("'")).toEqual(["it's"]);
		expect(await find('äRGER & ö')).toEqual(['Ärger & Öl']);
		expect(await find('PLAIN')).toEqual(['plain']);
		expect(await find('a')).toEqual([
			'Rabatt 50% off',
			'snake_case',
			'a*b',
			'back\\slash',
			'plain',
		]);
		expect(await find('missing')).toEqual([]);
	});

	it('keeps filters in the way to the next page', async () => {
		const user = await newUser();
		await createAll(user, ['x & y 1', 'z', 'x & y 2', 'X & Y 3']);
		const path = `/users/${user.userId}/containers?limit=1&name=${encodeURIComponent('x & y')}`;
		const found = await readList<Container>(user.api, path, service.baseUrl);
		expect(namesOf(found)).toEqual(['x & y 1', 'x & y 2', 'X & Y 3']);
	});

	it('filters by the time of creation', async () => {
		const user = await newUser();
		const [one, two, three] = await createAll(user, ['1', '2', '3']);
		const path = `/users/${user.userId}/containers`;
		const after = await user.api.get<Container[]>(`${path}?created_after=${one.created_date}`);
		expect(namesOf(after.body)).toEqual(['2', '3']);
		const before = await user.api.get<Container[]>(`${path}?created_before=${three.created_date}`);
		expect(namesOf(before.body)).toEqual(['1', '2']);
		const both = `created_after=${one.created_date}&created_before=${three.created_date}`;
		expect(namesOf((await user.api.get<Container[]>(`${path}?${both}`)).body)).toEqual(['2']);
		expect(two.created_date > one.created_date).toBe(true);
	});

	it.each(['asc', 'desc'])(
		'lists each entry that stays exactly once while others come and go (%s)',
		async (order) => {
			const user = await newUser();
			const stay = await createAll(
				user,
				Array.from({ length: 12 }, (_, n) => `stay ${n}`),
			);
			const go = await createAll(user, ['go 1', 'go 2', 'go 3']);
			const seen: string[] = [];
			let next: string | undefined = `/users/${user.userId}/containers?limit=3&order=${order}`;
			while (next !== undefined) {
				const { body, headers }: Awaited<ReturnType<typeof user.api.get<Container[]>>> =
					await user.api.get(next);
				seen.push(...namesOf(body));
				// The last of this page is where the next one begins.
				const gone = go.pop();
				if (gone) await user.api.delete(`/containers/${gone.uuid}`);
				if (seen.length < 12) await createAll(user, [`come ${seen.length}`]);
				next = nextPage(headers, service.baseUrl);
			}
			const stayed = seen.filter((name) => name.startsWith('stay'));
			const expected = namesOf(stay);
			expect(stayed).toEqual(order === 'asc' ? expected : expected.reverse());
		},
	);

	it('goes on behind an entry that was deleted since', async () => {
		const user = await newUser();
		const [, second] = await createAll(user, ['1', '2', '3', '4']);
		const path = `/users/${user.userId}/containers?limit=2`;
		const { headers } = await user.api.get<Container[]>(path);
		await user.api.delete(`/containers/${second.uuid}`);
		const rest = await user.api.get<Container[]>(nextPage(headers, service.baseUrl) ?? '');
		expect(namesOf(rest.body)).toEqual(['3', '4']);
	});
});

describeService('events', () => {
	let service: Service;
	let first: Container;
	let second: Container;
	let all: ServiceEvent[];

	beforeAll(async () => {
		service = await startService({ env: { OWNER_EMAIL: 'olive@example.com' } });
		first = await createContainer(service, { name: 'First', drm: { dynamic: true } });
		second = await createContainer(service, { name: 'Second', drm: { dynamic: true, opens: 1 } });
		await service.api.patch(`/containers/${second.uuid}/drm`, {
			opens: 2,
			recipients: ['ada@example.com'],
		});
		await service.api.patch(`/containers/${second.uuid}/drm`, { opens: null });
		await service.api.delete(`/containers/${first.uuid}`);
		all = (await service.api.get<ServiceEvent[]>(`/users/${service.userId}/events`)).body;
	});

	const get = async (query: string) => {
		const path = `/users/${service.userId}/events${query}`;
		return (await service.api.get<ServiceEvent[]>(path)).body;
	};

	it('tell what happened, oldest first, also to a deleted container', () => {
		const brief = all.map((event) => [event.action, event.container_id, event.container_name]);
		expect(brief).toEqual([
			['container.create', first.uuid, 'First'],
			['container.create', second.uuid, 'Second'],
			['drm.update', second.uuid, 'Second'],
			['drm.update', second.uuid, 'Second'],
			['container.delete', first.uuid, 'First'],
		]);
		expect(new Set(all.map(({ user }) => user))).toEqual(new Set(['olive@example.com']));
		expect(all.every(({ id }) => /^\d+$/.test(id))).toBe(true);
		expect(all.every(({ detail }) => /^(127\.|::1|::ffff:127)/.test(detail.ip ?? ''))).toBe(true);
	});

	it('name the rules that changed', () => {
		const changed = all.flatMap(({ detail }) => detail.changed ?? []);
		expect(changed.sort()).toEqual(['opens', 'opens', 'recipients']);
	});

	it('can be listed newest first, page by page', async () => {
		expect(await get('?order=desc')).toEqual([...all].reverse());
		const path = `/users/${service.userId}/events?limit=2`;
		expect(await readList(service.api, path, service.baseUrl)).toEqual(all);
		expect(await readList(service.api, `${path}&order=desc`, service.baseUrl)).toEqual(
			[...all].reverse(),
		);
	});

	it('can be listed after one that was seen, and after a time', async () => {
		expect(await get(`?after=${all[1].id}`)).toEqual(all.slice(2));
		expect(await get(`?after=${all[4].id}`)).toEqual([]);
		expect(await get('?after=0')).toEqual(all);
		expect(await get(`?after=${all[0].id}&limit=1`)).toEqual([all[1]]);
		const { created_date: time } = all[1];
		expect(await get(`?created_after=${time}`)).toEqual(
			all.filter(({ created_date: created }) => created > time),
		);
	});

	it('of one container are those of it alone, also after its deletion', async () => {
		for (const { uuid } of [first, second]) {
			const path = `/users/${service.userId}/containers/${uuid}/events`;
			const own = all.filter(({ container_id: id }) => id === uuid);
			expect((await service.api.get(path)).body).toEqual(own);
			expect(await readList(service.api, `${path}?limit=1`, service.baseUrl)).toEqual(own);
		}
	});

	it.each([
		['after', 'last'],
		['after', '-1'],
		['created_after', '2026'],
		['limit', '0'],
		['order', 'up'],
	])('are refused for %s=%s', async (name, value) => {
		const { status, body } = await service.api.get(
			`/users/${service.userId}/events?${name}=${value}`,
		);
		expect([status, Object.keys(body.fields ?? {})]).toEqual([422, [name]]);
	});

	it('are none for a change that changes nothing', async () => {
		const path = `/containers/${second.uuid}/drm`;
		const { headers } = await service.api.get(path);
		for (const body of [{}, { opens: null }, { recipients: ['ada@example.com'] }]) {
			const response = await service.api.patch(path, body);
			expect([response.status, response.headers.etag]).toEqual([200, headers.etag]);
		}
		expect(await get('')).toEqual(all);
	});

	it('of others are no business of a user, but of an admin', async () => {
		const ben = await addUser(service, 'ben@example.com');
		await createContainer(ben, { name: "Ben's" });
		const path = `/users/${ben.userId}/events`;
		const { body } = await ben.api.get<ServiceEvent[]>(path);
		expect(body).toMatchObject([{ action: 'container.create', user: 'ben@example.com' }]);
		expect((await service.api.get(path)).body).toEqual(body);
		expect((await ben.api.get(`/users/${service.userId}/events`)).status).toBe(404);
		const foreign = `/users/${service.userId}/containers/${second.uuid}/events`;
		expect((await ben.api.get(foreign)).status).toBe(404);
		expect(
			(await ben.api.get(`/users/${ben.userId}/containers/${second.uuid}/events`)).status,
		).toBe(404);
	});

	it('never appear behind one that was already listed', async () => {
		const user = await addUser(service, 'eva@example.com');
		const path = `/users/${user.userId}/events`;
		let done = false;
		const work = Promise.all(
			Array.from({ length: 40 }, async (_, n) => await createContainer(user, { name: `${n}` })),
		).finally(() => (done = true));
		const seen: string[] = [];
		for (let last = false; !last;) {
			last = done;
			const { body } = await user.api.get<ServiceEvent[]>(`${path}?after=${seen.at(-1) ?? 0}`);
			seen.push(...body.map(({ id }) => id));
		}
		await work;
		const { body } = await user.api.get<ServiceEvent[]>(path);
		expect(seen).toEqual(body.map(({ id }) => id));
		expect(seen).toHaveLength(40);
	});
});
