import type { IDataObject } from 'n8n-workflow';
import { runNode } from '../../../support/engine.cts';
import { mockService } from '../../../support/nock.cts';
import { containerId, newService } from '../../support/parameters.cts';
import { mockRules } from '../../support/mockRules.cts';
import { headersOf, invalidRecords } from '../../support/shapes.cts';
import { base, path, currentRules, rules, update } from '../../support/updateRules.cts';

const service = mockService();

describe('keeping other rules', () => {
	it.each(['merge', 'replace'] as const)(
		'keeps them with a service that applies changes as: %s',
		async (keys) => {
			const store = mockRules(service, path, currentRules(), { reads: 1, changes: 1, keys });

			const { items } = await update(rules({ opens: 1, timeEnd: '2099-06-30' }));

			const expected = {
				...currentRules(),
				opens: 1,
				time: { start: '2026-01-01', end: '2099-06-30' },
			};
			expect(store.rules).toEqual(expected);
			expect(store.changes).toEqual([expected]);
			expect(items[0].json).toEqual({ containerId: 'c-1', changed: true, ...expected });
			expect(service.requests.map(({ method }) => method)).toEqual(['GET', 'PATCH']);
		},
	);

	it.each([
		['at the top level', (held: IDataObject) => held],
		['under drm', (held: IDataObject) => ({ drm: held })],
		['under rules', (held: IDataObject) => ({ rules: held })],
		['under data', (held: IDataObject) => ({ status: 'ok', data: held })],
		[
			'in an envelope',
			(held: IDataObject) => ({ org_id: 'u', container: { uuid: 'c', drm: held } }),
		],
	])('sends only the seven documented keys, from any place: %s', async (_where, hold) => {
		const held = { ...currentRules(), uuid: 'c-1', updated_date: 'now', version: 7 };
		service
			.scope()
			.get(path)
			.reply(200, hold(held) as Record<string, unknown>);
		service.scope().patch(path).reply(204);

		await update(rules({ downloadable: true }));

		expect(service.requests[1].body).toEqual({ ...currentRules(), downloadable: true });
	});

	it.each<[string, IDataObject, IDataObject]>([
		['a start', { timeStart: '2026-06-01' }, { time: { start: '2026-06-01', end: '2099-12-31' } }],
		['an end', { timeEnd: '2099-06-01' }, { time: { start: '2026-01-01', end: '2099-06-01' } }],
		[
			'a list, replaced',
			{ geoAllow: ['DE'] },
			{ geo: { allow: [{ country: 'DE' }], block: [{ country: 'KP' }] } },
		],
		[
			'another list',
			{ ipBlock: '198.51.100.0/24' },
			{ ip: { allow: ['192.0.2.1'], block: ['198.51.100.0/24'] } },
		],
		['recipients, replaced', { recipients: '*@example.org' }, { recipients: ['*@example.org'] }],
		[
			'added recipients',
			{ addRecipients: 'carl@example.com, ANNA@example.com' },
			{ recipients: ['anna@example.com', 'bob@example.com', 'carl@example.com'] },
		],
		[
			'removed recipients',
			{ removeRecipients: 'BOB@example.com' },
			{ recipients: ['anna@example.com'] },
		],
		[
			'both',
			{ addRecipients: ['carl@example.com'], removeRecipients: ['anna@example.com'] },
			{ recipients: ['bob@example.com', 'carl@example.com'] },
		],
		[
			'all three',
			{
				recipients: 'x@example.com',
				addRecipients: 'y@example.com',
				removeRecipients: 'bob@example.com',
			},
			{ recipients: ['x@example.com', 'y@example.com'] },
		],
		['a switch', { dynamic: false }, { dynamic: false }],
	])('changes %s, and nothing else', async (_what, fields, changed) => {
		const store = mockRules(service, path, currentRules(), {
			reads: 1,
			changes: 1,
			keys: 'replace',
		});

		const { error } = await update(rules(fields));

		expect(error).toBeUndefined();
		expect(store.rules).toEqual({ ...currentRules(), ...changed });
	});

	it('adds a recipient once, and keeps the capitals that the service has', async () => {
		const before = { ...currentRules(), recipients: ['ANNA@example.com'] };
		const store = mockRules(service, path, before, { reads: 1, changes: 1 });

		await update(rules({ addRecipients: 'anna@example.com, carl@example.com' }));

		expect(store.rules.recipients).toEqual(['ANNA@example.com', 'carl@example.com']);
	});

	it('starts with no rules when the service returns an empty object', async () => {
		const store = mockRules(service, path, {}, { reads: 1, changes: 1 });

		await update(rules({ addRecipients: 'a@example.com' }));

		expect(store.changes).toEqual([{ recipients: ['a@example.com'] }]);
	});

	it.each(invalidRecords)('sends nothing when the current rules are $shape', async (shape) => {
		service.scope().get(path).reply(shape.status, shape.body, headersOf(shape));

		const { error } = await update();

		expect(error?.message).toMatch(shape.message);
	});

	it('sends nothing when the current rules are missing from the response', async () => {
		service.scope().get(path).reply(200, { message: 'ok', status: 1 });

		const { error } = await update();

		expect(error?.message).toMatch(
			/an object with the fields message, status instead of access rules/,
		);
	});

	it('is rejected when the rules are fixed, with what to do instead', async () => {
		service
			.scope()
			.get(path)
			.reply(200, { ...currentRules(), dynamic: false });

		const { error } = await update();

		expect(error?.message).toMatch(
			/The rules of the container "c-1" can't change: it was encrypted without .* \[item 0\]/,
		);
		expect(error?.description).toMatch(/To end access, delete the container\./);
	});

	it('is rejected when the window would end before it starts', async () => {
		const time = { start: '2099-06-01', end: '2099-12-31' };
		service
			.scope()
			.get(path)
			.reply(200, { ...currentRules(), time });

		const { error } = await update(rules({ timeEnd: '2099-05-31' }));

		expect(error?.message).toMatch(
			/"Available Until" \(2099-05-31\) is before "Available From" \(2099-06-01\)/,
		);
	});

	it('is rejected when no recipient would remain', async () => {
		service.scope().get(path).reply(200, currentRules());

		const { error } = await update(
			rules({ removeRecipients: 'anna@example.com; bob@example.com' }),
		);

		expect(error?.message).toMatch(/"Recipients: Remove" would remove all recipients/);
	});
});

