import type { IDataObject } from 'n8n-workflow';
import { runNode } from '../support/engine.cts';
import { mockService } from '../support/nock.cts';
import { containerId, newKey, userId, withOptions } from './support/operations.cts';
import { dayFromNow } from './support/polling.cts';

const service = mockService();
const path = '/containers/c-1/drm';
const dayIn = (days: number) => dayFromNow(days, 'UTC');
const guardrails = {
	allowedRecipients: '*@x.example, b@y.example',
	maxAccessDays: '30',
	forbidDownload: true,
};

const run = async (parameters: IDataObject, options: IDataObject = {}, more: object = guardrails) =>
	await runNode({
		parameters: withOptions(parameters, { maxRetries: 0, userId, ...options }),
		items: [{ json: {} }],
		credentials: { ...newKey(), ...more },
		timezone: 'UTC',
	});
const update = (parameters: IDataObject) => ({
	resource: 'drm',
	operation: 'update',
	containerId: containerId('c-1'),
	...parameters,
});
const fields = (rules: IDataObject) => update({ specifyRules: 'fields', rules });
const json = (rulesJson: IDataObject) => update({ specifyRules: 'json', rulesJson });
const encode = (parameters: IDataObject) => ({
	resource: 'container',
	operation: 'encode',
	fileSource: 'text',
	textContent: 'x',
	textFileName: 'x.txt',
	...parameters,
});
const until = (days: number) => ({ accessEnds: 'onDate', timeEnd: dayIn(days) });
const manifest = (container: IDataObject) =>
	encode({ specifyManifest: 'json', manifestJson: { container: { name: 'n', ...container } } });
const good = { recipients: ['a@x.example'], downloadable: false, time: { end: dayIn(5) } };

