import type { IDataObject } from 'n8n-workflow';
import { mockService } from '../../../support/nock.cts';
import { mockRules } from '../../support/mockRules.cts';
import {
	currentRules,
	output,
	path,
	rules,
	update,
	withoutCurrentRules,
} from '../../support/updateRules.cts';

const service = mockService();

describe('a change that changes nothing', () => {
	it.each<[string, IDataObject]>([
		['a recipient that nobody added', { removeRecipients: 'zoe@example.com' }],
		['a recipient that is there already', { addRecipients: 'ANNA@example.com' }],
		['the same recipients', { recipients: 'Bob@example.com, anna@example.com' }],
		['the same number', { opens: 5 }],
		['the same end', { timeEnd: '2099-12-31' }],
		['the same countries', { geoAllow: ['CH'] }],
		['several of them', { opens: 5, ipAllow: '192.0.2.1', removeRecipients: 'zoe@example.com' }],
	])('sends nothing and returns the current rules: %s', async (_what, fields) => {
		for (const dynamic of [true, false]) {
			const current = { ...currentRules(), dynamic };
			service.scope().get(path).reply(200, current);

			const { error, items } = await update(rules(fields));

			expect(error).toBeUndefined();
			expect(items.map(({ json }) => json)).toEqual([output(current, false)]);
		}
		expect(service.requests.map(({ method }) => method)).toEqual(['GET', 'GET']);
	});

	it('sends nothing without the other rules either', async () => {
		service.scope().get(path).reply(200, currentRules());

		const { items } = await update(
			rules({ removeRecipients: 'zoe@example.com' }),
			withoutCurrentRules,
		);

		expect(items.map(({ json }) => json)).toEqual([output(currentRules(), false)]);
	});

	it('sends nothing with JSON', async () => {
		service.scope().get(path).reply(200, currentRules());

		const { items } = await update({
			specifyRules: 'json',
			rulesJson: '{ "opens": 5, "ip": { "block": [] } }',
		});

		expect(items.map(({ json }) => json)).toEqual([output(currentRules(), false)]);
	});

	it.each<[string, IDataObject]>([
		['a day that the service shows with a time', { timeEnd: '2099-12-31' }],
		['another number', { opens: 4 }],
	])('is not one that changes something: %s', async (_what, fields) => {
		service.contract.depart({ drmTimes: 'timestamp' });
		const time = { start: '2026-01-01', end: '2099-12-31T08:00:00Z' };
		const before = { ...currentRules(), time };
		const store = mockRules(service, path, before, { reads: 1, changes: 1 });

		const { error } = await update(rules(fields));

		expect(error).toBeUndefined();
		expect(store.changes).toHaveLength(1);
	});
});

describe('removing a recipient that a wildcard still lets in', () => {
	it.each<[string, string[], IDataObject, RegExp]>([
		[
			'with an entry of its own',
			['bob@example.com', '*@Example.com'],
			{ removeRecipients: 'Bob@example.com' },
			/"Bob@example\.com" would still have access through the recipient "\*@Example\.com" \[item 0\]/,
		],
		[
			'without one',
			['*@*'],
			{ removeRecipients: 'zoe@example.com' },
			/"zoe@example\.com" would still have access through the recipient "\*@\*"/,
		],
		[
			'that is added in the same change',
			['bob@example.com'],
			{ removeRecipients: 'bob@example.com', addRecipients: '*@example.com' },
			/through the recipient "\*@example\.com"/,
		],
		[
			'as a narrower wildcard',
			['*@example.com', '*@*'],
			{ removeRecipients: '*@example.com' },
			/"\*@example\.com" would still have access through the recipient "\*@\*"/,
		],
	])('is an error before anything is sent: %s', async (_what, recipients, fields, message) => {
		for (const dynamic of [true, false]) {
			service
				.scope()
				.get(path)
				.reply(200, { ...currentRules(), dynamic, recipients });

			const { error, items } = await update(rules(fields));

			expect(error?.message).toMatch(message);
			expect(error?.description).toMatch(/Nothing was changed.*"Recipients: Remove" too/);
			expect(items).toEqual([]);
		}
		expect(service.requests.map(({ method }) => method)).toEqual(['GET', 'GET']);
	});

	it('is possible together with the wildcard', async () => {
		const recipients = ['bob@example.com', '*@example.com', 'anna@example.org'];
		const before = { ...currentRules(), recipients };
		const store = mockRules(service, path, before, { reads: 1, changes: 1 });

		const { error } = await update(rules({ removeRecipients: 'bob@example.com, *@example.com' }));

		expect(error).toBeUndefined();
		expect(store.rules.recipients).toEqual(['anna@example.org']);
	});
});
