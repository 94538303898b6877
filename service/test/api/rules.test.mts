import type { Container, Rules } from '../support/api.mts';
import { createContainer } from '../support/encode.mts';
import { describeService, startService, type Service } from '../support/service.mts';

const everyRule = {
	dynamic: true,
	recipients: ['ada@example.com', '*@example.org'],
	downloadable: false,
	geo: { allow: [{ country: 'DE' }, { country: 'US' }], block: [{ country: 'US' }] },
	ip: {
		allow: [
			'192.168.*.1',
			'10.0.0.0/8',
			'2001:db8::/32',
			'10.1.1.1-10.1.1.9',
			'10.0.0.0/255.0.0.0',
		],
		block: ['192.168.1.1'],
	},
	opens: 5,
	time: { start: '2026-01-01', end: '2099-12-31' },
};

describeService('rules', () => {
	let service: Service;

	beforeAll(async () => {
		service = await startService();
	});

	/** A container with these rules, and the path of its rules. */
	const create = async (drm: object) => {
		const { uuid } = await createContainer(service, { drm });
		return `/containers/${uuid}/drm`;
	};
	const get = async (path: string) => await service.api.get<Rules>(path);

	it('are returned flat, as they were set, and one that is not set is missing', async () => {
		const { status, body } = await get(await create(everyRule));
		expect([status, body]).toEqual([200, everyRule]);
		expect((await get(await create({ dynamic: true }))).body).toEqual({ dynamic: true });
	});

	it('can all be set by PATCH, and all removed', async () => {
		const path = await create({ dynamic: true });
		const set = await service.api.patch(path, everyRule);
		expect([set.status, set.body]).toEqual([200, everyRule]);
		expect((await get(path)).body).toEqual(everyRule);
		const names = Object.keys(everyRule).filter((name) => name !== 'dynamic');
		const removed = await service.api.patch(
			path,
			Object.fromEntries(names.map((name) => [name, null])),
		);
		expect(removed.body).toEqual({ dynamic: true });
		expect((await get(path)).body).toEqual({ dynamic: true });
	});

	it('stay when a PATCH leaves them out, and are replaced as a whole', async () => {
		const path = await create(everyRule);
		const { body } = await service.api.patch(path, {
			time: { end: '2027-01-01' },
			ip: { block: ['1.2.3.4'] },
			opens: null,
		});
		const { opens: _, ...rest } = everyRule;
		expect(body).toEqual({ ...rest, time: { end: '2027-01-01' }, ip: { block: ['1.2.3.4'] } });
	});

	it('can name nobody', async () => {
		const path = await create({ dynamic: true, recipients: ['ada@example.com'] });
		expect((await service.api.patch(path, { recipients: [] })).body).toEqual({
			dynamic: true,
			recipients: [],
		});
	});

	it.each([
		['is missing', {}],
		['is false', { dynamic: false, opens: 1 }],
	])("can't change where dynamic %s", async (_, drm) => {
		const path = await create(drm);
		const { body: before, headers } = await get(path);
		for (const patch of [{ opens: 2 }, { dynamic: true }, {}]) {
			expect(await service.api.patch(path, patch)).toMatchObject({
				status: 409,
				body: { code: 'rules_fixed' },
			});
		}
		const after = await get(path);
		expect([after.body, after.headers.etag]).toEqual([before, headers.etag]);
	});

	it('are sealed from a PATCH with dynamic: false on', async () => {
		const path = await create({ dynamic: true });
		const sealed = await service.api.patch<Rules>(path, { dynamic: false, opens: 4 });
		expect(sealed.body).toEqual({ dynamic: false, opens: 4 });
		expect((await service.api.patch(path, { opens: 5 })).status).toBe(409);
	});

	it('name an unknown key', async () => {
		const path = await create({ dynamic: true });
		expect(await service.api.patch(path, { open: 1, opens: 1 })).toMatchObject({
			status: 422,
			body: { code: 'invalid', fields: { open: expect.any(String) } },
		});
		expect((await get(path)).body).toEqual({ dynamic: true });
	});

	it('change the date of the change', async () => {
		const { uuid, ...created } = await createContainer(service, { drm: { dynamic: true } });
		await service.api.patch(`/containers/${uuid}/drm`, { opens: 1 });
		const { body } = await service.api.get<Container>(`/containers/${uuid}`);
		expect(body.created_date).toBe(created.created_date);
		expect(body.updated_date > created.updated_date).toBe(true);
	});

	it('have a strong ETag that changes with them', async () => {
		const path = await create({ dynamic: true });
		const { headers: before } = await get(path);
		expect(before.etag).toMatch(/^"[^"]+"$/);
		expect((await get(path)).headers.etag).toBe(before.etag);
		const patched = await service.api.patch(path, { opens: 1 });
		expect(patched.headers.etag).toMatch(/^"[^"]+"$/);
		expect(patched.headers.etag).not.toBe(before.etag);
		expect((await get(path)).headers.etag).toBe(patched.headers.etag);
	});

	it('change only where If-Match names the current ETag', async () => {
		const path = await create({ dynamic: true });
		const { etag: old } = (await get(path)).headers;
		const first = await service.api.patch(path, { opens: 1 }, { 'if-match': old });
		expect(first.status).toBe(200);
		const current = first.headers.etag;
		for (const refused of [old, '"other"', `W/${current}`]) {
			const response = await service.api.patch(path, { opens: 9 }, { 'if-match': refused });
			expect([refused, response.status, response.body.code]).toEqual([refused, 412, 'changed']);
		}
		const unchanged = await get(path);
		expect([unchanged.body.opens, unchanged.headers.etag]).toEqual([1, current]);
		for (const [opens, accepted] of [
			[2, `"other", ${current}`],
			[3, '*'],
		]) {
			const response = await service.api.patch<Rules>(
				path,
				{ opens },
				{ 'if-match': String(accepted) },
			);
			expect([accepted, response.status, response.body.opens]).toEqual([accepted, 200, opens]);
		}
	});

	it('lose no update of ten clients that use If-Match', async () => {
		const path = await create({ dynamic: true, opens: 1 });
		await Promise.all(
			Array.from({ length: 10 }, async () => {
				for (let status = 0; status !== 200;) {
					const { body, headers } = await get(path);
					const patch = { opens: (body.opens ?? 0) + 1 };
					({ status } = await service.api.patch(path, patch, { 'if-match': headers.etag }));
					expect([200, 412]).toContain(status);
				}
			}),
		);
		expect((await get(path)).body.opens).toBe(11);
	});

	it('lose no update of different rules at once', async () => {
		const path = await create({ dynamic: true });
		const { dynamic: _, ...rest } = everyRule;
		const patches = Object.entries(rest).map(([name, value]) => ({ [name]: value }));
		const responses = await Promise.all(
			patches.map(async (patch) => await service.api.patch(path, patch)),
		);
		expect(responses.map(({ status }) => status)).toEqual(patches.map(() => 200));
		expect((await get(path)).body).toEqual(everyRule);
	});
});
