import type { IDataObject } from 'n8n-workflow';
import { mockService } from '../../support/nock.cts';
import { expectRefusal, outputOf } from '../support/operations.cts';
import {
	currentRules,
	mockRules,
	output,
	rules,
	rulesInJson as json,
	update,
	withoutCurrentRules,
} from '../support/rules.cts';

const service = mockService();

describe('rules to change', () => {
	it.each<[IDataObject, RegExp]>([
		[{}, /"Rules to Change" contains no rule/],
		[{ addRecipients: '' }, /"Recipients: Add" is empty/],
		[{ opens: '={{ "some" }}' }, /"Maximum Opens" must be a whole number, 1 or more/],
		[{ timeStart: '2026-02-30' }, /"Available From" is not a date/],
		[{ opens: 3, timeEnd: '={{ null }}' }, /"Available Until" is empty/],
		[{ timeEnd: '2020-01-01' }, /"Available Until" \(2020-01-01\) is in the past/],
		[{ accessDays: -1 }, /"Days Until Access Ends" must be a whole number/],
		[{ extendByDays: 0 }, /"Days to Extend Access" must be a whole number, from 1/],
		[{ extendByDays: '={{ $json.missing }}' }, /"Days to Extend Access" must be a whole number/],
		[
			{ timeEnd: '2099-06-01', accessDays: 3 },
			/"Available Until" and "Days Until Access Ends" can't be used together/,
		],
		[{ recipients: 'anna' }, /"anna" in "Recipients: Replace All" is not an email address/],
		[{ addRecipients: 'anna@example.com, bob' }, /"bob" in "Recipients: Add" is not an email/],
		[{ removeRecipients: 'a b@x' }, /"a b@x" in "Recipients: Remove" is not an email address/],
		[{ opens: 3, addRecipients: '={{ $json.missing }}' }, /"Recipients: Add" is empty/],
		[{ opens: 3, removeRecipients: '={{ [] }}' }, /"Recipients: Remove" is empty/],
		[
			{ addRecipients: 'a@x.example, B@x.example', removeRecipients: 'b@X.example' },
			/"B@x.example" is in "Recipients: Add" and in "Recipients: Remove"/,
		],
		[
			{ recipients: 'b@x.example', removeRecipients: 'b@x.example' },
			/"b@x.example" is in "Recipients: Replace All" and in "Recipients: Remove"/,
		],
		[{ ipBlock: ' , ' }, /"IP Addresses Blocked" is empty/],
		[{ downloadable: '={{ "maybe" }}' }, /"Downloadable" must be true or false/],
		[{ dynamic: '={{ null }}' }, /"Allow Changes Later" must be true or false/],
	])('are refused before anything is sent: %j', async (fields, message) => {
		await expectRefusal(service, update(rules(fields)), message);
	});

	it.each<[string, IDataObject, RegExp]>([
		['the choice', { specifyRules: '={{ "text" }}' }, /"Specify Rules" has an unknown value/],
		[
			'a choice spelled in another way, for which n8n hides the field',
			{ ...json({ opens: 5 }), specifyRules: 'Using JSON' },
			/"Rules \(JSON\)" is empty/,
		],
		[
			'an option whose expression returns nothing',
			{ options: { keepOtherRules: '={{ $json.missing }}' } },
			/"Keep Other Rules" must be true or false/,
		],
	])('are refused for %s', async (_what, parameters, message) => {
		await expectRefusal(service, update(parameters), message);
	});
});

