import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { mockService } from '../../../support/nock.cts';
import { mockRules } from '../../support/mockRules.cts';
import {
	withoutCurrentRules,
	path,
	currentRules,
	rules,
	update,
} from '../../support/updateRules.cts';

const service = mockService();

describe('rules in JSON', () => {
	const json = (rulesJson: unknown) => ({ specifyRules: 'json', rulesJson }) as INodeParameters;

	it.each([
		['text', '{ "opens": 2, "geo": { "allow": [{ "country": "CH", "city": "Bern" }] } }'],
		['an object', '={{ { opens: 2, geo: { allow: [{ country: "CH", city: "Bern" }] } } }}'],
	])('are merged with the current ones, as %s', async (_form, text) => {
		const store = mockRules(service, path, currentRules(), {
			reads: 1,
			changes: 1,
			keys: 'replace',
		});

		await update(json(text));

		expect(store.rules).toEqual({
			...currentRules(),
			opens: 2,
			geo: { allow: [{ country: 'CH', city: 'Bern' }], block: [{ country: 'KP' }] },
		});
	});

	it('are sent unchanged without the current ones', async () => {
		service.contract.skipBodies('JSON is sent as the user enters it');
		const store = mockRules(service, path, currentRules(), { reads: 0, changes: 1 });

		const { error } = await update(
			json('{ "opens": "unlimited", "future": [1] }'),
			withoutCurrentRules,
		);

		expect(error).toBeUndefined();
		expect(store.changes).toEqual([{ opens: 'unlimited', future: [1] }]);
	});

	it.each([
		['{ "opens": 5, }', /"Rules \(JSON\)" is not valid JSON at line 1, column 15 \[item 0\]/],
		['{\n"opens": x }', /"Rules \(JSON\)" is not valid JSON \[item 0\]/],
		['{\n"opens" 5 }', /"Rules \(JSON\)" is not valid JSON at line 2, column 9 \[item 0\]/],
		['{ "opens": ', /"Rules \(JSON\)" is not valid JSON: it ends too early/],
		['[]', /"Rules \(JSON\)" is not a JSON object/],
		['', /"Rules \(JSON\)" is empty/],
		['{}', /"Rules \(JSON\)" contains no rule/],
		['{ "recipients": [] }', /"Rules \(JSON\)" would remove all recipients/],
		['{ "opens": 2, "recipients": null }', /"Rules \(JSON\)" would remove all recipients/],
		[
			`{ "pin": "${'1'.repeat(201)}" }`,
			/A password in "Rules \(JSON\)" is longer than 200 characters/,
		],
	])('are rejected before anything is sent: %j', async (text, message) => {
		const { error } = await update(json(text));

		expect(error?.message).toMatch(message);
		expect(error?.description).toMatch(/\w/);
		expect(service.requests).toEqual([]);
	});

	it('are empty where n8n hides their field, because the choice is spelled in another way', async () => {
		const { error } = await update({ ...json('{ "opens": 5 }'), specifyRules: 'Using JSON' });

		expect(error?.message).toMatch(/"Rules \(JSON\)" is empty/);
		expect(service.requests).toEqual([]);
	});
});

