import type { IDataObject, OnError } from 'n8n-workflow';
import type { RunNodeOptions } from '../../support/engine.cts';
import { mockService } from '../../support/nock.cts';
import { rowsOf } from '../../support/texts.cts';
import { manyContainers, outputs, run, to } from '../support/rules.cts';
import { containerId, newService, outputOf } from '../support/operations.cts';

const service = mockService();
const { hold, sent } = manyContainers(service);

describe('Sync Recipients', () => {
	const group = (...emails: unknown[]) =>
		emails.map((email) => ({ json: { email } as IDataObject }));
	const sync = async (
		items: ReturnType<typeof group>,
		parameters: IDataObject = {},
		options: IDataObject = {},
		more: Partial<RunNodeOptions> = {},
	) =>
		await run(
			'syncRecipients',
			{ containers: 'byName', nameContains: 'Name', email: '={{ $json.email }}', ...parameters },
			{ maxRemovals: 100, ...options },
			{ items, ...more },
		);

	const cases = rowsOf<
		[emails: unknown[], output: IDataObject, recipients: string[], keep?: string]
	>(`
		grows: [[a@x.example, b@x.example], { action: updated, added: [b@x.example], removed: [], unchanged: 1 }, [a@x.example, b@x.example]]
		shrinks: [[b@x.example], { action: updated, added: [b@x.example], removed: [a@x.example], unchanged: 0 }, [b@x.example]]
		keeps: [[[b@y.example]], { action: updated, added: [b@y.example], removed: [], unchanged: 1 }, [a@x.example, b@y.example], "*@x.example"]
		knows capitals: [[A@X.EXAMPLE, a@x.example], { action: unchanged, added: [], removed: [], unchanged: 1 }, [a@x.example]]
	`);

	it.each(cases)('%s', async (_what, [emails, output, recipients, keepAddresses = '']) => {
		const store = hold({ c1: to('a@x.example') });

		const one = { containers: 'one', containerId: containerId('c1'), keepAddresses };
		const result = await sync(group(...emails), one);

		expect(result.error).toBeUndefined();
		expect(outputs(result)).toEqual([{ containerId: 'c1', ...output }]);
		expect(store.c1).toMatchObject({ recipients });
		expect(sent('GET')).toEqual(['c1']);
	});

	it('settles', async () => {
		hold({ c1: to('a@münchen.de'), c2: to('b@x.example') });
		const items = group('a@xn--mnchen-3ya.de');

		const credentials = newService();
		const first = await sync(items, {}, {}, { credentials });
		expect(outputs(first).map(({ action }) => action)).toEqual(['unchanged', 'updated']);
		expect(sent('GET')).toEqual(['', 'c1', 'c2']);

		const second = await sync(items, {}, {}, { credentials });
		expect(outputs(second).map(({ action }) => action)).toEqual(['unchanged', 'unchanged']);
		expect(sent('PATCH')).toEqual(['c2']);
	});

	const refused = rowsOf<
		[emails: string[], message: string, options?: IDataObject, parameters?: IDataObject]
	>(`
		nobody: [[a@x.example, ""], '"Email" is empty.* DRM > Revoke Access']
		one address for all items: [[a@x.example, b@x.example], '"Email" is the same for all 2 input items', {}, { email: a@x.example }]
		no address: [[a@x.example, b], '"b" in "Email" is not an email address']
		two containers: [[a@x.example, b@x.example], '"Container" of item 1 differs', {}, { containers: one, containerId: "={{ $json.email }}" }]
		other addresses to keep: [[a@x.example, b@x.example], '"Keep Addresses" of item 1 differs', {}, { keepAddresses: "={{ $json.email }}" }]
		nobody to keep: [[a@x.example], '"Keep Addresses" is empty', {}, { keepAddresses: "={{ $json.none }}" }]
		a wildcard of an expression: [["*@x.example"], An expression in "Email" returned]
		a bound of the node: [[a@y.example], node doesn't allow, { allowedRecipients: "*@x.example" }]
	`);

	it.each(refused)('changes nothing before all is checked: %s', async (_what, row) => {
		const [emails, message, options, parameters] = row;
		hold({ c1: to('a@x.example'), c2: to('b@x.example') });

		const { error } = await sync(group(...emails), parameters, options);

		expect(`${error?.message} ${error?.description}`).toMatch(new RegExp(message));
		expect(sent('PATCH')).toEqual([]);
	});

	it.each<OnError>(['continueErrorOutput', 'continueRegularOutput'])(
		'names the item whose error is that of all: %s',
		async (onError) => {
			const { items, errorItems } = await sync(group('a@x.example', 'b'), {}, {}, { onError });

			const messages = [...items, ...errorItems].map(({ json }) => json.error);
			const message = '"b" in "Email" is not an email address [item 1]';
			expect(messages).toEqual([message, message]);
		},
	);

	it('changes no container where more would be removed than the bound allows', async () => {
		const many = ['a@x.example', 'b@x.example', 'c@x.example', 'd@x.example'];
		hold({ c1: to('c@x.example', 'a@x.example'), c2: to(...many) });

		const { error } = await sync(group('c@x.example'), {}, { maxRemovals: 74 });

		expect(error?.message).toContain('More than 74% of the recipients of "Name c2" (c2) would');
		expect(error?.description).toContain('raise "Max Removals (%)"');
		expect(sent('PATCH')).toEqual(['c1']);
	});

	it('changes the others when one cannot be read', async () => {
		hold({ c1: to('a@x.example'), c2: 403, c3: to('a@x.example') });

		const { items } = await sync(
			group('b@x.example'),
			{},
			{},
			{ onError: 'continueRegularOutput' },
		);

		expect(items.map(({ json }) => [json.containerId, json.action]).sort()).toEqual([
			['c1', 'updated'],
			['c2', 'failed'],
			['c3', 'updated'],
		]);
	});

	it('shows all changes in a dry run, and needs all items otherwise', async () => {
		hold({ c1: to('a@x.example', 'c@x.example', 'd@x.example'), c2: to('b@x.example') });

		const result = await sync(group('b@x.example'), { dryRun: true }, { maxRemovals: 0 });
		expect(outputs(result).map(({ action, reason }) => [action, reason])).toEqual([
			['updated', 'Would add 1 and remove 3 recipients.'],
			['unchanged', 'Would change no recipients.'],
		]);
		expect(sent('PATCH')).toEqual([]);
		expect(JSON.stringify(result.run.hints)).toMatch(/would fail: More than 0% of the recipients/);

		const { error } = await sync(group('b@x.example'), {}, {}, { executeOnce: true });
		expect(error?.message).toMatch(/^Sync Recipients needs .*"Execute Once" is on/);
		const dryRun = await sync(group('b@x.example'), { dryRun: true }, {}, { executeOnce: true });
		expect(dryRun.error).toBeUndefined();
	});

	it('changes what the bound allows, a container without recipients, and a typed wildcard', async () => {
		const store = hold({ c1: to('*@x.example', 'a@y.example'), c2: { dynamic: true } });

		await outputOf(sync(group(''), { email: '*@x.example' }, { maxRemovals: 50 }));

		expect(store).toMatchObject({
			c1: { recipients: ['*@x.example'] },
			c2: { recipients: ['*@x.example'] },
		});
	});

	it('always allows to remove two', async () => {
		hold({ c1: to('a@x.example', 'b@x.example', 'c@x.example') });

		const result = await sync(group('a@x.example'), {}, { maxRemovals: undefined });
		expect(outputs(result)).toMatchObject([{ removed: ['b@x.example', 'c@x.example'] }]);
	});

	it('says that no name contains a text, and passes over what was deleted meanwhile', async () => {
		hold({ c1: to('a@x.example'), c2: 404, c3: to('a@x.example') });

		const { run: ended } = await sync(group('a@x.example'), { nameContains: 'typo' });
		expect(ended.hints).toMatchObject([
			{ message: 'No container has a name that contains "typo". 3 containers read.' },
		]);
		const result = await sync(group('a@x.example', 'b@x.example'));
		expect(outputs(result)).toMatchObject([{ containerId: 'c1' }, { containerId: 'c3' }]);
	});

	it('names the field of an address to keep that is none', async () => {
		const { error } = await sync(group('b@x.example'), { keepAddresses: 'nobody' });
		expect(error?.message).toMatch(/"nobody" in "Keep Addresses" is not an email address/);
	});
});
