import { setTimeout as sleep } from 'node:timers/promises';
import { createContainer, type Api, type Contact, type Container } from '../support/api.mts';
import {
	addUser,
	describeService,
	startService,
	times,
	type Service,
} from '../support/service.mts';

let service: Service;
let users = 0;

/** A user without containers and contacts. */
const createUser = async () => {
	const user = await addUser(service, `user${users++}@example.com`);
	const path = `/users/${user.userId}`;
	return { ...user, list: `${path}/containers`, contacts: `${path}/contacts` };
};

beforeAll(async () => {
	service = await startService();
});

describeService('containers', () => {
	const createAll = async (user: { api: Api; userId: string }, names: string[]) => {
		const created: Container[] = [];
		for (const name of names) created.push(await createContainer(user, { name }));
		return created;
	};
	const toNames = (list: Container[]) => list.map(({ name }) => name);

	it('can be deleted with their files', async () => {
		const before = service.listFiles();
		const { uuid } = await createContainer(service);
		const path = `/containers/${uuid}`;
		expect(service.listFiles()).not.toEqual(before);
		expect((await service.api.delete(path)).status).toBe(204);
		expect(service.listFiles()).toEqual(before);
		expect((await service.api.get(path)).status).toBe(404);
	});

	it('are listed oldest or newest first, page by page, a hundred unless told otherwise', async () => {
		const { list, ...user } = await createUser();
		const empty = await user.api.get<Container[]>(list);
		expect([empty.status, empty.body, empty.headers.link]).toEqual([200, [], undefined]);
		const created = await createAll(user, ['e', 'd', 'c', 'b', 'a']);
		const all = await user.api.get<Container[]>(`${list}?limit=5`);
		expect([all.body, all.headers.link]).toEqual([created, undefined]);
		expect(await user.api.getAll(`${list}?limit=2`)).toEqual(created);
		const newest = await user.api.getAll<Container>(`${list}?limit=2&order=desc`);
		expect(newest).toEqual([...created].reverse());
		await Promise.all(times(96, () => createContainer(user)));
		const first = await user.api.get<Container[]>(list);
		expect([first.body.length, (await user.api.getAll(list)).length]).toEqual([100, 101]);
	});

	it.each([
		...['limit=0', 'limit=1001', 'limit=1.5', 'limit=', 'order=newest', 'cursor=nonsense'],
		...['created_after=yesterday', 'created_before=2026-13-45T00:00:00.000Z', 'sort=name'],
	])('are refused for %s', async (query) => {
		const { status, body } = await service.api.get(`/users/${service.userId}/containers?${query}`);
		expect([status, Object.keys(body.fields ?? {})]).toEqual([422, [query.split('=')[0]]]);
	});

	it('are found by time, and by text in the name, literally and in any capitals', async () => {
		const { list, ...user } = await createUser();
		const found = {
			'%': ['50% off'],
			_: ['snake_case'],
			'\\': ['back\\slash'],
			'äRGER & ö': ['Ärger & Öl'],
			A: ['snake_case', 'back\\slash'],
			"' & ": ["it's' & IT"],
			none: [],
		};
		const all = [...new Set(Object.values(found).flat())];
		const created = await createAll(user, all);
		const [first, last] = [created[0], created[all.length - 1]];
		// A page for each, so that the way to the next one must keep the filter.
		const find = async (query: string) =>
			toNames(await user.api.getAll(`${list}?limit=1&${query}`));
		for (const [text, names] of Object.entries(found)) {
			expect([text, await find(`name=${encodeURIComponent(text)}`)]).toEqual([text, names]);
		}
		const after = `created_after=${first.created_date}`;
		const before = `created_before=${last.created_date}`;
		expect(await find(after)).toEqual(all.slice(1));
		expect(await find(`${after}&${before}`)).toEqual(all.slice(1, -1));
	});

	it.each(['asc', 'desc'])('are listed once each while others come and go (%s)', async (order) => {
		const { list, ...user } = await createUser();
		const names = times(12, (n) => `stay ${n}`);
		await createAll(user, names);
		const seen: Container[] = [];
		let next: string | undefined = `${list}?limit=3&order=${order}`;
		while (next !== undefined) {
			// Some go before their page, and one is where the next page begins.
			const [come] = await createAll(user, ['come', 'go']);
			const page: { body: Container[]; headers: Record<string, string> } = await user.api.get(next);
			seen.push(...page.body);
			await user.api.delete(`/containers/${come.uuid}`);
			const last = page.body.at(-1);
			if (last && !names.includes(last.name)) await user.api.delete(`/containers/${last.uuid}`);
			if (seen.length > 60) break;
			next = user.api.nextPage(page);
		}
		const stayed = toNames(seen).filter((name) => name.startsWith('stay'));
		expect(stayed).toEqual(order === 'asc' ? names : [...names].reverse());
	});
});