describe('two items that change the same container', () => {
	const items = [
		{ json: { fields: { addRecipients: 'carl@example.com' } } },
		{ json: { fields: { removeRecipients: 'anna@example.com' } } },
		{ json: { fields: { addRecipients: 'dora@example.com' } } },
	];

	it.each(['merge', 'replace'] as const)('do not undo each other (%s)', async (keys) => {
		const store = mockRules(service, path, currentRules(), { reads: 3, changes: 3, keys });

		const { error, items: updated } = await runNode({
			parameters: {
				...base,
				containerId: containerId('c-1'),
				rules: {
					addRecipients: '={{ $json.fields.addRecipients ?? "" }}',
					removeRecipients: '={{ $json.fields.removeRecipients ?? "" }}',
				},
				options: { maxRetries: 0, maxConcurrent: 5 },
			},
			items,
			credentials: newService(),
		});

		expect(error).toBeUndefined();
		expect(updated).toHaveLength(3);
		expect(store.rules.recipients).toEqual([
			'bob@example.com',
			'carl@example.com',
			'dora@example.com',
		]);
		expect(service.requests.map(({ method }) => method).join(' ')).toBe(
			'GET PATCH GET PATCH GET PATCH',
		);
	});

	it('continue after one of them failed, when the workflow continues on errors', async () => {
		service.scope().get(path).times(2).reply(200, currentRules());
		service.scope().patch(path).reply(422, { message: 'Words of the service' });
		service.scope().patch(path).reply(200, { message: 'ok' });

		const { items: updated } = await update(
			{},
			{ maxConcurrent: 5 },
			{
				items: [{ json: { id: 'c-1' } }, { json: { id: 'c-1' } }],
				onError: 'continueRegularOutput',
			},
		);

		expect(updated.map(({ json }) => json.error ?? json.message)).toEqual([
			expect.stringContaining('Words of the service'),
			'ok',
		]);
	});
});
