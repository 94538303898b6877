import type { ChangeResponse, ErrorShape } from '../../sandbox/index.cts';
import { filePart, NAMED } from './support/api.cts';
import type { Reply } from './support/api.cts';
import { useSandbox } from './support/sandbox.cts';

const running = useSandbox();

const SHAPES: Array<[ChangeResponse, (reply: Reply) => void]> = [
	['record', ({ status, json }) => expect([status, typeof json]).toEqual([200, 'object'])],
	['empty', ({ status, text }) => expect([status, text]).toEqual([200, ''])],
	['noContent', ({ status, text }) => expect([status, text]).toEqual([204, ''])],
	['message', ({ json }) => expect(json).toEqual({ message: expect.stringMatching(/ed$/) })],
	[
		'text',
		({ headers, text }) => {
			expect(headers['content-type']).toMatch(/^text\/plain/);
			expect(text).toMatch(/^The .* ed$|ed$/);
		},
	],
];

describe.each(SHAPES)('the response to a change is %s', (shape, check) => {
	it('for PATCH of rules and contacts and for DELETE', async () => {
		const { api, sandbox } = running;
		Object.assign(sandbox.settings, {
			patchDrmResponse: shape,
			patchContactResponse: shape,
			deleteResponse: shape,
		});
		const { uuid } = sandbox.addContainer({ rules: { dynamic: true } });
		const contact = api.mine('/contacts/a@example.com');
		check(await api.call('PATCH', `/containers/${uuid}/drm`, { body: { opens: 3 } }));
		check(await api.call('PATCH', contact, { body: { company: 'x' } }));
		check(await api.call('DELETE', contact));
		check(await api.call('DELETE', `/containers/${uuid}`));
		expect(sandbox.state.containers.size).toBe(0);
	});
});

it('success has the status that is set for the operation', async () => {
	const { api, sandbox } = running;
	sandbox.settings.statuses = {
		encodeFiles: 201,
		createContact: 201,
		upsertContact: 202,
		getMe: 203,
	};
	const contact = api.mine('/contacts/a@example.com');
	expect((await api.encode([NAMED, filePart('x')])).status).toBe(201);
	expect((await api.call('PATCH', contact, { body: {} })).status).toBe(201);
	expect((await api.call('PATCH', contact, { body: {} })).status).toBe(202);
	expect((await api.call('GET', '/me')).status).toBe(203);
});

const ERRORS: Array<[ErrorShape, (reply: Reply) => void]> = [
	['json', ({ json }) => expect(json).toEqual({ message: expect.any(String), code: 'not_found' })],
	['nested', ({ json }) => expect(json).toMatchObject({ error: { code: 'not_found' } })],
	['list', ({ json }) => expect(json).toMatchObject({ errors: [{ code: 'not_found' }] })],
	['text', ({ text }) => expect(text).toBe('There is no container unknown')],
	['empty', ({ text }) => expect(text).toBe('')],
	['html', ({ text }) => expect(text).toContain('<!DOCTYPE html>')],
];

it.each(ERRORS)('errors have the form %s', async (shape, check) => {
	const { api, sandbox } = running;
	sandbox.settings.errorShape = shape;
	const reply = await api.call('GET', '/containers/unknown');
	expect(reply.status).toBe(404);
	check(reply);
});

it('an unknown setting is refused', async () => {
	const { startSandbox } = await import('../../sandbox/index.cts');
	await expect(startSandbox({ settings: { pagesize: 3 } as never })).rejects.toThrow(
		'No such setting: pagesize',
	);
});
