import type { IDataObject } from 'n8n-workflow';
import { delay } from '../../../../../nodes/shared/client/delay';
import { addDays, getLastDayOverEverywhere } from '../../../../../nodes/shared/parameters/dates';
import { rowsOf } from '../../../../support/texts.cts';
import { errorOf } from '../../../support/client.cts';
import { current, setUpService, toShown } from '../../../support/rulesService.cts';

jest.mock<object>('../../../../../nodes/shared/client/delay', () => ({
	...jest.requireActual<object>('../../../../../nodes/shared/client/delay'),
	delay: jest.fn(),
}));

const pauses = () => jest.mocked(delay).mock.calls.map(([milliseconds]) => milliseconds);

beforeEach(() => jest.mocked(delay).mockReset());

describe('rules of the service that a change does not concern', () => {
	const odd = rowsOf<IDataObject>(`
		empty text: { opens: "", geo: "", ip: "", recipients: "" }
		forms of other languages: { opens: "3", geo: [], recipients: [{ email: a@x.example }] }
		forms that nobody knows: { opens: many, ip: 5, recipients: { 0: a@x.example } }
		a day in another form: { time: { start: 1700000000, end: 1900000000 } }
		a window that nobody knows: { time: never }
	`);

	it.each(odd)('go back as they came: %s', async (_what, rules) => {
		const { update, bodies, service } = setUpService({ dynamic: 1, ...rules });
		service.show = (state) => ({ drm: state, audit: { opens: 17, recipients: 'nobody' } });

		expect(await update({ downloadable: true })).toMatchObject({ changed: true });

		expect(bodies()).toEqual([{ dynamic: 1, ...rules, downloadable: true }]);
	});

	it.each(odd)('go back as they came when access ends: %s', async (_what, rules) => {
		const { revoke, bodies } = setUpService({ dynamic: 1, ...rules });

		expect(await revoke()).toMatchObject({ changed: true });

		const [{ time, ...others }] = bodies();
		const { time: before, ...kept } = rules;
		expect(others).toEqual({ dynamic: 1, ...kept });
		expect(time).toEqual({
			...(typeof before === 'object' ? { start: 1_700_000_000 } : {}),
			end: expect.stringMatching(/^\d{4}-\d\d-\d\d$/) as unknown,
		});
	});

	it.each<[string, IDataObject, IDataObject]>([
		['recipients', { recipients: 5 }, { addRecipients: 'x@x.example' }],
		['a window', { time: 'always' }, { timeEnd: '2099-01-01' }],
		['countries', { geo: ['CH'] }, { geoAllow: 'DE' }],
	])('are others than one that changes in part: %s', async (_what, rules, fields) => {
		const { update, methods } = setUpService({ dynamic: true, ...rules });

		const { message } = await errorOf(update(fields));

		expect(message).toMatch(/with the value .* instead of access rules/);
		expect(methods()).toBe('GET');
	});
});

