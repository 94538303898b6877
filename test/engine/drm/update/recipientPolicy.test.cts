import type { IDataObject } from 'n8n-workflow';
import { mockService } from '../../../support/nock.cts';
import { mockRules } from '../../support/mockRules.cts';
import { currentRules, path, rules, update } from '../../support/updateRules.cts';

const service = mockService();
const items = [{ json: { id: 'c-1', to: 'me@x.example, *@evil.example', me: 'me@x.example' } }];

describe('a recipient from an expression', () => {
	it.each<[IDataObject, IDataObject, RegExp]>([
		[
			{ addRecipients: '={{ $json.to }}' },
			{},
			/An expression in "Recipients: Add" returned "\*@evil\.example"/,
		],
		[
			{ recipients: '=*@x.example, {{ $json.to }}' },
			{},
			/An expression in "Recipients: Replace All" returned "\*@evil\.example" \[item 0\]/,
		],
		[
			{ addRecipients: '={{ $json.to }}' },
			{ allowedRecipients: '*@x.example', allowWildcards: true },
			/"Recipients: Add" contains "\*@evil\.example", but "Allowed Recipients" doesn't allow/,
		],
		[{ addRecipients: '*@*' }, { allowWildcards: true }, /"\*@\*" in .* stands for everybody/],
		[{ opens: 1 }, { allowedRecipients: '*@*' }, /"\*@\*" in "Allowed Recipients" stands for/],
	])('is refused before anything is sent: %j with %j', async (fields, options, message) => {
		const { error } = await update(rules(fields), options, { items });

		expect(error?.message).toMatch(message);
		expect(service.requests).toEqual([]);
	});

	it('is refused in JSON, too', async () => {
		const rulesJson = '={{ { recipients: $json.to.split(", ") } }}';
		const { error } = await update({ specifyRules: 'json', rulesJson }, {}, { items });

		expect(error?.message).toMatch(/An expression in "Rules \(JSON\)" returned/);
		expect(service.requests).toEqual([]);
	});

	it.each<[IDataObject, IDataObject, string[]]>([
		[{ recipients: '=*@x.example, {{ $json.me }}' }, {}, ['*@x.example', 'me@x.example']],
		[
			{ recipients: '={{ $json.to }}' },
			{ allowWildcards: true },
			['me@x.example', '*@evil.example'],
		],
		[{ recipients: '={{ $json.me }}' }, { allowedRecipients: '*@X.example' }, ['me@x.example']],
	])('is sent where it is allowed: %j with %j', async (fields, options, recipients) => {
		const store = mockRules(service, path, currentRules(), { reads: 1, changes: 1 });

		const { error } = await update(rules(fields), options, { items });

		expect(error).toBeUndefined();
		expect(store.rules.recipients).toEqual(recipients);
	});
});
