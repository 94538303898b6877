import { filePart, NAMED } from './support/api.cts';
import { useSandbox } from './support/sandbox.cts';

const OTHER = { apiKey: 'key-of-another' };
const running = useSandbox({ users: [{}, OTHER] });

describe('containers', () => {
	it('are created, listed, returned by both operations, deleted and then gone', async () => {
		const { api, sandbox } = running;
		const created = (await api.encode([NAMED, filePart('hello')])).json as {
			container: { uuid: string };
		};
		const { uuid } = created.container;
		expect((await api.call('GET', api.mine('/containers'))).json).toEqual([created]);
		expect((await api.call('GET', api.mine(`/containers/${uuid}`))).json).toEqual(created);
		expect((await api.call('GET', `/containers/${uuid}`)).json).toEqual({
			org_id: sandbox.user.id,
			container: { ...created.container, files: [{ name: 'a.txt', type: 'text/plain', size: 5 }] },
		});
		expect(await api.call('DELETE', `/containers/${uuid}`)).toMatchObject({
			status: 204,
			text: '',
		});
		for (const [method, path] of [
			['GET', `/containers/${uuid}`],
			['GET', `/containers/${uuid}/drm`],
			['GET', api.mine(`/containers/${uuid}`)],
			['DELETE', `/containers/${uuid}`],
		] as const) {
			expect((await api.call(method, path)).status).toBe(404);
		}
		expect((await api.call('GET', api.mine('/containers'))).json).toEqual([]);
	});

	it('of another user are not in the list', async () => {
		const { api, sandbox } = running;
		sandbox.addContainer({ userId: sandbox.users[1].id });
		expect((await api.call('GET', api.mine('/containers'))).json).toEqual([]);
	});

	it('can have other fields, and dates that are coarser or missing', async () => {
		const { api, sandbox } = running;
		const { uuid } = sandbox.addContainer({ created: '2026-03-04T05:06:07.891Z' });
		const shown = async () =>
			((await api.call('GET', `/containers/${uuid}`)).json as { container: object }).container;
		sandbox.settings.containerFields = { status: 'ready' };
		expect(await shown()).toMatchObject({
			created_date: '2026-03-04T05:06:07.891Z',
			status: 'ready',
		});
		sandbox.settings.dates = 'seconds';
		expect(await shown()).toMatchObject({ created_date: '2026-03-04T05:06:07.000Z' });
		sandbox.settings.dates = 'minutes';
		expect(await shown()).toMatchObject({ created_date: '2026-03-04T05:06:00.000Z' });
		sandbox.settings.dates = 'none';
		expect(await shown()).not.toHaveProperty('created_date');
		sandbox.settings.getContainerResponse = 'record';
		expect((await api.call('GET', `/containers/${uuid}`)).json).toMatchObject({ uuid });
	});
});

describe('contacts', () => {
	it('are created and updated with PATCH, listed, returned, deleted and then gone', async () => {
		const { api } = running;
		const path = api.mine('/contacts/a%40example.com');
		expect((await api.call('GET', path)).status).toBe(404);
		await api.call('PATCH', path, { body: { first_name: 'Ada', company: 'One' } });
		const updated = await api.call('PATCH', path, {
			body: { company: 'Two', email: 'a@example.com' },
		});
		expect(updated.json).toMatchObject({
			email: 'a@example.com',
			first_name: 'Ada',
			company: 'Two',
		});
		expect((await api.call('GET', path)).json).toEqual(updated.json);
		expect((await api.call('GET', api.mine('/contacts'))).json).toEqual([updated.json]);
		expect((await api.call('DELETE', path)).status).toBe(204);
		expect((await api.call('GET', path)).status).toBe(404);
		expect((await api.call('DELETE', path)).status).toBe(404);
	});

	it.each<[string, string, unknown]>([
		['an address without @', 'nobody', {}],
		['a list', 'a@example.com', []],
		['another address in the body', 'a@example.com', { email: 'b@example.com' }],
	])('are refused with %s', async (_name, email, body) => {
		const { api, sandbox } = running;
		expect((await api.call('PATCH', api.mine(`/contacts/${email}`), { body })).status).toBe(400);
		expect(sandbox.state.contactsOf(sandbox.user.id).size).toBe(0);
	});

	it('have only the allowed fields, and lose omitted ones when PATCH replaces', async () => {
		const { api, sandbox } = running;
		Object.assign(sandbox.settings, { contactFields: ['company', 'first_name'] });
		sandbox.settings.patchContactKeys = 'replace';
		const path = api.mine('/contacts/a@example.com');
		expect((await api.call('PATCH', path, { body: { nickname: 'x' } })).status).toBe(400);
		await api.call('PATCH', path, { body: { company: 'x' } });
		await api.call('PATCH', path, { body: { first_name: 'y' } });
		expect((await api.call('GET', path)).json).not.toHaveProperty('company');
	});
});

it('operations without a body refuse one', async () => {
	const { api, sandbox } = running;
	const { uuid } = sandbox.addContainer();
	expect((await api.call('GET', '/me', { body: {} })).status).toBe(400);
	expect((await api.call('DELETE', `/containers/${uuid}`, { body: {} })).status).toBe(400);
	expect(sandbox.state.containers.has(uuid)).toBe(true);
});