describe('a read that shows the rules of before the last change', () => {
	const remove = (email: string) => ({ removeRecipients: email });

	/** Changes, and what the read before the last of them shows: how often, and of how many changes ago. */
	const lags = rowsOf<[IDataObject[], [reads: number, lag: number], object]>(`
		undoes no removal: [[{ removeRecipients: bob@x.example }, { removeRecipients: carl@x.example }], [4, 1], { recipients: [anna@x.example] }]
		adds two extensions up: [[{ extendByDays: 30 }, { extendByDays: 30 }], [1, 1], { time: { start: 2026-01-01, end: 2100-03-01 } }]
		can show those of two changes ago: [[{ opens: 2 }, { opens: 1 }, { downloadable: true }], [1, 2], { opens: 1, downloadable: true }]
	`);

	it.each(lags)('is repeated, and %s', async (_what, [changes, [reads, lag], expected]) => {
		const { update, fallBehind, rules } = setUpService(current());
		for (const change of changes.slice(0, -1)) await update(change);
		fallBehind(reads, lag);

		await update(changes[changes.length - 1]);

		expect(rules()).toEqual({ ...current(), ...expected });
		expect(pauses()).toEqual([250, 500, 1000, 2000].slice(0, reads));
	});

	it('restores no access that ended', async () => {
		const { update, revoke, fallBehind, rules } = setUpService(current());
		await revoke();
		const ended = rules()?.time;
		fallBehind(2);

		await update({ opens: 1 });

		expect(rules()).toMatchObject({ opens: 1, time: ended });
	});

	it.each(['update', 'revoke'] as const)('fails an %s after ten seconds', async (operation) => {
		const set = setUpService(current());
		await set.update(remove('bob@x.example'));
		set.fallBehind(100);

		const run = operation === 'update' ? set.update({ opens: 1 }) : set.revoke();
		const { message, description } = await errorOf(run);

		expect(message).toBe(
			'The service still shows the rules of "Invoice" (c-1) as they were before the last change',
		);
		expect(description).toMatch(/^Nothing was sent/);
		expect(pauses().reduce((sum, pause) => sum + pause)).toBe(10_000);
		expect(set.bodies()).toHaveLength(1);
	});

	it('does not make a change fail that was made', async () => {
		const set = setUpService(current());
		set.fallBehind(3);

		expect(await set.revoke()).toMatchObject({ changed: true });
		set.fallBehind(2);
		const change = set.update({ rulesJson: { opens: 1 } }, { keepOtherRules: false });
		expect(await change).toMatchObject({ changed: true });
		expect(pauses()).toEqual([250, 500, 250, 500]);
	});

	it('counts for ten seconds where the response of the change was lost, so that it might not be made', async () => {
		const set = setUpService(current());
		set.service.onPatch = () => ({ status: 504, state: current() });
		await errorOf(set.update({ opens: 1 }));
		set.service.onPatch = (state) => ({ state });
		jest.mocked(delay).mockClear();

		expect(await set.update({ opens: 2 })).toMatchObject({ changed: true });
		expect(pauses().reduce((sum, pause) => sum + pause)).toBe(10_000);
	});

	it.each<[string, object, 'revoke' | 'extend']>([
		['says so in its record', { uuid: 'c-1', status: 'error', message: 'Busy' }, 'revoke'],
		['shows the rules of before', current(), 'revoke'],
		['shows the rules of before, another', current(), 'extend'],
	])('lets the change of a service go on that refused it: %s', async (_what, body, next) => {
		const set = setUpService(current());
		set.service.onPatch = () => ({ state: current(), body: JSON.stringify(body) });
		await errorOf(set.revoke());
		set.service.onPatch = (state) => ({ state });

		const change = next === 'revoke' ? set.revoke() : set.update({ extendByDays: 1 });
		expect(await change).toMatchObject({ changed: true });
	});

	it.each([{ opens: 1 }, { extendByDays: 7 }])(
		'is not sent back by another change: %j',
		async (next) => {
			const set = setUpService(current());
			const first = 'extendByDays' in next ? next : remove('bob@x.example');
			set.fallBehind(100);
			await errorOf(set.update(first));

			expect((await errorOf(set.update(next))).message).toMatch(/still shows the rules/);
			expect(set.bodies()).toHaveLength(1);
		},
	);

	it('keeps a rule that the service showed as null before', async () => {
		const { update, fallBehind, rules } = setUpService({ ...current(), geo: null });
		await update({ geoAllow: 'CH' });
		fallBehind(2);
		await update({ opens: 3 });

		expect(rules()).toMatchObject({ opens: 3, geo: { allow: [{ country: 'CH' }] } });
	});

	it('is one of this container, this service and the last three minutes only', async () => {
		const set = setUpService(current());
		await set.update({ opens: 1 });
		const now = Date.now();
		jest.spyOn(Date, 'now').mockReturnValue(now + 179_000);
		jest.mocked(delay).mockRejectedValue(undefined);

		set.set(current());
		await expect(set.revoke()).rejects.toBeUndefined();
		jest.spyOn(Date, 'now').mockReturnValue(now + 180_001);
		expect(await set.revoke()).toMatchObject({ changed: true });
		await set.update({ opens: 2 });
		set.useKey('another container or service');
		set.set(current());
		expect(await set.revoke()).toMatchObject({ changed: true });
		jest.restoreAllMocks();
	});

	it.each<[string, (set: ReturnType<typeof setUpService>) => Promise<unknown>]>([
		['were restored by this node', async ({ update }) => await update({ opens: 5 })],
		[
			'were restored without reading them',
			async ({ update }) => await update(current(), { keepOtherRules: false }),
		],
		[
			'do not show the rule that changed',
			async ({ service }) =>
				await Promise.resolve((service.show = (state) => ({ ...state, opens: undefined }))),
		],
	])('is not one whose rules %s', async (_what, prepare) => {
		const set = setUpService(current());
		await set.update({ opens: 1 });
		await prepare(set);
		jest.mocked(delay).mockClear();

		expect(await set.update({ downloadable: true })).toMatchObject({ changed: true });
		expect(pauses()).toEqual([]);
	});
});

