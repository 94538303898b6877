import type { Api, Container, Envelope } from '../support/api.mts';
import { createContainer } from '../support/encode.mts';
import { addUser, describeService, startService, type Service } from '../support/service.mts';

describeService('containers', () => {
	let service: Service;
	let users = 0;

	beforeAll(async () => {
		service = await startService();
	});

	/** A user without containers. */
	const createUser = async () => {
		const user = await addUser(service, `user${users++}@example.com`);
		return { ...user, list: `/users/${user.userId}/containers` };
	};
	const createAll = async (user: { api: Api; userId: string }, names: string[]) => {
		const created: Container[] = [];
		for (const name of names) created.push(await createContainer(user, { name }));
		return created;
	};
	const toNames = (list: Container[]) => list.map(({ name }) => name);

	it('can be read as a record, with files and openings, and as an envelope', async () => {
		const created = await createContainer(service, { name: 'One' });
		const { body } = await service.api.get<Container>(`/containers/${created.uuid}`);
		expect(body).toMatchObject({ ...created, opens_used: 0, files: [{ name: 'note.txt' }] });
		// A UUID is the same in any capitals.
		const path = `/users/${service.userId}/containers/${created.uuid.toUpperCase()}`;
		const envelope = { org_id: service.userId, container: created };
		expect((await service.api.get<Envelope>(path)).body).toEqual(envelope);
	});

	it('can be deleted with their files', async () => {
		const before = service.listFiles();
		const { uuid } = await createContainer(service);
		const path = `/containers/${uuid}`;
		expect(service.listFiles()).not.toEqual(before);
		expect((await service.api.delete(path)).status).toBe(204);
		expect(service.listFiles()).toEqual(before);
		const responses = await Promise.all([
			service.api.get(path),
			service.api.get(`/users/${service.userId}${path}`),
			service.api.get(`${path}/drm`),
			service.api.patch(`${path}/drm`, { opens: 1 }),
			service.api.delete(path),
		]);
		expect(responses.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404]);
		const list = await service.api.getAll<Container>(`/users/${service.userId}/containers`);
		expect(list.some((container) => container.uuid === uuid)).toBe(false);
	});

	it('are listed oldest first, or newest first, page by page', async () => {
		const { list, ...user } = await createUser();
		const empty = await user.api.get<Container[]>(list);
		expect([empty.status, empty.body, empty.headers.link]).toEqual([200, [], undefined]);
		const names = ['e', 'd', 'c', 'b', 'a'];
		const created = await createAll(user, names);
		for (const query of ['', '?limit=5', '?limit=1000']) {
			const { body, headers } = await user.api.get<Container[]>(list + query);
			expect([body, headers.link]).toEqual([created, undefined]);
		}
		const first = await user.api.get<Container[]>(`${list}?limit=2`);
		expect(toNames(first.body)).toEqual(['e', 'd']);
		expect(toNames(await user.api.getAll(`${list}?limit=2`))).toEqual(names);
		const newest = await user.api.getAll<Container>(`${list}?limit=2&order=desc`);
		expect(toNames(newest)).toEqual([...names].reverse());
	});

	it('are listed a hundred in a page unless told otherwise', async () => {
		const { list, ...user } = await createUser();
		const names = Array.from({ length: 101 }, (_, n) => String(n));
		await Promise.all(names.map(async (name) => await createContainer(user, { name })));
		const first = await user.api.get<Container[]>(list);
		expect([first.body.length, user.api.nextPage(first)]).toEqual([100, expect.any(String)]);
		expect(toNames(await user.api.getAll(list)).sort()).toEqual(names.sort());
	});

	it.each([
		...['0', '-1', '1001', '1.5', 'ten', ''].map((value) => ['limit', value]),
		['order', 'newest'],
		['cursor', 'nonsense'],
		['created_after', 'yesterday'],
		['created_before', '2026-13-45T00:00:00.000Z'],
		['sort', 'name'],
	])('are refused for %s=%s', async (name, value) => {
		const path = `/users/${service.userId}/containers?${name}=${value}`;
		const { status, body } = await service.api.get(path);
		expect([status, Object.keys(body.fields ?? {})]).toEqual([422, [name]]);
	});

	it('are found by text in the name, literally and without regard to capitals', async () => {
		const { list, ...user } = await createUser();
		const found = {
			'%': ['50% off'],
			_: ['snake_case'],
			'*': ['x*y'],
			'\\': ['back\\slash'],
			"'": ["it's & IT"],
			'äRGER & ö': ['Ärger & Öl'],
			A: ['snake_case', 'back\\slash'],
			' & ': ["it's & IT", 'Ärger & Öl'],
			none: [],
		};
		await createAll(user, [...new Set(Object.values(found).flat())]);
		for (const [text, names] of Object.entries(found)) {
			// A page for each, so that the way to the next one must keep the filter.
			const path = `${list}?limit=1&name=${encodeURIComponent(text)}`;
			expect([text, toNames(await user.api.getAll(path))]).toEqual([text, names]);
		}
	});

	it('are found by the time of creation', async () => {
		const { list, ...user } = await createUser();
		const [one, , three] = await createAll(user, ['1', '2', '3']);
		const find = async (query: string) => toNames(await user.api.getAll(`${list}?${query}`));
		const [after, before] = [
			`created_after=${one.created_date}`,
			`created_before=${three.created_date}`,
		];
		expect(await find(after)).toEqual(['2', '3']);
		expect(await find(before)).toEqual(['1', '2']);
		expect(await find(`${after}&${before}`)).toEqual(['2']);
	});

	it.each(['asc', 'desc'])('are listed once each while others come and go (%s)', async (order) => {
		const { list, ...user } = await createUser();
		const stay = toNames(
			await createAll(
				user,
				Array.from({ length: 12 }, (_, n) => `stay ${n}`),
			),
		);
		const seen: Container[] = [];
		let next: string | undefined = `${list}?limit=3&order=${order}`;
		while (next !== undefined) {
			// Some go before their page, and one is where the next page begins.
			const [come] = await createAll(user, ['come', 'go']);
			const page: { body: Container[]; headers: Record<string, string> } = await user.api.get(next);
			seen.push(...page.body);
			await user.api.delete(`/containers/${come.uuid}`);
			const last = page.body.at(-1);
			if (last && !stay.includes(last.name)) await user.api.delete(`/containers/${last.uuid}`);
			if (seen.length > 60) break;
			next = user.api.nextPage(page);
		}
		const stayed = toNames(seen).filter((name) => name.startsWith('stay'));
		expect(stayed).toEqual(order === 'asc' ? stay : [...stay].reverse());
	});

	it('are listed on from one that was deleted since', async () => {
		const { list, ...user } = await createUser();
		const [, second] = await createAll(user, ['1', '2', '3', '4']);
		const first = await user.api.get(`${list}?limit=2`);
		await user.api.delete(`/containers/${second.uuid}`);
		const rest = await user.api.get<Container[]>(user.api.nextPage(first) ?? '');
		expect(toNames(rest.body)).toEqual(['3', '4']);
	});
});