describe('invalid rules', () => {
	it.each<[IDataObject, RegExp]>([
		[{}, /"Rules to Change" contains no rule/],
		[{ addRecipients: '' }, /"Rules to Change" contains no rule/],
		[{ opens: -1 }, /"Maximum Opens" must be a whole number, 1 or more/],
		[{ opens: 1.5 }, /"Maximum Opens" must be a whole number, 1 or more/],
		[{ opens: '={{ "some" }}' }, /"Maximum Opens" must be a whole number, 1 or more/],
		[{ timeEnd: 'soon' }, /"Available Until" is not a date/],
		[{ timeStart: '2026-02-30' }, /"Available From" is not a date/],
		[
			{ timeStart: '2099-06-02', timeEnd: '2099-06-01' },
			/"Available Until" \(2099-06-01\) is before/,
		],
		[{ recipients: 'anna' }, /"anna" in "Recipients: Replace All" is not an email address/],
		[{ addRecipients: 'anna@example.com, bob' }, /"bob" in "Recipients: Add" is not an email/],
		[{ removeRecipients: 'a b@x' }, /"a b@x" in "Recipients: Remove" is not an email address/],
		[{ timeEnd: '2020-01-01' }, /"Available Until" \(2020-01-01\) is in the past/],
		[{ accessDays: -1 }, /"Days Until Access Ends" must be a whole number/],
		[{ extendByDays: 0 }, /"Days to Extend Access" must be a whole number, from 1/],
		[{ extendByDays: '={{ $json.missing }}' }, /"Days to Extend Access" must be a whole number/],
		[
			{ timeEnd: '2099-06-01', accessDays: 3 },
			/"Available Until" and "Days Until Access Ends" can't be used together/,
		],
		[
			{ extendByDays: 3, accessDays: 3 },
			/"Days Until Access Ends" and "Days to Extend Access" can't be used together/,
		],
		[
			{ addRecipients: 'a@x.example, B@x.example', removeRecipients: 'b@X.example' },
			/"B@x.example" is in "Recipients: Add" and in "Recipients: Remove"/,
		],
		[
			{ recipients: 'b@x.example', removeRecipients: 'b@x.example' },
			/"b@x.example" is in "Recipients: Replace All" and in "Recipients: Remove"/,
		],
		[{ recipients: '' }, /"Recipients: Replace All" is empty/],
		[{ geoAllow: [] }, /"Countries Allowed" is empty/],
		[{ ipBlock: ' , ' }, /"IP Addresses Blocked" is empty/],
		[{ downloadable: '={{ "maybe" }}' }, /"Downloadable" must be true or false/],
		[{ dynamic: '={{ null }}' }, /"Allow Changes Later" must be true or false/],
	])('%j are rejected before anything is sent', async (fields, message) => {
		const { error, items } = await update(rules(fields));

		expect(error?.message).toMatch(message);
		expect(error?.message).toMatch(/\[item 0\]$/);
		expect(error?.description).toMatch(/\w/);
		expect(items).toEqual([]);
		expect(service.requests).toEqual([]);
	});
});

it('"Specify Rules" with an unknown value is rejected before anything is sent', async () => {
	const { error } = await update({ specifyRules: '={{ "text" }}' });

	expect(error?.message).toMatch(/"Specify Rules" has an unknown value \[item 0\]/);
	expect(service.requests).toEqual([]);
});

describe('days', () => {
	it.each([
		['what the editor stores', '2099-12-31T00:00:00', 'Pacific/Auckland', '2099-12-31'],
		['a day', '2099-12-31', 'Etc/GMT+12', '2099-12-31'],
		['a moment, west of UTC', '2099-12-31T02:00:00Z', 'America/Los_Angeles', '2099-12-30'],
		['a moment, east of UTC', '2099-12-31T20:00:00.000Z', 'Asia/Tokyo', '2100-01-01'],
		['a moment with an offset', '2099-12-31T23:30:00-05:00', 'Europe/Zurich', '2100-01-01'],
		['a DateTime', '={{ DateTime.fromISO("2099-12-31T20:00:00Z") }}', 'Asia/Tokyo', '2100-01-01'],
		[
			'a DateTime in the zone',
			'={{ DateTime.fromISO("2099-12-31T23:59:59") }}',
			'Etc/GMT-14',
			'2099-12-31',
		],
		[
			'a DateTime as text',
			'={{ DateTime.fromISO("2099-12-31T20:00:00Z").toISO() }}',
			'Asia/Tokyo',
			'2100-01-01',
		],
		['a Date', '={{ new Date("2099-12-31T20:00:00Z") }}', 'Asia/Tokyo', '2100-01-01'],
		['a field of the item', '={{ $json.until }}', 'Asia/Kolkata', '2100-01-01'],
	])('are in the time zone of the workflow: %s', async (_what, value, timezone, day) => {
		service.scope().patch(path).reply(204);

		const { error } = await update(rules({ timeEnd: value }), withoutCurrentRules, {
			timezone,
			items: [{ json: { id: 'c-1', until: '2099-12-31T18:30:00Z' } }],
		});

		expect(error).toBeUndefined();
		expect(service.requests[0].body).toEqual({ time: { end: day } });
	});

	it.each(['Etc/GMT+12', 'UTC', 'Etc/GMT-14'])(
		'can be relative to now: today in %s',
		async (timezone) => {
			service.scope().patch(path).reply(204);
			const today = () =>
				new Intl.DateTimeFormat('sv-SE', { timeZone: timezone, dateStyle: 'short' }).format();
			const before = today();

			await update(rules({ timeEnd: '={{ $now }}' }), withoutCurrentRules, { timezone });

			const { end } = (service.requests[0].body as { time: { end: string } }).time;
			expect([before, today()]).toContain(end);
		},
	);
});
