import type { IDataObject } from 'n8n-workflow';
import { mockService } from '../../support/nock.cts';
import { expectRefusal, outputOf } from '../support/operations.cts';
import { dayFromNow } from '../support/polling.cts';
import {
	currentRules,
	mockRules,
	output,
	path,
	rules,
	rulesInJson as json,
	update,
} from '../support/rules.cts';

const service = mockService();

const withTime = (time: IDataObject) => ({ ...currentRules(), time });
const methods = () => service.requests.map(({ method }) => method).join(' ');
const show = (held: IDataObject) => service.get(path).reply(200, held as object);

describe('a change of rules', () => {
	it('sends only what changes', async () => {
		const store = mockRules(service, { ...currentRules(), time: { end: '2099-12-31' } });
		const recipients = ['anna@example.com', 'carl@example.com'];
		const changed = { opens: 1, time: { end: '2099-06-30' }, recipients };
		const fields = {
			opens: 1,
			timeEnd: '2099-06-30',
			addRecipients: 'carl@example.com, ANNA@example.com',
			removeRecipients: 'bob@example.com',
		};

		expect(await outputOf(update(rules(fields)))).toEqual([
			output({ ...currentRules(), ...changed }),
		]);
		expect(store.changes).toEqual([changed]);
		expect(methods()).toBe('GET PATCH');
	});

	it('keeps the other list of countries, which would be replaced', async () => {
		const store = mockRules(service, currentRules());
		const { geo } = currentRules();

		await outputOf(update(rules({ geoAllow: ['DE'] })));

		expect(store.changes).toEqual([{ geo: { ...geo, allow: [{ country: 'DE' }] } }]);
	});
});

describe('a change that changes nothing', () => {
	it.each<[string, IDataObject]>([
		['several rules', rules({ opens: 5, ipAllow: '192.0.2.1', timeEnd: '2099-12-31' })],
		['JSON', json({ opens: 5, ip: { block: [] } })],
		['a removal', rules({ removeRecipients: 'zoe@example.com' })],
	])('sends nothing and returns the current rules: %s', async (_what, parameters) => {
		for (const dynamic of [true, false]) {
			const current = { ...currentRules(), dynamic };
			show(current);

			expect(await outputOf(update(parameters))).toEqual([output(current, false)]);
		}
		expect(methods()).toBe('GET GET');
	});
});

describe('days', () => {
	it.each(['Etc/GMT+12', 'Etc/GMT-14'])('can be relative to now, in %s', async (timezone) => {
		const before = [0, 7, 30].map((days) => dayFromNow(days, timezone));
		for (const [held, fields] of [
			[{}, { timeEnd: '={{ $now }}' }],
			[{ end: dayFromNow(-1, timezone) }, { extendByDays: 7 }],
			[{}, { accessDays: 30 }],
		] as IDataObject[][]) {
			mockRules(service, withTime(held));
			await outputOf(update(rules(fields), {}, { timezone }));
		}

		const sent = service.requests.filter(({ method }) => method === 'PATCH');
		const ends = sent.map(({ body }) => (body as { time: { end: string } }).time.end);
		expect([before, [0, 7, 30].map((days) => dayFromNow(days, timezone))]).toContainEqual(ends);
	});
});

describe('what is entered', () => {
	/** What a field accepts is in the unit tests; those of rules in JSON are beside those of the change. */
	it.each<[string | RegExp, IDataObject]>([
		['"Rules to Change" contains no rule', rules({})],
		['"Recipients: Add" is empty', rules({ addRecipients: '' })],
		['"Recipients: Add" is empty', rules({ opens: 3, addRecipients: '={{ $json.missing }}' })],
		['"Recipients: Remove" is empty', rules({ opens: 3, removeRecipients: '={{ [] }}' })],
		['"a b@x" in "Recipients: Remove" is not an email', rules({ removeRecipients: 'a b@x' })],
		[
			'"B@x.example" is in "Recipients: Add" and in "Recipients: Remove"',
			rules({ addRecipients: 'a@x.example, B@x.example', removeRecipients: 'b@X.example' }),
		],
		[
			'"b@x.example" is in "Recipients: Replace All" and in "Recipients: Remove"',
			rules({ recipients: 'b@x.example', removeRecipients: 'b@x.example' }),
		],
		['"Days to Extend Access" must be a whole number, from 1', rules({ extendByDays: 0 })],
		[/"Available Until" and "Days U.*together/, rules({ timeEnd: '2099-06-01', accessDays: 3 })],
		['"Specify Rules" has an unknown value', { specifyRules: '={{ "text" }}' }],
		// n8n hides the field.
		['"Rules (JSON)" is empty', { ...json({ opens: 5 }), specifyRules: 'Using JSON' }],
		[/"Limits to Remove" and "Max.*together/, rules({ opens: 1, removeRules: ['opens'] })],
	])('is refused before anything is sent: %s', async (message, parameters) => {
		await expectRefusal(service, update(parameters), message);
	});
});

describe('a recipient from an expression', () => {
	const to = ['me@x.example', '*@evil.example'];
	const items = [{ json: { id: 'c-1', to: to.join(', '), me: to[0] } }];
	const returned = (label: string) => `An expression in "${label}" returned "*@evil.example"`;
	const replaceAll = rules({ recipients: '=*@x.example, {{ $json.to }}' });

	it.each<[string | RegExp, IDataObject, IDataObject]>([
		[returned('Recipients: Add'), rules({ addRecipients: '={{ $json.to }}' }), {}],
		[returned('Recipients: Replace All'), replaceAll, {}],
		[returned('Rules (JSON)'), json('={{ { recipients: $json.to.split(", ") } }}'), {}],
		[
			/in the node doesn't allow "\*@evil\.example"/,
			rules({ addRecipients: '={{ $json.to }}' }),
			{ allowedRecipients: '*@x.example', allowWildcards: true },
		],
		[/stands for everybody/, rules({ addRecipients: '*@*' }), { allowWildcards: true }],
	])('is refused before anything is sent: %s', async (message, parameters, options) => {
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
