import type { IDataObject } from 'n8n-workflow';
import { mockService } from '../support/nock.cts';
import { encode as encodeWith, path as encodePath, withManifest } from './support/encode.cts';
import { byId, dayFromNow, expectRefusal, newKey, operation } from './support/operations.cts';

const service = mockService();
// Where days are counted, the node asks the service for its time zone first.
beforeEach(() => service.allowUser());

const path = '/containers/c-1/drm';
const dayIn = (days: number) => dayFromNow(days, 'UTC');
const guardrails: IDataObject = {
	allowedRecipients: '*@x.example, b@y.example',
	maxAccessDays: '30',
	forbidDownload: true,
};
const bound = (more = guardrails) => ({
	...{ credentials: { ...newKey(), ...more }, timezone: 'UTC' },
});

const change = operation('drm: update', byId('c-1'));
const update = async (rules: IDataObject, more?: IDataObject, options: IDataObject = {}) =>
	await change({ rules }, options, bound(more));
const updateInJson = async (rulesJson: IDataObject, more?: IDataObject, options = {}) =>
	await change({ specifyRules: 'json', rulesJson }, options, bound(more));
const until = (days: number) => ({ accessEnds: 'onDate', timeEnd: dayIn(days) });
const encode = async (parameters: IDataObject) =>
	await encodeWith({ recipients: 'a@x.example', ...until(5), ...parameters }, {}, bound());
const good = { recipients: ['a@x.example'], downloadable: false, time: { end: dayIn(5) } };

