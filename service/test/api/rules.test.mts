import type { Container, Rules } from '../support/api.mts';
import { createContainer } from '../support/encode.mts';
import { describeService, startService, type Service } from '../support/service.mts';

const forms = '192.168.*.1 10.0.0.0/8 2001:db8::/32 10.1.1.1-10.1.1.9 10.0.0.0/255.0.0.0';
const others = {
	recipients: ['ada@example.com', '*@example.org'],
	downloadable: false,
	geo: { allow: [{ country: 'DE' }, { country: 'US' }], block: [{ country: 'US' }] },
	ip: { allow: forms.split(' '), block: ['192.168.1.1'] },
	opens: 5,
	time: { start: '2026-01-01', end: '2099-12-31' },
};
const everyRule = { dynamic: true, ...others };

describeService('rules', () => {
	let service: Service;

	beforeAll(async () => {
		service = await startService();
	});

	/** A container with these rules, and the path of its rules. */
	const create = async (drm: object) =>
		`/containers/${(await createContainer(service, { drm })).uuid}/drm`;
	const get = async (path: string) => await service.api.get<Rules>(path);

	it('are returned flat, as they were set, and one that is not set is missing', async () => {
		const { status, body } = await get(await create(everyRule));
		expect([status, body]).toEqual([200, everyRule]);
		expect((await get(await create({ dynamic: true }))).body).toEqual({ dynamic: true });
	});

	it('can all be set by PATCH, and all removed', async () => {
		const path = await create({ dynamic: true });
		const set = await service.api.patch(path, others);
		expect([set.status, set.body, (await get(path)).body]).toEqual([200, everyRule, everyRule]);
		const nulls = Object.fromEntries(Object.keys(others).map((name) => [name, null]));
		expect((await service.api.patch(path, nulls)).body).toEqual({ dynamic: true });
		expect((await get(path)).body).toEqual({ dynamic: true });
	});

	it('stay when a PATCH leaves them out, and are replaced as a whole', async () => {
		const path = await create(everyRule);
		const patch = { time: { end: '2027-01-01' }, ip: { block: ['1.2.3.4'] }, recipients: [] };
		expect((await service.api.patch(path, patch)).body).toEqual({ ...everyRule, ...patch });
	});

	it.each([{}, { dynamic: false, opens: 1 }])("can't change where they are %j", async (drm) => {
		const path = await create(drm);
		const before = await get(path);
		for (const patch of [{ opens: 2 }, { dynamic: true }, {}]) {
			const { status, body } = await service.api.patch(path, patch);
			expect([status, body.code]).toEqual([409, 'rules_fixed']);
		}
		const { body, headers } = await get(path);
		expect([body, headers.etag]).toEqual([before.body, before.headers.etag]);
	});

	it('are sealed from a PATCH with dynamic: false on', async () => {
		for (const dynamic of [false, null]) {
			const path = await create({ dynamic: true });
			const { body } = await service.api.patch(path, { dynamic, opens: 4 });
			expect(body).toEqual({ dynamic: false, opens: 4 });
			expect((await service.api.patch(path, { opens: 5 })).status).toBe(409);
		}
	});

	it('change the date of the change', async () => {
		const { uuid, ...created } = await createContainer(service, { drm: { dynamic: true } });
		await service.api.patch(`/containers/${uuid}/drm`, { opens: 1 });
		const { body } = await service.api.get<Container>(`/containers/${uuid}`);
		expect(body.created_date).toBe(created.created_date);
		expect(body.updated_date > created.updated_date).toBe(true);
	});

	it('have an ETag that changes with them, and change only where If-Match names it', async () => {
		const path = await create({ dynamic: true });
		const { etag: old } = (await get(path)).headers;
		expect((await get(path)).headers.etag).toBe(old);
		const patch = async (opens: number, match: string) =>
			await service.api.patch<Rules>(path, { opens }, { 'if-match': match });
		const first = await patch(1, old);
		const current = first.headers.etag;
		expect([first.status, (await get(path)).headers.etag]).toEqual([200, current]);
		for (const match of [old, '"other"', `W/${current}`]) {
			expect(await patch(9, match)).toMatchObject({ status: 412, body: { code: 'changed' } });
		}
		const unchanged = await get(path);
		expect([unchanged.body.opens, unchanged.headers.etag]).toEqual([1, current]);
		expect(await patch(2, `"other", ${current}`)).toMatchObject({
			status: 200,
			body: { opens: 2 },
		});
		expect(await patch(3, '*')).toMatchObject({ status: 200, body: { opens: 3 } });
	});

	it('lose no update of ten clients that use If-Match', async () => {
		const path = await create({ dynamic: true, opens: 1 });
		const increment = async () => {
			for (let status = 412; status !== 200;) {
				const { body, headers } = await get(path);
				const patch = { opens: (body.opens ?? 0) + 1 };
				({ status } = await service.api.patch(path, patch, { 'if-match': headers.etag }));
				expect([200, 412]).toContain(status);
			}
		};
		await Promise.all(Array.from({ length: 10 }, increment));
		expect((await get(path)).body.opens).toBe(11);
	});

	it('lose no update of different rules at once', async () => {
		const path = await create({ dynamic: true });
		const sent = Object.entries(others).map(([name, value]) => ({ [name]: value }));
		await Promise.all(sent.map(async (patch) => await service.api.patch(path, patch)));
		expect((await get(path)).body).toEqual(everyRule);
	});
});
