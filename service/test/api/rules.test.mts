import { randomUUID } from 'node:crypto';
import type { DrmRules } from '../../src/containers/rules.mts';
import { createContainer, type Container, type ServiceEvent } from '../support/api.mts';
import { addUser, describeService, startService, type Service } from '../support/service.mts';

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

let service: Service;

beforeAll(async () => {
	service = await startService({ env: { OWNER_EMAIL: 'olive@example.com' } });
});

describeService('rules', () => {
	/** A container with these rules, and the path of its rules. */
	const create = async (drm: object) =>
		`/containers/${(await createContainer(service, { drm })).uuid}/drm`;
	const get = async (path: string) => await service.api.get<DrmRules>(path);

	it('are returned flat, can all be set by PATCH, and all removed', async () => {
		const { status, body } = await get(await create(everyRule));
		expect([status, body]).toEqual([200, everyRule]);
		const path = await create({ dynamic: true });
		expect((await get(path)).body).toEqual({ dynamic: true });
		const set = await service.api.patch(path, others);
		expect([set.status, set.body, (await get(path)).body]).toEqual([200, everyRule, everyRule]);
		const nulls = Object.fromEntries(Object.keys(others).map((name) => [name, null]));
		expect((await service.api.patch(path, nulls)).body).toEqual({ dynamic: true });
		expect((await get(path)).body).toEqual({ dynamic: true });
	});

	describe('changed with an Idempotency-Key', () => {
		const change = async (path: string, key: string, body: object, etag?: string) =>
			await service.api.patch(path, body, {
				'idempotency-key': key,
				...(etag === undefined ? {} : { 'if-match': etag }),
			});

		it('change once: the key again returns the first response, whatever the rules are by now', async () => {
			const path = await create({ dynamic: true, opens: 1 });
			const { etag } = (await get(path)).headers;
			const key = randomUUID();
			const first = await change(path, key, { opens: 2 }, etag as string);
			await service.api.patch(path, { opens: 9 });

			const again = await change(path, key, { opens: 2 }, etag as string);

			expect([again.status, again.body]).toEqual([200, { dynamic: true, opens: 2 }]);
			expect(again.headers).toMatchObject({
				'idempotency-replayed': 'true',
				etag: first.headers.etag,
			});
			expect(first.headers['idempotency-replayed']).toBeUndefined();
			expect((await get(path)).body).toEqual({ dynamic: true, opens: 9 });
		});

		it('are refused for another body or container, and a change that failed frees its key', async () => {
			const path = await create({ dynamic: true, opens: 1 });
			const key = randomUUID();
			expect((await change(path, key, { opens: 2 }, '"99"')).status).toBe(412);
			expect((await change(path, key, { opens: 2 })).status).toBe(200);

			const fields = { 'Idempotency-Key': 'was used for another request' };
			for (const other of [
				await change(path, key, { opens: 3 }),
				await change(await create({ dynamic: true }), key, { opens: 2 }),
			]) {
				expect(other).toMatchObject({ status: 422, body: { code: 'invalid', fields } });
			}
			expect((await get(path)).body).toEqual({ dynamic: true, opens: 2 });
		});
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

	it('are sealed from a PATCH with dynamic: false on, and date the change', async () => {
		const { uuid, ...created } = await createContainer(service, { drm: { dynamic: true } });
		const path = `/containers/${uuid}`;
		const sealed = await service.api.patch(`${path}/drm`, { dynamic: false, opens: 4 });
		expect(sealed.body).toEqual({ dynamic: false, opens: 4 });
		expect((await service.api.patch(`${path}/drm`, { opens: 5 })).status).toBe(409);
		const { body } = await service.api.get<Container>(path);
		expect(body.created_date).toBe(created.created_date);
		expect(body.updated_date > created.updated_date).toBe(true);
	});

	it('have an ETag that changes with them, and change only where If-Match names it', async () => {
		const path = await create({ dynamic: true });
		const { etag: old } = (await get(path)).headers;
		const patch = async (opens: number, match: string) =>
			await service.api.patch<DrmRules>(path, { opens }, { 'if-match': match });
		const first = await patch(1, old);
		const current = first.headers.etag;
		expect([first.status, (await get(path)).headers.etag]).toEqual([200, current]);
		for (const match of [old, '"other"', `W/${current}`]) {
			expect(await patch(9, match)).toMatchObject({ status: 412, body: { code: 'changed' } });
		}
		const unchanged = await get(path);
		expect([unchanged.body.opens, unchanged.headers.etag]).toEqual([1, current]);
		const second = await patch(2, `"other", ${current}`);
		expect(second).toMatchObject({ status: 200, body: { opens: 2 } });
		expect(await patch(3, '*')).toMatchObject({ status: 200, body: { opens: 3 } });
	});

	it('lose no update of ten clients at once that use If-Match', async () => {
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
});

describeService('events', () => {
	let user: Awaited<ReturnType<typeof addUser>>;
	let first: Container;
	let second: Container;
	let list: string;
	let all: ServiceEvent[];

	beforeAll(async () => {
		user = await addUser(service, 'ben@example.com');
		list = `/users/${user.userId}/events`;
		first = await createContainer(user, { name: 'First' });
		second = await createContainer(user, { name: 'Second', drm: { dynamic: true } });
		const change = { opens: 2, recipients: ['ada@example.com'] };
		await user.api.patch(`/containers/${second.uuid}/drm`, change);
		await user.api.delete(`/containers/${first.uuid}`);
		all = await user.api.getAll(list);
	});

	const get = async (query: string) => await user.api.getAll<ServiceEvent>(list + query);

	it('tell what happened, oldest first, also to a deleted container', () => {
		const ip = expect.stringMatching(/^(127\.|::1$|::ffff:127)/);
		const about = ({ uuid, name }: Container, action: string, more: object = {}) => ({
			...{ id: expect.stringMatching(/^\d+$/), action, user: 'ben@example.com' },
			...{ container_id: uuid, container_name: name, detail: { ip, ...more } },
		});
		expect(all[0]).toMatchObject({ action: 'user.create', user: '', container_id: null });
		const ofContainers = all.filter(({ container_id: id }) => id !== null);
		expect(ofContainers).toMatchObject([
			about(first, 'container.create'),
			about(second, 'container.create'),
			about(second, 'drm.update', { changed: expect.arrayContaining(['opens', 'recipients']) }),
			about(first, 'container.delete'),
		]);
		expect(ofContainers[2].detail.changed).toHaveLength(2);
	});

	it('are listed newest first, page by page, after one that was seen, and after a time', async () => {
		const newest = [...all].reverse();
		expect(await get('?limit=1')).toEqual(all);
		expect(await get('?limit=1&order=desc')).toEqual(newest);
		expect(await get(`?after=${all[0].id}&limit=1`)).toEqual(all.slice(1));
		expect(await get(`?after=${newest[0].id}`)).toEqual([]);
		const { created_date: time } = all[1];
		const later = all.filter(({ created_date: created }) => created > time);
		expect(await get(`?created_after=${time}`)).toEqual(later);
		for (const query of ['after=last', 'after=-1', 'created_after=2026', 'order=up']) {
			const { status, body } = await user.api.get(`${list}?${query}`);
			expect([status, Object.keys(body.fields ?? {})]).toEqual([422, [query.split('=')[0]]]);
		}
	});

	it('of one container are those of it alone, and none for a change that changes nothing', async () => {
		const path = `/containers/${second.uuid}/drm`;
		const { etag } = (await user.api.get(path)).headers;
		for (const patch of [{}, { time: null }, { recipients: ['ada@example.com'] }]) {
			const { status, headers } = await user.api.patch(path, patch);
			expect([status, headers.etag]).toEqual([200, etag]);
		}
		for (const { uuid } of [first, second]) {
			const own = all.filter(({ container_id: id }) => id === uuid);
			const events = `/users/${user.userId}/containers/${uuid}/events?limit=1`;
			expect(await user.api.getAll(events)).toEqual(own);
		}
	});
});