describe('rules in JSON', () => {
	it.each([
		['text', '{ "opens": 2, "geo": { "allow": [{ "country": "CH", "city": "Bern" }] } }'],
		['an object', '={{ { opens: 2, geo: { allow: [{ country: "CH", city: "Bern" }] } } }}'],
	])('are merged with the current ones, as %s', async (_form, text) => {
		const store = mockRules(service, currentRules(), { keys: 'replace' });

		await update(json(text));

		expect(store.rules).toEqual({
			...currentRules(),
			opens: 2,
			geo: { allow: [{ country: 'CH', city: 'Bern' }], block: [{ country: 'KP' }] },
		});
	});

	it('are sent unchanged without the current ones', async () => {
		service.contract.skipBodies('JSON is sent as the user enters it');
		const store = mockRules(service, currentRules(), { reads: 0 });
		const entered = { opens: 'unlimited', future: [1] };

		await outputOf(update(json(entered), withoutCurrentRules));

		expect(store.changes).toEqual([entered]);
	});

	it.each([
		['{ "opens": 5, }', /"Rules \(JSON\)" is not valid JSON at line 1, column 15 \[item 0\]/],
		['{ "opens": ', /"Rules \(JSON\)" is not valid JSON: it ends too early/],
		['[]', /"Rules \(JSON\)" is not a JSON object/],
		['', /"Rules \(JSON\)" is empty/],
		['{}', /"Rules \(JSON\)" contains no rule/],
		['{ "recipients": [] }', /"Rules \(JSON\)" would remove all recipients/],
		['{ "opens": 2, "recipients": null }', /"Rules \(JSON\)" would remove all recipients/],
		[`{ "pin": "${'1'.repeat(201)}" }`, /A password in "Rules \(JSON\)" is longer than 200 char/],
		['={{ { time: { end: DateTime.fromISO("never") } } }}', /"Rules \(JSON\): time\.end" is not a/],
		['={{ { time: { end: { year: 2026 } } } }}', /"Rules \(JSON\): time\.end" is not a date/],
	])('are refused before anything is sent: %j', async (text, message) => {
		await expectRefusal(service, update(json(text)), message);
	});

	it.each([
		['a DateTime in the zone', 'DateTime.fromISO("2099-12-31T23:59:59")', '2099-12-31'],
		['a Date', 'new Date("2099-12-31T20:00:00Z")', '2099-12-31T20:00:00.000Z'],
		['a timestamp', '"2099-12-31T00:00:00.000Z"', '2099-12-31T00:00:00.000Z'],
		['what the editor stores', '"2099-12-31T00:00:00"', '2099-12-31'],
		['no day', 'null', null],
	])('have days that are never shifted: %s', async (_what, end, day) => {
		service.contract.skipBodies('JSON is sent as the user enters it');
		for (const timezone of ['America/New_York', 'Asia/Tokyo']) {
			const store = mockRules(service, currentRules(), { reads: 0 });
			const entered = json(`={{ { opens: 2, time: { end: ${end} } } }}`);

			await outputOf(update(entered, withoutCurrentRules, { timezone }));

			expect(store.changes).toEqual([{ opens: 2, time: { end: day } }]);
		}
	});

	it('can be the output of DRM > Get, as it came', async () => {
		service.contract.depart({ drmTimes: 'timestamp' });
		const time = { start: '2026-01-01T00:00:00.000Z', end: '2099-12-31T00:00:00.000Z' };
		const before = { ...currentRules(), time };
		const store = mockRules(service, before);
		const got: IDataObject = output({ ...before, opens: 1 });
		const more = { timezone: 'America/New_York', items: [{ json: { id: 'c-1', got } }] };

		expect(await outputOf(update(json('={{ $json.got }}'), {}, more))).toEqual([
			output({ ...before, opens: 1 }),
		]);
		expect(store.changes).toEqual([{ ...before, opens: 1 }]);
	});
});

describe('a recipient from an expression', () => {
	const to = ['me@x.example', '*@evil.example'];
	const items = [{ json: { id: 'c-1', to: to.join(', '), me: to[0] } }];

	it.each<[IDataObject, IDataObject, RegExp]>([
		[
			rules({ addRecipients: '={{ $json.to }}' }),
			{},
			/An expression in "Recipients: Add" returned "\*@evil\.example"/,
		],
		[
			rules({ recipients: '=*@x.example, {{ $json.to }}' }),
			{},
			/An expression in "Recipients: Replace All" returned "\*@evil\.example" \[item 0\]/,
		],
		[
			json('={{ { recipients: $json.to.split(", ") } }}'),
			{},
			/An expression in "Rules \(JSON\)" returned/,
		],
		[
			rules({ addRecipients: '={{ $json.to }}' }),
			{ allowedRecipients: '*@x.example', allowWildcards: true },
			/"Recipients: Add" contains "\*@evil\.example", but "Allowed Recipients" doesn't allow/,
		],
		[
			rules({ addRecipients: '*@*' }),
			{ allowWildcards: true },
			/"\*@\*" in .* stands for everybody/,
		],
		[
			rules({ opens: 1 }),
			{ allowedRecipients: '*@*' },
			/"\*@\*" in "Allowed Recipients" stands for/,
		],
	])('is refused before anything is sent: %j with %j', async (parameters, options, message) => {
		await expectRefusal(service, update(parameters, options, { items }), message);
	});

	it.each<[IDataObject, IDataObject, string[]]>([
		[{ recipients: '=*@x.example, {{ $json.me }}' }, {}, ['*@x.example', 'me@x.example']],
		[{ recipients: '={{ $json.to }}' }, { allowWildcards: true }, to],
		[{ recipients: '={{ $json.me }}' }, { allowedRecipients: '*@X.example' }, ['me@x.example']],
	])('is sent where it is allowed: %j with %j', async (fields, options, recipients) => {
		const store = mockRules(service, currentRules());

		await outputOf(update(rules(fields), options, { items }));

		expect(store.rules.recipients).toEqual(recipients);
	});
});
