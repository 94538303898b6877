import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { mockService } from '../../../support/nock.cts';
import { currentRules, output, path, rules, update } from '../../support/updateRules.cts';

const service = mockService();
const changed = () => ({ ...currentRules(), opens: 1 });
const methods = () => service.requests.map(({ method }) => method).join(' ');

describe('the rules that the service returns after the change', () => {
	it('are read again when they contradict it, and returned when they show it then', async () => {
		service.scope().get(path).reply(200, currentRules());
		service.scope().patch(path).reply(200, { message: 'ok', drm: currentRules() });
		service.scope().get(path).reply(200, changed());

		const { error, items } = await update(rules({ opens: 1 }));

		expect(error).toBeUndefined();
		expect(items.map(({ json }) => json)).toEqual([output(changed())]);
		expect(methods()).toBe('GET PATCH GET');
	});

	it.each<[string, IDataObject, RegExp]>([
		[
			'a number',
			{ opens: 1 },
			/returned opens 5 instead of opens 1 for the request to change the rules/,
		],
		[
			'a switch',
			{ downloadable: true },
			/returned downloadable false instead of downloadable true/,
		],
		[
			'an end',
			{ timeEnd: '2100-01-31' },
			/time\.end "2099-12-31" instead of time\.end "2100-01-31"/,
		],
		['a list', { geoAllow: ['DE'] }, /geo\.allow \[{"country":"CH"}\] instead of geo\.allow/],
		[
			'a removal',
			{ removeRecipients: 'bob@example.com' },
			/returned recipients \["anna@.*"bob@.*instead/,
		],
		[
			'an addition',
			{ addRecipients: 'carl@example.com' },
			/returned recipients .* instead of .*"carl@/,
		],
	])(
		'are an error when they still contradict it, with what they are: %s',
		async (_what, fields, message) => {
			service.scope().get(path).times(2).reply(200, currentRules());
			service.scope().patch(path).reply(200, currentRules());

			const { error, items } = await update(rules(fields));

			expect(error?.message).toMatch(message);
			expect(items).toEqual([]);
			expect(methods()).toBe('GET PATCH GET');
		},
	);

	it('are read again when they are not certain', async () => {
		service.scope().get(path).reply(200, currentRules());
		service
			.scope()
			.patch(path)
			.reply(200, { drm: { Opens: 1 } });
		service.scope().get(path).reply(200, changed());

		const { items } = await update(rules({ opens: 1 }));

		expect(items.map(({ json }) => json)).toEqual([output(changed())]);
	});

	it('are compared without the current ones too', async () => {
		service.scope().patch(path).reply(200, currentRules());
		service.scope().get(path).reply(200, currentRules());

		const { error } = await update(rules({ opens: 1 }), { keepOtherRules: false });

		expect(error?.message).toMatch(/returned opens 5 instead of opens 1/);
	});

	it.each<[string, IDataObject]>([
		['numbers as text', { opens: '1', dynamic: 1, downloadable: 0 }],
		['days as moments', { time: { start: 1_767_225_600, end: '2099-12-30T23:00:00Z' } }],
		['the change alone', { opens: 1 }],
		[
			'recipients as objects',
			{ recipients: [{ email: 'Bob@example.com' }, { email: 'anna@example.com' }] },
		],
	])('confirm it in other forms: %s', async (_what, reported) => {
		service.scope().get(path).reply(200, currentRules());
		service
			.scope()
			.patch(path)
			.reply(200, reported as Record<string, unknown>);

		const { error, items } = await update(rules({ opens: 1 }));

		expect(error).toBeUndefined();
		expect(items.map(({ json }) => json)).toEqual([output(reported)]);
		expect(methods()).toBe('GET PATCH');
	});
});

describe('rules in JSON with a date object', () => {
	const json = (rulesJson: string) => ({ specifyRules: 'json', rulesJson }) as INodeParameters;

	it.each([
		['a DateTime', 'DateTime.fromISO("2099-12-31T20:00:00Z")', '2100-01-01'],
		['a Date', 'new Date("2099-12-31T20:00:00Z")', '2100-01-01'],
		['a DateTime in the zone', 'DateTime.fromISO("2099-12-31T23:59:59")', '2099-12-31'],
		['text', '"2099-12-31T20:00:00Z"', '2099-12-31T20:00:00Z'],
		['text that Luxon writes', '"2099-12-31T20:00:00.000Z"', '2100-01-01'],
		['text that names a zone', '"2099-12-31T20:00:00.000Z[UTC]"', '2099-12-31T20:00:00.000Z[UTC]'],
		['no day', 'null', null],
	])('send its day in the time zone of the workflow: %s', async (_what, end, day) => {
		service.contract.skipBodies('JSON is sent as the user enters it');
		service.scope().patch(path).reply(204);

		const { error } = await update(
			json(`={{ { opens: 2, time: { end: ${end} } } }}`),
			{ keepOtherRules: false },
			{ timezone: 'Asia/Tokyo' },
		);

		expect(error).toBeUndefined();
		expect(service.requests[0].body).toEqual({ opens: 2, time: { end: day } });
	});

	it.each([
		['an invalid DateTime', 'DateTime.fromISO("never")'],
		['an invalid Date', 'new Date("never")'],
		['an object', '{ year: 2026 }'],
	])('are rejected before anything is sent: %s', async (_what, end) => {
		const { error } = await update(json(`={{ { time: { end: ${end} } } }}`));

		expect(error?.message).toMatch(/"Rules \(JSON\): time\.end" is not a date \[item 0\]/);
		expect(service.requests).toEqual([]);
	});

	it.each(['{ "recipients": "" }', '{ "recipients": [""] }', '{ "recipients": [null, " "] }'])(
		'never empty the recipients: %s',
		async (text) => {
			const { error } = await update(json(text));

			expect(error?.message).toMatch(/"Rules \(JSON\)" would remove all recipients/);
			expect(service.requests).toEqual([]);
		},
	);
});
