import { readList, type Contact } from '../support/api.mts';
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
		const fields = {
			first_name: 'Ada',
			last_name: 'Lovelace',
			company: 'Analytical Engines',
			phone_number: '+44 20 1234567',
		};
		const created = await put('ada@example.com', { email: 'ada@example.com', ...fields });
		expect(created.status).toBe(201);
		expect(created.body).toMatchObject({ email: 'ada@example.com', ...fields });
		expect(created.body.created_date).toBe(created.body.updated_date);
		expect(await get('ada@example.com')).toMatchObject({ status: 200, body: created.body });

		const updated = await put('ada@example.com', { company: 'Engines' });
		expect(updated.status).toBe(200);
		expect(updated.body).toMatchObject({ ...fields, company: 'Engines' });
		expect(updated.body.created_date).toBe(created.body.created_date);
		expect(updated.body.updated_date > created.body.updated_date).toBe(true);
		expect((await get('ada@example.com')).body).toEqual(updated.body);
	});

	it('can be created from the address alone, and by ten requests at once as one', async () => {
		const responses = await Promise.all(
			Array.from(
				{ length: 10 },
				async (_, n) => await put('many@example.com', { [`field${n}`]: n }),
			),
		);
		const statuses = responses.map(({ status }) => status).sort();
		expect(statuses).toEqual([...Array.from({ length: 9 }, () => 200), 201]);
		const { body } = await get('many@example.com');
		expect(Object.keys(body).filter((name) => name.startsWith('field'))).toHaveLength(10);
	});

	it('keep further texts, numbers and booleans, and lose a field that is null', async () => {
		const fields = { city: 'Zürich', age: 36, score: -1.5, vip: true, old: false, note: '', n: 0 };
		await put('further@example.com', { ...fields, first_name: 'Eva' });
		expect((await get('further@example.com')).body).toMatchObject(fields);
		const { body } = await put('further@example.com', {
			city: null,
			first_name: null,
			missing: null,
		});
		const { city: _, ...rest } = fields;
		expect(body).toMatchObject(rest);
		for (const name of ['city', 'first_name', 'missing']) expect(body).not.toHaveProperty(name);
	});

	it('keep names that mean something to JavaScript', async () => {
		const text = '{"__proto__":"a","constructor":"b","toString":"c","hasOwnProperty":"d"}';
		const path = `${list}/names@example.com`;
		const options = { body: text, headers: { 'content-type': 'application/json' } };
		const { status } = await service.api.send<Contact>('PATCH', path, options);
		// Some JSON parsers refuse the first one.
		if (status === 201) expect((await get('names@example.com')).text).toContain('"__proto__":"a"');
		else expect([400, 422]).toContain(status);
		const rest = { constructor: 'b', toString: 'c', hasOwnProperty: 'd' };
		expect((await put('names2@example.com', rest)).body).toMatchObject(rest);
	});

	it('are the same person in any capitals', async () => {
		expect((await put('Bob.Smith@Example.com', { first_name: 'Bob' })).status).toBe(201);
		const again = await put('bob.smith@EXAMPLE.com', {
			email: 'BOB.SMITH@example.com',
			company: 'X',
		});
		expect(again).toMatchObject({ status: 200, body: { first_name: 'Bob', company: 'X' } });
		expect((await get('BOB.SMITH@EXAMPLE.COM')).status).toBe(200);
		const { body } = await service.api.get<Contact[]>(`${list}?email=bob.smith`);
		expect(body).toHaveLength(1);
	});

	it('ignore dates that are sent', async () => {
		const date = '2001-01-01T00:00:00.000Z';
		const { body } = await put('dates@example.com', { created_date: date, updated_date: date });
		expect([body.created_date, body.updated_date]).not.toContain(date);
	});

	it("answer 422 to an address that isn't the one of the path", async () => {
		const { status, body } = await service.api.patch(`${list}/carl@example.com`, {
			email: 'eve@example.com',
		});
		expect([status, Object.keys(body.fields ?? {})]).toEqual([422, ['email']]);
		expect((await get('carl@example.com')).status).toBe(404);
	});

	it('have addresses with every character that mail allows', async () => {
		for (const email of ["o'neil+tag/x@example.com", '100%25@example.com', 'a?b#c&d@example.com']) {
			expect([email, (await put(email, { first_name: 'X' })).status]).toEqual([email, 201]);
			expect((await get(email)).body.email).toBe(email);
		}
	});

	it('DELETE answers 204, and then 404', async () => {
		await put('gone@example.com', {});
		const path = `${list}/GONE@example.com`;
		expect((await service.api.delete(path)).status).toBe(204);
		expect((await service.api.delete(path)).status).toBe(404);
		expect((await get('gone@example.com')).status).toBe(404);
		expect((await put('gone@example.com', {})).status).toBe(201);
	});

	it('are listed in pages, and found by text in the address', async () => {
		const user = await addUser(service, 'ben@example.com');
		const path = `/users/${user.userId}/contacts`;
		const emails = ['zoe@example.com', 'a_b@example.com', 'axb@example.org', 'p%q@example.com'];
		for (const email of emails) {
			await user.api.patch(`${path}/${encodeURIComponent(email)}`, {});
		}
		const find = async (query: string) =>
			(await readList<Contact>(user.api, `${path}?limit=2${query}`, service.baseUrl)).map(
				({ email }) => email,
			);
		expect(await find('')).toEqual(emails);
		expect(await find('&email=_B%40')).toEqual(['a_b@example.com']);
		expect(await find('&email=%25')).toEqual(['p%q@example.com']);
		expect(await find('&email=EXAMPLE.com')).toEqual([emails[0], emails[1], emails[3]]);
		expect(await find('&email=nobody')).toEqual([]);
		expect((await user.api.get(`${path}?limit=0`)).status).toBe(422);
	});

	it('belong to one user', async () => {
		const user = await addUser(service, 'carla@example.com');
		await put('dora@example.com', { first_name: 'Dora' });
		const path = `/users/${user.userId}/contacts/dora@example.com`;
		expect((await user.api.get(path)).status).toBe(404);
		expect((await user.api.patch(path, { first_name: 'Other' })).status).toBe(201);
		expect((await get('dora@example.com')).body.first_name).toBe('Dora');
	});
});
