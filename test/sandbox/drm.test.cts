import { filePart, manifestPart } from './support/api.cts';
import { useSandbox } from './support/sandbox.cts';

const running = useSandbox();

const GOOD = {
	dynamic: true,
	geo: { allow: [{ country: 'US' }], block: [{ country: 'FR', subdivision: 'IDF' }] },
	ip: { allow: ['1.2.3.4'], block: [] },
	opens: 3,
	time: { start: '2024-02-29', end: '2026-12-31' },
	downloadable: true,
	recipients: ['a@example.com', '*@*'],
};

const container = (rules: Record<string, unknown>) =>
	`/containers/${running.sandbox.addContainer({ rules }).uuid}/drm`;

it('returns and changes rules', async () => {
	const { api } = running;
	const path = container({ dynamic: true, opens: 5 });
	expect((await api.call('GET', path)).json).toEqual({ dynamic: true, opens: 5 });
	const reply = await api.call('PATCH', path, { body: GOOD });
	expect([reply.status, reply.json]).toEqual([200, GOOD]);
	expect((await api.call('GET', path)).json).toEqual(GOOD);
});

it.each<[string, unknown]>([
	['a list', []],
	['an unknown key', { expires: '2026-01-01' }],
	['dynamic as text', { dynamic: 'true' }],
	['downloadable as number', { downloadable: 1 }],
	['opens below 0', { opens: -1 }],
	['opens with a fraction', { opens: 1.5 }],
	['opens as text', { opens: '3' }],
	['opens null', { opens: null }],
	['recipients as text', { recipients: 'a@example.com' }],
	['a recipient without @', { recipients: ['a'] }],
	['a recipient with a space', { recipients: ['a b@example.com'] }],
	['geo as list', { geo: [{ country: 'US' }] }],
	['geo with an unknown list', { geo: { deny: [] } }],
	['countries as strings', { geo: { allow: ['US'] } }],
	['a country rule without country', { geo: { allow: [{ city: 'Paris' }] } }],
	['a country rule with an unknown key', { geo: { allow: [{ country: 'US', zip: '1' }] } }],
	['ip as text', { ip: '1.2.3.4' }],
	['ip rules as objects', { ip: { allow: [{ address: '1.2.3.4' }] } }],
	['an empty ip rule', { ip: { block: [''] } }],
	['time as text', { time: '2026-01-01' }],
	['time with an unknown key', { time: { from: '2026-01-01' } }],
	['a timestamp as a day', { time: { end: '2026-01-01T00:00:00Z' } }],
	['a day that does not exist', { time: { end: '2026-02-29' } }],
	['a date in another format', { time: { end: '1/2/2026' } }],
	['an end before its start', { time: { start: '2026-01-02', end: '2026-01-01' } }],
])('refuses %s, on PATCH and on encode alike', async (_name, rules) => {
	const { api } = running;
	const path = container({ dynamic: true, opens: 5 });
	const reply = await api.call('PATCH', path, { body: rules });
	expect(reply.status).toBe(400);
	expect((await api.call('GET', path)).json).toEqual({ dynamic: true, opens: 5 });
	const manifest = manifestPart({ container: { name: 'x', drm: rules } });
	expect((await api.encode([manifest, filePart('x')])).status).toBe(400);
});

it('refuses a body that is not a JSON object', async () => {
	const { api } = running;
	const path = container({ dynamic: true });
	const send = (body: string | undefined, headers?: Record<string, string>) =>
		api.call('PATCH', path, { body, headers }).then(({ status }) => status);
	expect(await send('{"opens":')).toBe(400);
	expect(await send(undefined)).toBe(400);
	expect(await send('7')).toBe(400);
	expect(await send('{}', { 'content-type': 'text/plain' })).toBe(415);
});

it.each([{ dynamic: false, opens: 1 }, { opens: 1 }])(
	'refuses to change fixed rules: %j',
	async (rules) => {
		const { api } = running;
		const path = container(rules);
		const reply = await api.call('PATCH', path, { body: { opens: 2 } });
		expect([reply.status, reply.text]).toEqual([409, expect.stringContaining("can't be changed")]);
		expect((await api.call('GET', path)).json).toEqual(rules);
	},
);

it('finds no rules of an unknown container', async () => {
	const { api } = running;
	expect((await api.call('GET', '/containers/unknown/drm')).status).toBe(404);
	expect((await api.call('PATCH', '/containers/unknown/drm', { body: {} })).status).toBe(404);
});

it('drops omitted keys when PATCH replaces', async () => {
	const { api, sandbox } = running;
	sandbox.settings.patchDrmKeys = 'replace';
	const path = container({ dynamic: true, opens: 5, downloadable: true });
	await api.call('PATCH', path, { body: { dynamic: true, opens: 6 } });
	expect((await api.call('GET', path)).json).toEqual({ dynamic: true, opens: 6 });
	await api.call('PATCH', path, { body: { opens: 7 } });
	expect((await api.call('GET', path)).json).toEqual({ dynamic: false, opens: 7 });
});

it('returns rules under a key, with other fields, or with timestamps, as set', async () => {
	const { api, sandbox } = running;
	const path = container({ dynamic: true, time: { start: '2026-01-01', end: '2026-01-02' } });
	for (const key of ['drm', 'rules', 'data']) {
		sandbox.settings.drmShape = key;
		expect(Object.keys((await api.call('GET', path)).json as object)).toEqual([key]);
		expect(Object.keys((await api.call('PATCH', path, { body: {} })).json as object)).toEqual([
			key,
		]);
	}
	Object.assign(sandbox.settings, {
		drmShape: 'bare',
		drmFields: { id: 'rule-1' },
		drmTimes: 'timestamp',
	});
	const time = { start: '2026-01-01T00:00:00.000Z', end: '2026-01-02T23:59:59.000Z' };
	expect((await api.call('GET', path)).json).toEqual({ dynamic: true, time, id: 'rule-1' });
	expect((await api.call('PATCH', path, { body: { time } })).status).toBe(200);
	expect((await api.call('GET', path)).json).toMatchObject({ time });
});
