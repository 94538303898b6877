import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { mockService } from '../../../support/nock.cts';
import { encode, listPath, withoutSettings } from '../../support/encode.cts';
import { userId } from '../../support/parameters.cts';

const service = mockService();

const existing = { org_id: userId, container: { uuid: 'c-old', name: 'Invoice' } };
const recipients = ['anna@example.com', 'bob@example.com'];
const end = '2099-12-31';
const asked: INodeParameters = {
	recipients: recipients.join(),
	accessEnds: 'onDate',
	timeEnd: end,
};

describe('reusing a container', () => {
	const reuse = async (rules: unknown, parameters: INodeParameters = asked, timezone = 'UTC') => {
		service.scope().get(listPath).reply(200, [existing]);
		service
			.scope()
			.get('/containers/c-old/drm')
			.reply(200, rules as IDataObject);
		return await encode(parameters, { ifExists: 'reuse' }, { timezone });
	};
	const json = (container: IDataObject): INodeParameters => ({
		specifyManifest: 'json',
		manifestJson: JSON.stringify({ container: { name: 'Invoice', ...container } }),
	});
	const openToAll: INodeParameters = { recipients: '', accessEnds: 'never' };

	it.each<[string, unknown, INodeParameters?, string?]>([
		['shows them', { recipients, time: { end } }],
		['shows them in another order', { recipients: [...recipients].reverse(), time: { end } }],
		[
			'shows them in capitals',
			{ recipients: recipients.map((r) => r.toUpperCase()), time: { end } },
		],
		['shows other rules too', { recipients, time: { start: '2026-01-01', end }, opens: 3 }],
		[
			'shows them inside',
			{ drm: { time: { end } }, recipients: recipients.map((email) => ({ email })) },
		],
		['shows a moment on the day', { recipients, time: { end: `${end}T23:59:59Z` } }],
		[
			'shows a moment on the day in the time zone of the workflow',
			{ recipients, time: { end: '2099-12-30T23:00:00Z' } },
			asked,
			'Europe/Zurich',
		],
		['shows neither', { opens: 3 }, openToAll],
		['shows nothing', {}, openToAll],
		['shows both as empty', { recipients: [], time: { end: null } }, openToAll],
		['shows no date', { recipients: null, time: { end: '0001-01-01T00:00:00Z' } }, openToAll],
		[
			'shows those of the manifest',
			{ recipients, time: { end } },
			json({ recipients, drm: { time: { end } } }),
		],
		[
			'shows an end that is no date as JSON asks for it',
			{ recipients, time: { end: '31/12/2099' } },
			json({ recipients, drm: { time: { end: '31/12/2099' } } }),
		],
		['shows those in the rules of the manifest', { recipients }, json({ drm: { recipients } })],
	])('returns it after one request when the service %s', async (_how, rules, ...others) => {
		const { items, error } = await reuse(rules, ...others);

		expect(error).toBeUndefined();
		expect(withoutSettings(items)).toEqual([{ ...existing, reused: true }]);
		expect(service.requests.map(({ method }) => method)).toEqual(['GET', 'GET']);
	});

	it.each<[string, unknown, string, string, INodeParameters?]>([
		[
			'another recipient',
			{ recipients: ['anna@example.com', 'eve@example.com'], time: { end } },
			'with other recipients',
			'Its recipients are anna@example.com, eve@example.com instead of anna@example.com, bob@example.com.',
		],
		[
			'one recipient more',
			{ recipients: [...recipients, '*@example.com'], time: { end } },
			'with other recipients',
			'bob@example.com, *@example.com instead of',
		],
		[
			'no recipients',
			{ time: { end } },
			'with other recipients',
			'Its recipients are nobody in particular instead of anna@example.com',
		],
		[
			'recipients where none were asked for',
			{ recipients },
			'with other recipients',
			'instead of nobody in particular.',
			openToAll,
		],
		[
			'a later end',
			{ recipients, time: { end: '2100-01-01' } },
			'with another end',
			'Its last day is 2100-01-01 instead of 2099-12-31.',
		],
		[
			'a moment on another day',
			{ recipients, time: { end: '2099-12-30T23:00:00Z' } },
			'with another end',
			'Its last day is 2099-12-30 instead of 2099-12-31.',
		],
		[
			'no end',
			{ recipients },
			'with another end',
			'Its last day is not set instead of 2099-12-31.',
		],
		[
			'an end where none was asked for',
			{ time: { end } },
			'with another end',
			'Its last day is 2099-12-31 instead of not set.',
			openToAll,
		],
		[
			'an end that is no date',
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
			json({ recipients, drm: { time: { end: '31/12/2099' } } }),
		],
		[
			'an end that is a long text',
			{ recipients, time: { end: 'x'.repeat(60) } },
			'with another end',
			`Its last day is "${'x'.repeat(49)} instead of 2099-12-31.`,
		],
		[
			'both otherwise',
			{},
			'with other recipients and another end',
			'bob@example.com. Its last day is not set instead of 2099-12-31. Change the rules of the container with DRM > Update (its ID is c-old)',
		],
		[
			'an end that JSON asks for otherwise',
			{ recipients, time: { end } },
			'with another end',
			'instead of 2099-12-30.',
			json({ recipients, drm: { time: { end: '2099-12-30' } } }),
		],
	])(
		'is an error that says what differs when it has %s',
		async (_what, rules, message, description, ...others) => {
			const { items, error } = await reuse(rules, ...others);

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
		const { items, error } = await reuse(rules);

		expect(error?.message).toMatch(/^The service returned .* instead of access rules/);
		expect(items).toEqual([]);
	});

	it('is an error when its rules cannot be read', async () => {
		service.scope().get(listPath).reply(200, [existing]);
		service.scope().get('/containers/c-old/drm').reply(403, {});

		const { items, error } = await encode(asked, { ifExists: 'reuse' });

		expect(error?.message).toMatch(/no permission to get the rules of the container/);
		expect(items).toEqual([]);
	});

	it('is an error when the list shows no ID', async () => {
		service
			.scope()
			.get(listPath)
			.reply(200, [{ name: 'Invoice' }, { uuid: 'other', name: 'B' }]);

		const { error } = await encode(asked, { ifExists: 'reuse' });

		expect(error?.message).toMatch(/"Invoice" already exists, but the list shows no ID/);
		expect(error?.description).toBe(
			'Nothing was uploaded. Its access rules can only be compared by its ID.',
		);
	});

	it('is an error when the manifest has recipients twice', async () => {
		service.scope().get(listPath).reply(200, [existing]);

		const { error } = await encode(json({ recipients, drm: { recipients: ['eve@example.com'] } }), {
			ifExists: 'reuse',
		});

		expect(error?.message).toMatch(
			/"Manifest \(JSON\)" contains two different "recipients", which can't be compared/,
		);
		expect(error?.description).toMatch(/^Nothing was uploaded\. "Reuse Existing" compares/);
	});
});
