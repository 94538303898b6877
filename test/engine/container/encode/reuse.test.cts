import type { IDataObject } from 'n8n-workflow';
import { mockService } from '../../../support/nock.cts';
import { encode, withManifest, withoutSettings } from '../../support/encode.cts';
import { containersPath as listPath, userId } from '../../support/operations.cts';

const service = mockService();

const existing = { org_id: userId, container: { uuid: 'c-old', name: 'Invoice' } };
const reuse = { ifExists: 'reuse' };
const show = (...containers: unknown[]) => service.get(listPath).reply(200, containers);
const recipients = ['anna@example.com', 'bob@example.com'];
const end = '2099-12-31';
const asked: IDataObject = { recipients: recipients.join(), accessEnds: 'onDate', timeEnd: end };
const openToAll: IDataObject = { recipients: '', accessEnds: 'never' };
const json = (container: IDataObject) =>
	withManifest({ container: { name: 'Invoice', ...container } });
const slashes = { recipients, drm: { time: { end: '31/12/2099' } } };

describe('reusing a container', () => {
	const encodeAgain = async (rules: unknown, parameters = asked, timezone = 'UTC') => {
		show(existing);
		service.get('/containers/c-old/drm').reply(200, rules as IDataObject);
		return await encode(parameters, reuse, { timezone });
	};

	it.each<[string, unknown, IDataObject, string]>([
		['shows them', { recipients, time: { end } }, asked, 'UTC'],
		[
			'shows them in capitals, in another order, with other rules',
			{ recipients: recipients.map((r) => r.toUpperCase()).reverse(), time: { end }, opens: 3 },
			asked,
			'UTC',
		],
		[
			'shows them inside',
			{ drm: { time: { end } }, recipients: recipients.map((email) => ({ email })) },
			asked,
			'UTC',
		],
		[
			'shows a moment on the day in the time zone of the workflow',
			{ recipients, time: { end: '2099-12-30T23:00:00Z' } },
			asked,
			'Europe/Zurich',
		],
		['shows nothing', {}, openToAll, 'UTC'],
		[
			'shows no date',
			{ recipients: null, time: { end: '0001-01-01T00:00:00Z' } },
			openToAll,
			'UTC',
		],
		[
			'shows an end that is no date as JSON asks for it',
			{ recipients, time: { end: '31/12/2099' } },
			json(slashes),
			'UTC',
		],
		[
			'shows those in the rules of the manifest',
			{ recipients },
			json({ drm: { recipients } }),
			'UTC',
		],
	])('returns it after one request when the service %s', async (_how, ...others) => {
		const { items, error } = await encodeAgain(...others);

		expect(error).toBeUndefined();
		expect(withoutSettings(items)).toEqual([{ ...existing, reused: true }]);
		expect(service.requests.map(({ method }) => method)).toEqual(['GET', 'GET']);
	});

	it.each<[string, unknown, string, string, IDataObject]>([
		[
			'another recipient',
			{ recipients: ['anna@example.com', 'eve@example.com'], time: { end } },
			'with other recipients',
			'Its recipients are anna@example.com, eve@example.com instead of anna@example.com, bob@example.com.',
			asked,
		],
		[
			'no recipients',
			{ time: { end } },
			'with other recipients',
			'Its recipients are nobody in particular instead of anna@example.com',
			asked,
		],
		[
			'a moment on another day',
			{ recipients, time: { end: '2099-12-30T23:00:00Z' } },
			'with another end',
			'Its last day is 2099-12-30 instead of 2099-12-31.',
			asked,
		],
		[
			'an end that is no date where none was asked for',
			{ time: { end: '31/12/2099' } },
			'with another end',
			'Its last day is "31/12/2099" instead of not set.',
			openToAll,
		],
		[
			'no end where JSON asks for one that is no date',
			{ recipients },
			'with another end',
			'Its last day is not set instead of "31/12/2099".',
			json(slashes),
		],
		[
			'both otherwise',
			{},
			'with other recipients and another end',
			'bob@example.com. Its last day is not set instead of 2099-12-31. Change the rules of the container with DRM > Update (its ID is c-old)',
			asked,
		],
	])(
		'is an error that says what differs when it has %s',
		async (_what, rules, message, description, parameters) => {
			const { items, error } = await encodeAgain(rules, parameters);

			expect(error?.message).toBe(`A container named "Invoice" already exists ${message} [item 0]`);
			expect(error?.description).toContain('Nothing was uploaded.');
			expect(error?.description).toContain(description);
			expect(items).toEqual([]);
		},
	);

	it.each([
		['hold no rules', { status: 'ok' }],
		['hold two answers', { drm: { recipients }, recipients: ['eve@example.com'] }],
		['hold recipients that are none', { recipients: 5, opens: 3 }],
	])('is an error when its rules %s', async (_what, rules) => {
		const { error } = await encodeAgain(rules);

		expect(error?.message).toMatch(/^The service returned .* instead of access rules/);
	});

	it('is an error when the list shows no ID', async () => {
		show({ name: 'Invoice' }, { uuid: 'other', name: 'B' });

		const { error } = await encode(asked, reuse);

		expect(error?.message).toMatch(/"Invoice" already exists, but the list shows no ID/);
		expect(error?.description).toBe(
			'Nothing was uploaded. Its access rules can only be compared by its ID.',
		);
	});

	it('is an error when the manifest has recipients twice', async () => {
		show(existing);

		const { error } = await encode(
			json({ recipients, drm: { recipients: ['eve@example.com'] } }),
			reuse,
		);

		expect(error?.message).toMatch(
			/"Manifest \(JSON\)" contains two different "recipients", which can't be compared/,
		);
		expect(error?.description).toMatch(/^Nothing was uploaded\. "Reuse Existing" compares/);
	});
});