describe('guardrails of the credential', () => {
	it.each<[string, () => ReturnType<typeof update>, RegExp]>([
		['a recipient', () => update({ addRecipients: 'a@z.example' }), /"a@z.example"/],
		['an end', () => update({ timeEnd: dayIn(31) }), /access until/],
		['no end', () => update({ removeRules: ['timeEnd'] }), /access without an end/],
		['download', () => update({ downloadable: true }), /downloaded/],
		['JSON', () => updateInJson({ recipients: ['a@z.example'] }), /"a@z.example"/],
		[
			'Encode: JSON',
			() => encode(withManifest({ container: { drm: { ...good, recipients: ['a@z.example'] } } })),
			/"a@z.example"/,
		],
		['Encode: recipients', () => encode({ recipients: 'a@z.example' }), /"a@z.example"/],
		['Encode: download', () => encode({ downloadable: true }), /downloaded/],
		['Encode: no end', () => encode({ accessEnds: 'never' }), /without an end/],
		[
			'Sync Recipients',
			() => {
				const sync = operation('drm: syncRecipients', { containers: 'one', ...byId('c-1') });
				return sync({ email: 'a@z.example' }, {}, bound());
			},
			/"a@z.example"/,
		],
	])('refuse, before anything is sent: %s', async (_what, run, entered) => {
		const { error } = await run();

		expect(error?.message).toMatch(/credential doesn't allow /);
		expect(error?.message).toMatch(entered);
		expect(error?.description).toMatch(/Nothing was sent\. "[A-Z].*" in the credential allows \w/);
		expect(service.requests).toEqual([]);
	});

	it.each(Object.keys(guardrails))('refuse everything where %s is nothing', async (name) => {
		const rules = { addRecipients: 'a@z.example', timeEnd: dayIn(99), downloadable: true };
		const nothing = { [name]: '={{ $vars.missing }}' };

		await expectRefusal(service, update(rules, nothing), /\(credential\)" (is empty|must be)/);
	});

	it('refuse an extension beyond them, and change nothing', async () => {
		service.get(path).reply(200, { ...good, dynamic: true, time: { end: dayIn(20) } });

		const { error } = await update({ extendByDays: 11 });

		expect(error?.message).toContain(`access until ${dayIn(31)}`);
	});

	it.each<[string, IDataObject]>([
		['"eve@z.example"', { recipients: ['a@x.example', 'eve@z.example'] }],
		['files that can be downloaded', { recipients: ['a@x.example'], downloadable: true }],
	])('refuse to extend the access of who has more than they allow: %s', async (what, before) => {
		const shown = { dynamic: true, time: { end: dayIn(-3) }, ...before };
		service.get(path).times(3).reply(200, shown);
		const more = { ...guardrails, maxAccessDays: '' };

		for (const { error } of [
			await update({ extendByDays: 1 }, more, { evenIfOver: true }),
			await update({ timeEnd: dayIn(5) }, more),
			await updateInJson({ time: { end: 'Dec 31, 2099' } }, more),
		]) {
			expect(error?.message).toContain(`credential doesn't allow ${what}`);
		}
	});

	it.each<[string, IDataObject]>([
		['access until 2099-12-31', { ...good, time: { end: '2099-12-31' } }],
		['access without an end', { ...good, time: undefined }],
		['files that can be downloaded', { ...good, downloadable: undefined }],
	])('refuse to add a recipient to a container with %s', async (what, before) => {
		service
			.get(path)
			.times(4)
			.reply(200, { dynamic: true, ...before });
		const sync = operation('drm: syncRecipients', { containers: 'one', ...byId('c-1') });

		for (const { error } of [
			await update({ addRecipients: 'c@x.example' }),
			await update({ recipients: '*@x.example' }),
			await updateInJson({ recipients: ['c@x.example'] }),
			await sync({ email: 'c@x.example' }, {}, bound()),
		]) {
			expect(error?.message).toContain(`credential doesn't allow ${what}`);
		}
	});

	it.each<[string, IDataObject]>([
		['recipients', { ...good, recipients: { 0: 'a@x.example' } }],
		['time', { ...good, time: 'never' }],
		['downloadable', { ...good, downloadable: 'no' }],
	])('refuse to add a recipient where the node can not read: %s', async (rule, before) => {
		service
			.get(path)
			.times(2)
			.reply(200, { dynamic: true, ...before });
		const sync = operation('drm: syncRecipients', { containers: 'one', ...byId('c-1') });

		for (const { error } of [
			await update({ addRecipients: 'c@x.example' }),
			await sync({ email: 'c@x.example' }, {}, bound()),
		]) {
			expect(error?.message).toContain(`shows "${rule}" of`);
			expect(error?.message).toContain("in a form that the node can't read");
		}
	});

	it.each<[string, IDataObject, { [rule: string]: number | string[] | { end: string } }]>([
		[
			'recipients who are removed',
			{ opens: 1, removeRecipients: 'eve@z.example' },
			{ opens: 1, recipients: ['a@x.example'] },
		],
		['an earlier end', { timeEnd: dayIn(20) }, { time: { end: dayIn(20) } }],
	])('let what was there be, where nobody gets more access: %s', async (_what, rules, changed) => {
		const before = { dynamic: true, opens: 5, time: { end: '2099-12-31' } };
		const shown = { ...before, recipients: ['a@x.example', 'eve@z.example'] };
		service.get(path).reply(200, shown);
		service.patch(path, changed).reply(200, { ...shown, ...changed });

		const { error } = await update(rules);

		expect(error).toBeUndefined();
	});
});

describe('Allowed Recipients of the node', () => {
	const options = { allowedRecipients: '*@x.example' };
	const inManifest = async (container: IDataObject) =>
		await encodeWith(withManifest({ container }), options);

	it.each<[string, () => ReturnType<typeof update>]>([
		['recipients[]', () => updateInJson({ opens: 2, 'recipients[]': ['*@*'] }, {}, options)],
		['\uff52ecipients', () => inManifest({ recipients: ['a@x.example'], ｒecipients: ['b@y.e'] })],
	])('refuse what could stand for recipients in JSON: %s', async (field, run) => {
		const { error } = await run();

		expect(error?.message).toMatch(/^The node doesn't allow ".*, because it is not documented/);
		expect(error?.message).toContain(field);
		expect(service.requests).toEqual([]);
	});

	it('a wildcard that is typed in JSON needs none, one of an expression does', async () => {
		// n8n ends an expression at two brackets.
		const typed = JSON.stringify(
			{ container: { name: 'n', recipients: ['*@x.example'] } },
			null,
			1,
		);
		service.post(encodePath).reply(200, { container: { uuid: 'c-1' } });

		expect((await encodeWith(withManifest(typed))).error).toBeUndefined();
		const { error } = await encodeWith(withManifest(`={{ JSON.stringify(${typed}) }}`));

		expect(error?.message).toMatch(/^An expression in "Manifest \(JSON\)" returned/);
	});

	it.each<[string, IDataObject]>([
		['an empty list', { recipients: [] }],
		['a list of nothing', { drm: { recipients: [null] } }],
	])('recipients in JSON are needed, as in fields: %s', async (_what, container) => {
		const running = encodeWith(withManifest({ container }), { allowNoRecipients: false });

		await expectRefusal(service, running, /^"Manifest \(JSON\)" contains no address/);
	});
});
