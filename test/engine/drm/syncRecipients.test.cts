import type { IDataObject } from 'n8n-workflow';
import type { RunNodeOptions } from '../../support/engine.cts';
import { refuse } from '../../support/proxy.cts';
import { rowsOf } from '../../support/texts.cts';
import { byId, outputOf } from '../support/operations.cts';
import { outputs, to, useRules } from '../support/rules.cts';

const { service, hold, run, sent } = useRules();

const group = (...emails: unknown[]) => emails.map((email) => ({ json: { email } as IDataObject }));
/** Makes these people the recipients of all containers whose names begin with c. */
const sync = async (
	emails: unknown[],
	parameters: IDataObject = {},
	options: IDataObject = {},
	more: Partial<RunNodeOptions> = {},
) =>
	await run(
		'syncRecipients',
		{ containers: 'byName', nameContains: 'c*', email: '={{ $json.email }}', ...parameters },
		{ maxRemovals: 100, ...options },
		{ items: group(...emails), ...more },
	);

const cases = rowsOf<
	[emails: unknown[], output: IDataObject, recipients: string[], keep?: string]
>(`
	grows: [[a@x.example, b@x.example], { action: updated, added: [b@x.example], removed: [], unchanged: 1 }, [a@x.example, b@x.example]]
	shrinks: [[b@x.example], { action: updated, added: [b@x.example], removed: [a@x.example], unchanged: 0 }, [b@x.example]]
	keeps: [[[b@y.example]], { action: updated, added: [b@y.example], removed: [], unchanged: 1 }, [a@x.example, b@y.example], "*@x.example"]
	knows capitals: [[A@X.EXAMPLE, a@x.example], { action: unchanged, added: [], removed: [], unchanged: 1 }, [a@x.example]]
`);

it.each(cases)('one container %s', async (_what, [emails, output, recipients, keep = '']) => {
	const { c1 } = await hold({ c1: to('a@x.example') });

	const one = { ...byId(c1), containers: 'one', keepAddresses: keep };
	const link = expect.stringMatching(`/c/${c1}$`) as unknown;
	expect(await outputOf(sync(emails, one))).toEqual([{ containerId: c1, link, ...output }]);

	expect(await service.getRules(c1)).toMatchObject({ recipients });
});

const refused = rowsOf<
	[emails: string[], message: string, options?: IDataObject, parameters?: IDataObject]
>(`
	nobody: [[a@x.example, ""], '"Email" is empty.* Access Rules \\(DRM\\) > Revoke Access']
	one address for all items: [[a@x.example, b@x.example], '"Email" is the same for all 2 input items.*choose Expression and enter \\{\\{ \\$json.email \\}\\}', {}, { email: a@x.example }]
	no address: [[a@x.example, b], '"b" in "Email" is not an email address']
	two containers: [[a@x.example, b@x.example], '"Container" of item 1 differs', {}, { containers: one, containerId: "={{ $json.email }}" }]
	other addresses to keep: [[a@x.example, b@x.example], '"Keep Addresses" of item 1 differs', {}, { keepAddresses: "={{ $json.email }}" }]
	nobody to keep: [[a@x.example], '"Keep Addresses" is empty', {}, { keepAddresses: "={{ $json.none }}" }]
	no address to keep: [[a@x.example], '"nobody" in "Keep Addresses" is not an email', {}, { keepAddresses: nobody }]
	a wildcard of an expression: [["*@x.example"], An expression in "Email" returned]
	a bound of the node: [[a@y.example], node doesn't allow, { allowedRecipients: "*@x.example" }]
`);

it.each(refused)('nothing changes before all is checked: %s', async (_what, row) => {
	const [emails, message, options, parameters] = row;

	const { error } = await sync(emails, parameters, options);

	expect(`${error?.message} ${error?.description}`).toMatch(new RegExp(message));
	expect(sent('PATCH')).toEqual([]);
});

it('a key that may not read its user syncs under guardrails that count no days', async () => {
	const { c1 } = await hold({ c1: to('a@x.example') });
	service.on({ path: /\/me$/, times: Infinity }, refuse(403));
	const credentials = { ...service.credentials, allowedRecipients: '*@x.example' };

	const { error } = await sync(
		['b@x.example'],
		{ ...byId(c1), containers: 'one' },
		{},
		{ credentials },
	);

	expect(error).toBeUndefined();
	expect(await service.getRules(c1)).toMatchObject({ recipients: ['b@x.example'] });
});