describe('guardrails of the credential', () => {
	it.each<[string, IDataObject, RegExp]>([
		['a recipient', fields({ addRecipients: 'a@z.example' }), /"a@z.example"/],
		['an end', fields({ timeEnd: dayIn(31) }), /access until/],
		['download', fields({ downloadable: true }), /downloaded/],
		['JSON', json({ recipients: ['a@z.example'] }), /"a@z.example"/],
		['Encode: below', manifest({ drm: { ...good, recipients: ['a@z.example'] } }), /"a@z.example"/],
		[
			'Encode: recipients in fields',
			encode({ ...until(5), name: 'n', recipients: 'a@z.example' }),
			/"a@z.example"/,
		],
		[
			'Encode: download in fields',
			encode({ ...until(5), name: 'n', recipients: 'a@x.example', downloadable: true }),
			/downloaded/,
		],
		[
			'Encode: fields',
			encode({ name: 'n', recipients: 'a@x.example', accessEnds: 'never' }),
			/without an end/,
		],
	])('refuse, before anything is sent: %s', async (_what, parameters, entered) => {
		const { error } = await run(parameters);

		expect(error?.message).toMatch(/credential doesn't allow /);
		expect(error?.message).toMatch(entered);
		expect(error?.description).toMatch(
			/Nothing was sent\. "[A-Z].*" in the credential allows \w.*can change it/,
		);
		expect(service.requests).toEqual([]);
	});

	it.each(Object.keys(guardrails))('refuse everything where %s is nothing', async (name) => {
		const change = fields({ addRecipients: 'a@z.example', timeEnd: dayIn(99), downloadable: true });
		const nothing = { [name]: '={{ $vars.missing }}' };
		const { error } = await run(change, {}, nothing);

		expect(error?.message).toMatch(/\(credential\)" (is empty|must be)/);
		expect(service.requests).toEqual([]);
	});

	it('refuse an extension beyond them, and change nothing', async () => {
		const recipients = ['a@x.example'];
		service.get(path).reply(200, { dynamic: true, recipients, time: { end: dayIn(20) } });

		const { error } = await run(fields({ extendByDays: 11 }));

		expect(error?.message).toContain(`access until ${dayIn(31)}`);
	});

	const afternoon = { time: { end: `${dayIn(2)}T15:00:00Z` } };
	it.each<[string, IDataObject]>([
		['"eve@z.example"', { recipients: ['a@x.example', 'eve@z.example'] }],
		['"eve@z.example"', { recipients: ['eve@z.example'], ...afternoon }],
		['files that can be downloaded', { recipients: ['a@x.example'], downloadable: true }],
	])('refuse to extend the access of who has more than they allow: %s', async (what, before) => {
		service
			.get(path)
			.times(3)
			.reply(200, { dynamic: true, time: { end: dayIn(-3) }, ...before });

		const inWords = json({ time: { end: 'Dec 31, 2099' } });
		for (const rules of [fields({ extendByDays: 1 }), fields(until(5)), inWords]) {
			const { error } = await run(rules, {}, { ...guardrails, maxAccessDays: '' });
			expect(error?.message).toContain(`credential doesn't allow ${what}`);
		}
	});

	it('let an end that was there be', async () => {
		const before = { dynamic: true, opens: 5, time: { end: '2099-12-31' } };
		const change = { opens: 1, recipients: ['a@x.example'] };
		service.get(path).reply(200, before);
		service.get('/containers/c-1').optionally().reply(200, { uuid: 'c-1' });
		service.patch(path, change).reply(200, { ...before, ...change });

		const { error } = await run(fields({ opens: 1, recipients: 'a@x.example' }));

		expect(error).toBeUndefined();
	});

	it('refuse to remove the end', async () => {
		const { error } = await run(fields({ removeRules: ['timeEnd'] }));

		expect(error?.message).toContain('access without an end');
		expect(service.requests).toEqual([]);
	});

	it('bind Sync Recipients', async () => {
		const { error } = await run({
			resource: 'drm',
			operation: 'syncRecipients',
			containers: 'one',
			containerId: containerId('c-1'),
			email: 'a@z.example',
		});

		expect(error?.message).toMatch(/credential doesn't allow "a@z.example"/);
	});
});

describe('Allowed Recipients of the node', () => {
	const allowedRecipients = '*@x.example';
	it.each<[string, IDataObject]>([
		['recipients[]', json({ opens: 2, 'recipients[]': ['*@*'] })],
		['recipients.0', manifest({ recipients: ['a@x.example'], 'recipients.0': 'b@y.example' })],
		['\uff52ecipients', manifest({ recipients: ['a@x.example'], ｒecipients: ['b@y.example'] })],
	])('refuse what could stand for recipients in JSON: %s', async (field, parameters) => {
		const { error } = await run(parameters, { allowedRecipients }, {});

		expect(error?.message).toMatch(/^The node doesn't allow ".*, because it is not documented/);
		expect(error?.message).toContain(field);
		expect(error?.description).toMatch(/"Allowed Recipients" in the node allows only documented/);
		expect(service.requests).toEqual([]);
	});

	it('a wildcard that is typed in JSON needs none, one of an expression does', async () => {
		// n8n ends an expression at two brackets.
		const container = { name: 'n', recipients: ['*@x.example'] };
		const typed = JSON.stringify({ container }, null, 1);
		const entered = (manifestJson: string) => encode({ specifyManifest: 'json', manifestJson });
		service.post(`/users/${userId}/containers/encode`).reply(200, { container: { uuid: 'c-1' } });

		expect((await run(entered(typed), {}, {})).error).toBeUndefined();
		const { error } = await run(entered(`={{ JSON.stringify(${typed}) }}`), {}, {});

		expect(error?.message).toMatch(/^An expression in "Manifest \(JSON\)" returned/);
		expect(service.requests).toHaveLength(1);
	});

	it.each<[string, IDataObject]>([
		['an empty list', { recipients: [] }],
		['a list of nothing', { drm: { recipients: [null] } }],
	])('recipients in JSON are needed, as in fields: %s', async (_what, container) => {
		const { error } = await run(manifest(container), {}, {});

		expect(error?.message).toMatch(/^"Manifest \(JSON\)" contains no address/);
		expect(error?.description).toContain('turn on "Allow No Recipients"');
		expect(service.requests).toEqual([]);
	});
});
