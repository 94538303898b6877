import type { Contact } from '../support/api.mts';
import { addUser, describeService, startService, type Service } from '../support/service.mts';

describeService('contacts', () => {
	let service: Service;
	let list: string;

	beforeAll(async () => {
		service = await startService();
		list = `/users/${service.userId}/contacts`;
	});

	const put = async (email: string, body: object) =>
		await service.api.patch<Contact>(`${list}/${encodeURIComponent(email)}`, body);
	const get = async (email: string) =>
		await service.api.get<Contact>(`${list}/${encodeURIComponent(email)}`);

	it('are created with 201, and then updated with 200', async () => {
		const names = { first_name: 'Ada', last_name: 'Lovelace', phone_number: '+44 20 1234567' };
		const fields = { ...names, company: 'Analytical Engines' };
		const created = await put('ada@example.com', { email: 'ada@example.com', ...fields });
		const { created_date: date } = created.body;
		const expected = {
			email: 'ada@example.com',
			...fields,
			created_date: date,
			updated_date: date,
		};
		expect([created.status, created.body]).toEqual([201, expected]);
		const updated = await put('ada@example.com', {
			company: 'Engines',
			created_date: '2001-01-01',
		});
		const { updated_date: later } = updated.body;
		expect([updated.status, updated.body]).toEqual([
			200,
			{ ...expected, company: 'Engines', updated_date: later },
		]);
		expect(later > date).toBe(true);
		expect((await get('ada@example.com')).body).toEqual(updated.body);
	});

	it('are one for ten requests at once', async () => {
		const numbers = Array.from({ length: 10 }, (_, n) => n);
		const all = await Promise.all(
			numbers.map(async (n) => await put('many@example.com', { [`field${n}`]: n })),
		);
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

	it('are the same person in any capitals', async () => {
		expect((await put('Bob.Smith@Example.com', { first_name: 'Bob' })).status).toBe(201);
		const again = await put('bob.smith@EXAMPLE.com', {
			email: 'BOB.SMITH@example.com',
			company: 'X',
		});
		expect(again).toMatchObject({ status: 200, body: { first_name: 'Bob', company: 'X' } });
		expect(await service.api.getAll(`${list}?email=bOb.smith`)).toEqual([again.body]);
		expect((await service.api.delete(`${list}/BOB.smith@example.com`)).status).toBe(204);
		expect((await get('bob.smith@example.com')).status).toBe(404);
		expect((await service.api.delete(`${list}/bob.smith@example.com`)).status).toBe(404);
	});

	it("answer 422 to an address that isn't the one of the path", async () => {
		const { status, body } = await service.api.patch(`${list}/c@example.com`, {
			email: 'd@example.com',
		});
		expect([status, Object.keys(body.fields ?? {})]).toEqual([422, ['email']]);
		expect((await get('c@example.com')).status).toBe(404);
	});

	it('have addresses with every character that mail allows', async () => {
		for (const email of ["o'neil+tag/x@example.com", '100%25@example.com', 'a?b#c&d@example.com']) {
			expect([email, (await put(email, { first_name: 'X' })).status]).toEqual([email, 201]);
			expect((await get(email)).body.email).toBe(email);
		}
	});

	it('are listed in pages, found by text in the address, and belong to one user', async () => {
		const user = await addUser(service, 'ben@example.com');
		await put('zoe@example.com', { first_name: 'Zoe' });
		const path = `/users/${user.userId}/contacts`;
		const emails = ['zoe@example.com', 'a_b@example.com', 'axb@example.org', 'p%q@example.com'];
		for (const email of emails) await user.api.patch(`${path}/${encodeURIComponent(email)}`, {});
		const find = async (query: string) =>
			(await user.api.getAll<Contact>(`${path}?limit=1${query}`)).map(({ email }) => email);
		expect(await find('')).toEqual(emails);
		expect(await find('&email=_B%40')).toEqual(['a_b@example.com']);
		expect(await find('&email=%25')).toEqual(['p%q@example.com']);
		expect(await find('&email=EXAMPLE.com')).toEqual([emails[0], emails[1], emails[3]]);
		expect(await find('&email=nobody')).toEqual([]);
		expect((await get('zoe@example.com')).body.first_name).toBe('Zoe');
	});
});