it('an error of all names its item', async () => {
	const onError = 'continueErrorOutput';
	const { errorItems } = await sync(['a@x.example', 'b'], {}, {}, { onError });

	const messages = errorItems.map(({ json }) => json.error);
	expect(messages).toEqual(Array(2).fill('"b" in "Email" is not an email address [item 1]'));
});

describe('a container by name', () => {
	const project = { ...to('a@x.example') };

	it('has this whole name, in capitals or not', async () => {
		const alpha = 'Project Alpha (board only)';
		const ids = await hold({ 'Project A': project, [alpha]: project });

		const output = await outputOf(sync(['b@x.example'], { nameContains: ' project a' }));

		expect(output).toMatchObject([{ name: 'Project A', added: ['b@x.example'] }]);
		expect(await service.getRules(ids[alpha])).toMatchObject({ recipients: ['a@x.example'] });
	});

	it('can be any that a * stands for, from the beginning of the name', async () => {
		await hold({ 'Project A': project, 'Project B': project, 'My Project C': project });

		const result = await sync(['b@x.example'], { nameContains: 'Project *' });

		expect(outputs(result).map(({ name }) => name)).toEqual(['Project A', 'Project B']);
	});

	it('is an error where several have it, which names them', async () => {
		const first = await service.addContainer({ name: 'Project A', rules: project });
		const second = await service.addContainer({ name: 'project a', rules: project });

		const { error } = await sync(['b@x.example'], { nameContains: 'Project A' });

		expect(error?.message).toContain('2 containers have the name "Project A"');
		for (const id of [first, second]) expect(error?.description).toContain(id);
		expect(sent('PATCH')).toEqual([]);
	});
});

describe('the bound of removals', () => {
	const four = ['a@x.example', 'b@x.example', 'c@x.example', 'd@x.example'];

	it('protects a container, and not the others', async () => {
		await hold({ c1: to('c@x.example', 'a@x.example'), c2: to(...four) });

		const { error } = await sync(['c@x.example'], {}, { maxRemovals: 74 });

		expect(error?.message).toContain('More than 74% of the recipients of "c2" (');
		expect(error?.description).toContain('raise "Max Removals (%)"');
		expect(sent('PATCH')).toEqual(['c1']);
	});

	it('protects the container that is chosen alone', async () => {
		const { c1 } = await hold({ c1: to(...four) });

		const { error } = await sync(
			['b@x.example'],
			{ ...byId(c1), containers: 'one' },
			{ maxRemovals: 74 },
		);

		expect(error?.message).toContain('More than 74% of the recipients');
		expect(sent('PATCH')).toEqual([]);
	});

	it.each([
		['can be reached', 75, four],
		['always allows two', undefined, four.slice(0, 3)],
	])('%s', async (_what, maxRemovals, before) => {
		const { c1 } = await hold({ c1: to(...before) });

		await outputOf(sync(['a@x.example'], {}, { maxRemovals }));

		expect(await service.getRules(c1)).toMatchObject({ recipients: ['a@x.example'] });
	});

	it('shows in a dry run, which changes nothing', async () => {
		await hold({ c1: to(...four), c2: to('b@x.example') });

		const result = await sync(['b@x.example'], { dryRun: true }, { maxRemovals: 0 });

		expect(outputs(result).map(({ action, reason }) => [action, reason])).toEqual([
			['updated', 'Would have added 0 and removed 3 recipients.'],
			['unchanged', 'Would have changed no recipients.'],
		]);
		expect(sent('PATCH')).toEqual([]);
		expect(JSON.stringify(result.run.hints)).toMatch(/would fail: More than 0% of the recipients/);
	});
});

it('it needs all items, but for a dry run', async () => {
	const once = { executeOnce: true };
	const { error } = await sync(['b@x.example'], {}, {}, once);

	expect(error?.message).toMatch(/^Sync Recipients needs .*"Execute Once" is on/);
	expect((await sync(['b@x.example'], { dryRun: true }, {}, once)).error).toBeUndefined();
});

it('a wildcard can be typed', async () => {
	const { c1 } = await hold({ c1: to('*@x.example', 'a@y.example') });

	await outputOf(sync([''], { email: '*@x.example' }));

	expect(await service.getRules(c1)).toMatchObject({ recipients: ['*@x.example'] });
});