describeService('contacts', () => {
	let list: string;

	beforeAll(() => {
		list = `/users/${service.userId}/contacts`;
	});

	const put = async (email: string, body: object) =>
		await service.api.patch<Contact>(`${list}/${encodeURIComponent(email)}`, body);
	const get = async (email: string) =>
		await service.api.get<Contact>(`${list}/${encodeURIComponent(email)}`);

	it('are created with 201, and then updated with 200', async () => {
		const names = { first_name: 'Ada', last_name: 'Lovelace', phone_number: '+44 20 1234567' };
		const fields = { email: 'ada@example.com', ...names, company: 'Analytical Engines' };
		const created = await put('ada@example.com', fields);
		const { created_date: date } = created.body;
		const expected = { ...fields, created_date: date, updated_date: date };
		expect([created.status, created.body]).toEqual([201, expected]);
		const change = { company: 'Engines', created_date: '2001-01-01' };
		// Dates are written to the millisecond.
		await sleep(5);
		const updated = await put('ada@example.com', change);
		const { updated_date: later } = updated.body;
		const changed = { ...expected, company: 'Engines', updated_date: later };
		expect([updated.status, updated.body]).toEqual([200, changed]);
		expect(later > date).toBe(true);
		expect((await get('ada@example.com')).body).toEqual(updated.body);
	});

	it('are one for ten requests at once', async () => {
		const numbers = times(10, (n) => n);
		const write = async (n: number) => await put('many@example.com', { [`field${n}`]: n });
		const all = await Promise.all(numbers.map(write));
		expect(all.map(({ status }) => status).sort()).toEqual([...numbers.slice(1).fill(200), 201]);
		const { body } = await get('many@example.com');
		expect(numbers.map((n) => body[`field${n}`])).toEqual(numbers);
	});

	it('keep further texts, numbers and booleans, and lose a field that is null', async () => {
		const fields = { age: 36, score: -1.5, vip: true, old: false, note: '', constructor: 'b' };
		await put('further@example.com', { ...fields, city: 'Zürich', first_name: 'Eva' });
		expect((await get('further@example.com')).body).toMatchObject({ ...fields, city: 'Zürich' });
		const { body } = await put('further@example.com', { city: null, first_name: null, none: null });
		expect(body).toMatchObject(fields);
		for (const name of ['city', 'first_name', 'none']) expect(body).not.toHaveProperty(name);
	});

	it('are the same person in any capitals, and in the path and the body', async () => {
		expect((await put('Bob.Smith@Example.com', { first_name: 'Bob' })).status).toBe(201);
		const change = { email: 'BOB.SMITH@example.com', company: 'X' };
		const again = await put('bob.smith@EXAMPLE.com', change);
		expect(again).toMatchObject({ status: 200, body: { first_name: 'Bob', company: 'X' } });
		expect(await service.api.getAll(`${list}?email=bOb.smith`)).toEqual([again.body]);
		const other = await service.api.patch(`${list}/bob.smith@example.com`, { email: 'd@b.org' });
		expect([other.status, Object.keys(other.body.fields ?? {})]).toEqual([422, ['email']]);
		expect((await service.api.delete(`${list}/BOB.smith@example.com`)).status).toBe(204);
		expect((await get('bob.smith@example.com')).status).toBe(404);
		expect((await service.api.delete(`${list}/bob.smith@example.com`)).status).toBe(404);
	});

	it('are listed in pages, found by any text in the address, and belong to one user', async () => {
		const { api, contacts } = await createUser();
		await put('zoe@example.com', { first_name: 'Zoe' });
		const odd = ["o'neil+tag/x@example.com", 'a?b#c&d@example.com'];
		const emails = ['zoe@example.com', 'a_b@example.com', 'axb@example.org', '1%25@example.com'];
		emails.push(...odd);
		for (const email of emails) await api.patch(`${contacts}/${encodeURIComponent(email)}`, {});
		const find = async (query: string) =>
			(await api.getAll<Contact>(`${contacts}?limit=1${query}`)).map(({ email }) => email);
		expect(await find('')).toEqual(emails);
		expect(await find('&email=_B%40')).toEqual(['a_b@example.com']);
		expect(await find('&email=%25')).toEqual(['1%25@example.com']);
		expect(await find('&email=EXAMPLE.org')).toEqual(['axb@example.org']);
		expect((await get('zoe@example.com')).body.first_name).toBe('Zoe');
	});
});