it('rules that ending access brought back are the current ones', async () => {
	const ended = { ...current(), time: { end: '2020-01-01' } };
	const set = setUpService(ended);
	await set.update({ timeEnd: '2100-01-01' });
	set.service.onPatch = () => ({ state: ended });
	await set.revoke();
	set.service.onPatch = (state) => ({ state });
	await set.update({ opens: 1 });

	expect(pauses()).toEqual([]);
});

describe('a change that the service reports otherwise', () => {
	it.each<[string, IDataObject, RegExp]>([
		['a number', { opens: 1 }, /returned opens 5 instead of opens 1 for the request to change/],
		['an end', { timeEnd: '2100-01-31' }, /time\.end "2099-12-31" instead of time\.end "2100-0/],
		['a list', { geoAllow: ['DE'] }, /geo\.allow \[{"country":"CH"}\] instead of geo\.allow/],
		['a removal', { removeRecipients: 'bob@x.example' }, /returned recipients .*"bob@.*instead/],
		['a new rule', { ipAllow: '10.0.0.1' }, /returned ip null instead of ip/],
	])('is an error when the service ignored it: %s', async (_what, fields, message) => {
		const set = setUpService(current());
		set.service.onPatch = () => ({ state: current(), body: current() });

		const error = await errorOf(set.update(fields));

		expect(`${error.message} ${error.description}`).toMatch(message);
		expect(error.description).toContain('The service ignored the change, or shows it later');
		expect(set.bodies()).toHaveLength(1);
		expect(pauses().reduce((sum, pause) => sum + pause)).toBe(10_000);
	});

	const moment = `${addDays(getLastDayOverEverywhere(), 1)}T00:00:00Z`;

	it.each<[string, IDataObject, unknown]>([
		['the end of before', {}, '2099-12-31'],
		['no end', { time: {} }, null],
		['a moment of the last day that did not move', { time: { end: moment } }, moment],
	])('is an error when access does not end: %s', async (_what, shown, end) => {
		const state = { ...current(), ...shown };
		const set = setUpService(end === null ? current() : state);
		set.service.onPatch = () => ({ state });
		const { message } = await errorOf(set.revoke());
		expect(message).toContain(`rules with the end ${JSON.stringify(end)} instead of rules`);
	});

	it('is none in another form, and is sent once', async () => {
		const set = setUpService(current());
		const shown = { ip: { allow: ['192.168.1.0/24'] }, geo: { allow: [{ country: 'GB' }] } };
		set.service.onPatch = (state) => toShown({ ...state, ...shown });

		const fields = { ipAllow: '192.168.1.0/255.255.255.0', geoAllow: ['UK'] };
		expect(await set.update(fields)).toMatchObject({ ...shown, changed: true });
		expect(set.methods()).toBe('GET PATCH');
	});

	it('is an error, and sent once, where others changed the rules', async () => {
		const set = setUpService(current());
		const others = { ...current(), opens: 6 };
		set.service.onPatch = () => toShown(others);

		const { message, description } = await errorOf(set.update({ downloadable: true }));

		expect(message).toContain('returned opens 6 instead of opens 5');
		expect(description).toContain('or another program changed the rules meanwhile');
		expect(set.bodies()).toHaveLength(1);
	});
});

describe('rules in JSON', () => {
	const json = (value: unknown) => ({ rulesJson: value as IDataObject });
	const end = (day: string): IDataObject => ({ time: { start: '2026-01-01', end: day } });

	it.each<[string, unknown, IDataObject]>([
		['text', '{ "opens": 1 }', { opens: 1 }],
		['an object', { opens: 1, geo: {} }, { opens: 1, geo: {} }],
		['the output of DRM > Get', { containerId: 'c-1', ...current(), opens: 1 }, { opens: 1 }],
		['the output of DRM > Update', { ...current(), opens: 1, changed: true }, { opens: 1 }],
		['rules under a name', { containerId: 'c-1', drm: { opens: 1 } }, { opens: 1 }],
		['all under a name', { drm: { opens: 1, mark: true } }, { opens: 1, mark: true }],
		['rules in an envelope', { data: { drm: { ...current(), opens: 1 } } }, { opens: 1 }],
		['a timestamp', { time: { end: '2098-12-31T00:00:00.000Z' } }, end('2098-12-31T00:00:00.000Z')],
		['a DateTime as text', { time: { end: '2098-12-31T23:30:00.000-05:00' } }, end('2098-12-31')],
		['what the editor stores', { time: { end: '2098-12-31T00:00:00' } }, end('2098-12-31')],
		['a form of its own', { time: { end: '31/12/2098' } }, end('31/12/2098')],
		['a rule without a field', { watermark: true }, { watermark: true }],
		['what clears a rule', { opens: null, geo: {} }, { opens: null, geo: {} }],
	])('are sent, and read again: %s', async (_what, rules, sent) => {
		const set = setUpService(current());

		expect(await set.update(json(rules))).toMatchObject({ changed: true });

		expect(set.bodies()).toEqual([{ ...current(), ...sent }]);
		expect(set.methods()).toBe('GET PATCH GET');
	});

	it('need no other read where the response shows them', async () => {
		const set = setUpService(current());
		set.service.onPatch = (state) => ({ state, body: { drm: state } });

		await set.update(json({ opens: 1 }));

		expect(set.methods()).toBe('GET PATCH');
	});

	it('leave fields away that the service shows beside its rules', async () => {
		const set = setUpService(current());
		set.service.show = (state) => ({ ...state, version: 7, updated: 'now' });

		await set.update(json({ ...current(), opens: 1, version: 7, updated: 'now' }));

		expect(set.bodies()).toEqual([{ ...current(), opens: 1 }]);
	});

	it.each<[IDataObject, string]>([
		[{ open: 3 }, 'open'],
		[{ opens: 1, rule: { opens: 3 } }, 'rule'],
		[{ geo: { alow: [{ country: 'DE' }] } }, 'geo.alow'],
	])('are an error that names what the service does not show: %j', async (rules, field) => {
		for (const keepOtherRules of [true, false]) {
			const set = setUpService(current());
			const known = (state: IDataObject) =>
				Object.fromEntries(Object.entries(state).filter(([key]) => key in current()));
			set.service.onPatch = (state) =>
				toShown({ ...current(), ...known(state), geo: current().geo });

			const error = await errorOf(set.update(json(rules), { keepOtherRules }));

			expect(error.message).toContain(`instead of ${field} `);
			expect(error.description).toContain('Check the names of fields in JSON');
		}
	});

	it.each<[unknown, string]>([
		[{ recipients: ['*@*'] }, '"*@*" in "Rules (JSON)" stands for everybody'],
		[{ recipients: { 0: 'a@x.example' } }, 'in "Rules (JSON)" is not an email address'],
		[{ drm: { recipients: [] } }, '"Rules (JSON)" would remove all recipients'],
		[{ containerId: 'c-1', changed: true }, '"Rules (JSON)" contains no rule'],
		[{ time: { end: new Date('never') } }, '"Rules (JSON): time.end" is not a date'],
		['{ "time": { "end": "Invalid DateTime" } }', '"Rules (JSON): time.end" is not a date'],
	])('are refused: %j', async (rules, message) => {
		const set = setUpService(current());

		expect((await errorOf(set.update(json(rules)))).message).toContain(message);
		expect(set.sent).toEqual([]);
	});
});
