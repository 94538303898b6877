import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { runNode, type RunNodeOptions } from '../../support/engine.cts';
import { mockService } from '../../support/nock.cts';
import { runAgent } from '../support/agent.cts';
import { containerId, newService, userId } from '../support/operations.cts';

const service = mockService();
const listPath = `/users/${userId}/containers`;
const NEVER = '2099-12-31';
const dayIn = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);

type Held = IDataObject | number;

/** A service with containers: their rules, or the status of the request for them. A list reads as many times as it must. */
function hold(containers: Record<string, Held>, onPatch: (rules: IDataObject) => Held = (r) => r) {
	const ids = Object.keys(containers);
	const store = { ...containers };
	const answer = (held: Held): [number, IDataObject] =>
		typeof held === 'number' ? [held, { message: 'Words of the service' }] : [200, { drm: held }];
	service
		.get(listPath)
		.times(9)
		.optionally()
		.reply(
			200,
			ids.map((id) => ({ uuid: id, name: `Name ${id}` })),
		);
	for (const id of ids) {
		const path = `/containers/${id}/drm`;
		service
			.get(path)
			.times(20)
			.optionally()
			.reply(() => answer(store[id]));
		service
			.patch(path)
			.times(9)
			.optionally()
			.reply((_uri, body) => {
				const after = onPatch(body as IDataObject);
				if (typeof after !== 'number') store[id] = after;
				return answer(after);
			});
	}
	return store;
}

const sent = (method: string) =>
	service.requests
		.filter((request) => request.method === method)
		.map(({ path }) => path.replace(/^.*\/containers\/?|\/drm$/g, ''));

const run = async (
	operation: string,
	parameters: IDataObject,
	options: IDataObject = {},
	more: Partial<RunNodeOptions> = {},
) =>
	await runNode({
		credentials: newService(),
		...more,
		parameters: {
			resource: 'drm',
			operation,
			...parameters,
			options: { userId, maxRetries: 0, ...options },
		} as INodeParameters,
	});
const outputs = ({ items }: Awaited<ReturnType<typeof run>>) => items.map(({ json }) => json);
const to = (...recipients: string[]) => ({ dynamic: true, recipients, time: { end: NEVER } });

describe('Remove Recipient Everywhere', () => {
	const remove = async (
		parameters: IDataObject = {},
		options: IDataObject = {},
		more: Partial<RunNodeOptions> = {},
	) => await run('removeEverywhere', { email: 'anna@x.example', ...parameters }, options, more);

	it.each<[string, IDataObject, IDataObject, string | undefined, string[] | undefined]>([
		['others stay', {}, to('ANNA@X.example', 'b@y.example'), 'removed', ['b@y.example']],
		['nobody else', {}, to('anna@x.example'), 'revoked', ['anna@x.example']],
		['nobody else, skip', { ifNobodyIsLeft: 'skip' }, to('anna@x.example'), 'skipped', undefined],
		['a wildcard', {}, to('*@x.example', 'anna@x.example', 'b@y.example'), 'skipped', undefined],
		[
			'a wildcard to remove',
			{ ifWildcardCovers: 'removeWildcard' },
			to('*@x.example', 'anna@x.example', 'bob@x.example'),
			'removed',
			['bob@x.example'],
		],
		[
			'only a wildcard to remove',
			{ ifWildcardCovers: 'removeWildcard' },
			to('*@x.example'),
			'revoked',
			['*@x.example'],
		],
		['nobody named', {}, to(), 'skipped', undefined],
		['another person', {}, to('b@y.example'), undefined, undefined],
		[
			'access that is over',
			{},
			{ ...to('anna@x.example'), time: { end: '2020-01-01' } },
			undefined,
			undefined,
		],
		[
			'fixed rules that are over',
			{},
			{ ...to('anna@x.example'), dynamic: false, time: { end: '2020-01-01' } },
			undefined,
			undefined,
		],
	])('says what it did: %s', async (_what, parameters, rules, action, left) => {
		const store = hold({ c1: rules });

		const result = await remove(parameters);

		expect(result.error).toBeUndefined();
		expect(outputs(result)).toMatchObject(
			action === undefined
				? []
				: [{ containerId: 'c1', name: 'Name c1', action, reason: expect.any(String) as string }],
		);
		const isChanged = action === 'removed' || action === 'revoked';
		expect(sent('PATCH')).toEqual(isChanged ? ['c1'] : []);
		if (isChanged) expect(store.c1).toMatchObject({ recipients: left });
		if (action === 'revoked') expect(store.c1).not.toMatchObject({ time: { end: NEVER } });
	});

	const mixed = () => ({
		c1: to('anna@x.example', 'b@y.example'),
		c2: 403,
		c3: { ...to('anna@x.example', 'b@y.example'), dynamic: false },
		c4: to('anna@x.example', 'b@y.example'),
	});

	it('changes the others when some fail, and then names all that failed', async () => {
		hold(mixed());

		const { error, items } = await remove();

		expect(items).toEqual([]);
		expect(sent('PATCH')).toEqual(['c1', 'c4']);
		const text = `${error?.message} ${error?.description}`;
		expect(text).toMatch(/2 changes failed; all others were made/);
		expect(text).toMatch(/Name c2.*Name c3/);
	});

	it.each(['continueRegularOutput', 'continueErrorOutput'] as const)(
		'has an item for each that failed: %s',
		async (onError) => {
			hold(mixed());

			const { items, errorItems } = await remove({}, {}, { onError });

			const all = [...items, ...errorItems].map(({ json }) => [json.containerId, json.action]);
			expect(all.sort()).toEqual([
				['c1', 'removed'],
				['c2', 'failed'],
				['c3', 'failed'],
				['c4', 'removed'],
			]);
			expect(errorItems).toHaveLength(onError === 'continueErrorOutput' ? 2 : 0);
		},
	);

	it('changes what failed once more with Retry On Fail, and nothing else', async () => {
		let tries = 0;
		hold(
			{ c1: to('anna@x.example', 'b@y.example'), c2: to('anna@x.example', 'b@y.example') },
			(r) => {
				tries += 1;
				return tries === 2 ? 422 : r;
			},
		);

		const result = await remove({}, {}, { retryOnFail: true, maxTries: 2, waitBetweenTries: 0 });

		expect(outputs(result).map(({ action }) => action)).toEqual(['removed', 'removed']);
		expect(sent('PATCH').sort()).toHaveLength(3);
	});

	it('says removed only where the service shows it', async () => {
		hold({ c1: to('anna@x.example', 'b@y.example') }, () => ({
			dynamic: true,
			time: { end: NEVER },
		}));

		expect(outputs(await remove())).toMatchObject([{ action: 'skipped' }]);
	});

	it('fails where nobody knows who the recipients are', async () => {
		hold({ c1: to('b@y.example, anna@x.example'), c2: to('Bob <b@y.example>') });

		expect((await remove()).error?.message).toMatch(/^"Name c1" \(c1\): .*"recipients" with/);
	});

	it.each(['@x.example', 'x.example', 'ann?@x.example', '%@x.example', '/.*@x\\.example/'])(
		'fails where nobody knows what a recipient stands for: %s',
		async (entry) => {
			hold({ c1: to('anna@x.example', entry) });

			expect((await remove()).error?.message).toMatch(/^"Name c1" \(c1\): Nobody can tell who/);
			expect(sent('PATCH')).toEqual([]);
		},
	);

	it('fails where a response shows the recipients twice, and differently', async () => {
		service.get(listPath).reply(200, [{ uuid: 'c1' }]);
		const twice = { rules: to('b@y.example'), drm: to('anna@x.example') };
		service.get('/containers/c1/drm').reply(200, twice);

		expect((await remove()).error?.message).toMatch(/two different "recipients"/);
	});

	it.each([
		['an ID', [{ name: 'Name' }, { uuid: 'c1', name: 'Name' }]],
		['a name', [{ uuid: 'c2' }, { uuid: 'c1', name: 'Name' }]],
	])('refuses a list with a container without %s', async (part, containers) => {
		service.get(listPath).reply(200, { containers });

		const { error } = await remove({}, { nameContains: 'Name' });

		expect(error?.message).toMatch(`a container without ${part}`);
	});

	it('refuses a name part that an expression left empty', async () => {
		const { error } = await remove({}, { nameContains: '={{ "" }}' });

		expect(error?.message).toMatch(/^"Name Contains" is empty/);
	});

	const html = '<html><title>No such page</title></html>';

	it.each([
		['was deleted meanwhile', ['c2'], { message: 'Not found' }, undefined],
		['is not in the list any more, as a proxy says', ['c2'], html, /^"Name c1" \(c1\)/],
		['is still in the list', ['c1', 'c2'], { message: 'Not found' }, /^"Name c1" \(c1\)/],
	])('leaves out only what was deleted: what %s', async (_what, left, body, message) => {
		const list = (...ids: string[]) => ids.map((uuid) => ({ uuid, name: `Name ${uuid}` }));
		service.get(listPath).reply(200, list('c1', 'c2'));
		if (body !== html) service.get(listPath).reply(200, list(...left));
		service.get('/containers/c1/drm').reply(404, body);
		hold({ c2: { ...to('b@y.example'), recipients: [null, '', 'b@y.example'] } });

		const { error } = await remove();

		if (message === undefined) expect(error).toBeUndefined();
		else expect(error?.message).toMatch(message);
	});

	it('changes nothing in a dry run, which shows fixed rules, too', async () => {
		hold({ ...mixed(), c2: to('*@x.example') });

		const result = await remove({}, { dryRun: true, nameContains: 'name C' });

		expect(outputs(result).map(({ action }) => action)).toEqual([
			'removed',
			'skipped',
			'failed',
			'removed',
		]);
		expect(sent('PATCH')).toEqual([]);
	});

	it('needs the whole list', async () => {
		service.get(listPath).reply(200, { containers: [{ uuid: 'c1' }], total: 2 });

		const { error } = await remove();

		expect(error?.message).toMatch(/whole list/);
		expect(service.requests).toHaveLength(1);
	});

	it.each(['={{ "" }}', '*@x.example', 'a@x.example, b@x.example'])(
		'refuses what is not one person: %j',
		async (email) => {
			expect((await remove({ email })).error?.message).toMatch(/^"Email" is/);
		},
	);

	it('is only a dry run for an agent', async () => {
		hold({ c1: to('anna@x.example') });
		const parameters = { resource: 'drm', operation: 'removeEverywhere', email: 'anna@x.example' };

		const { results } = await runAgent({
			parameters: { ...parameters, options: { userId } },
			calls: [{}],
			credentials: newService(),
		});

		expect(results.flat().join()).toMatch(/only list what it would change/);
		expect(service.requests).toEqual([]);
	});
});

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

	it.each<[string, IDataObject, unknown[], IDataObject, string[]]>([
		[
			'grows',
			{},
			['a@x.example', 'b@x.example'],
			{ action: 'updated', added: ['b@x.example'], removed: [], unchanged: 1 },
			['a@x.example', 'b@x.example'],
		],
		[
			'shrinks',
			{},
			['b@x.example'],
			{ action: 'updated', added: ['b@x.example'], removed: ['a@x.example'], unchanged: 0 },
			['b@x.example'],
		],
		[
			'keeps',
			{ keepAddresses: '*@x.example' },
			[['b@y.example']],
			{ action: 'updated', added: ['b@y.example'], removed: [], unchanged: 1 },
			['a@x.example', 'b@y.example'],
		],
		[
			'knows capitals',
			{},
			['A@X.EXAMPLE', 'a@x.example'],
			{ action: 'unchanged', added: [], removed: [], unchanged: 1 },
			['a@x.example'],
		],
	])('%s', async (_what, parameters, emails, output, recipients) => {
		const store = hold({ c1: to('a@x.example') });

		const one = { containers: 'one', containerId: containerId('c1') };
		const result = await sync(group(...emails), { ...one, ...parameters });

		expect(result.error).toBeUndefined();
		expect(outputs(result)).toEqual([{ containerId: 'c1', ...output }]);
		expect(store.c1).toMatchObject({ recipients });
		expect(sent('GET')).toEqual(['c1']);
	});

	it('settles, and reads again only what it changes', async () => {
		hold({ c1: to('a@münchen.de'), c2: to('b@x.example') });
		const items = group('a@xn--mnchen-3ya.de');

		const credentials = newService();
		const first = await sync(items, {}, {}, { credentials });
		expect(outputs(first).map(({ action }) => action)).toEqual(['unchanged', 'updated']);
		expect(sent('GET')).toEqual(['', 'c1', 'c2', 'c2']);

		const second = await sync(items, {}, {}, { credentials });
		expect(outputs(second).map(({ action }) => action)).toEqual(['unchanged', 'unchanged']);
		expect(sent('PATCH')).toEqual(['c2']);
	});

	it.each([
		['bounds', ['a@x.example'], { maxRemovals: 10 }, /More than 10% .* from 1 container/],
		[
			'two forms',
			['a@x.example', 'c@münchen.de', 'c@xn--mnchen-3ya.de'],
			{},
			/are the same address/,
		],
		['nobody', ['a@x.example', ''], {}, /"Email" is empty/],
		['a wildcard of an expression', ['*@x.example'], {}, /An expression in "Email" returned/],
		[
			'a bound of the node',
			['a@y.example'],
			{ allowedRecipients: '*@x.example' },
			/doesn't allow it/,
		],
	])('changes nothing before all is checked: %s', async (_what, emails, options, message) => {
		hold({ c1: to('a@x.example'), c2: to('a@x.example', 'b@x.example') });
		const more = { retryOnFail: true, maxTries: 2, waitBetweenTries: 0 };

		for (const settings of [{}, more]) {
			expect((await sync(group(...emails), {}, options, settings)).error?.message).toMatch(message);
		}
		expect(sent('PATCH')).toEqual([]);
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
		hold({ c1: to('a@x.example'), c2: to('b@x.example') });

		const result = await sync(group('b@x.example'), {}, { dryRun: true, maxRemovals: 0 });
		expect(outputs(result).map(({ action }) => action)).toEqual(['updated', 'unchanged']);
		expect(sent('PATCH')).toEqual([]);

		const { error } = await sync(group('b@x.example'), {}, {}, { executeOnce: true });
		expect(error?.message).toMatch(/"Execute Once" is on/);
	});
});

describe('Check Rules', () => {
	const check = async (
		parameters: IDataObject,
		options: IDataObject = {},
		more: Partial<RunNodeOptions> = {},
	) => await run('check', { containers: 'all', ...parameters }, options, more);
	const policy = (policyFields: IDataObject, onViolation = 'fix') => ({
		policy: 'fields',
		policyFields,
		onViolation,
	});
	const open = { ...to('a@x.example', 'b@y.example'), downloadable: true };

	it.each<[string, IDataObject, IDataObject, string[], string, IDataObject | undefined]>([
		['complies', { requireEnd: true }, open, [], 'none', undefined],
		[
			'recipients',
			{ allowedRecipients: '*@x.example' },
			open,
			['allowedRecipients'],
			'fixed',
			{ recipients: ['a@x.example'] },
		],
		[
			'nobody left',
			{ allowedRecipients: '*@z.example' },
			open,
			['allowedRecipients'],
			'revoked',
			{ recipients: ['a@x.example', 'b@y.example'] },
		],
		['an end', { maxAccessDays: 5 }, open, ['maxAccessDays'], 'fixed', { time: { end: dayIn(5) } }],
		[
			'no end',
			{ maxAccessDays: 5, requireEnd: true },
			{ ...open, time: {} },
			['maxAccessDays', 'requireEnd'],
			'fixed',
			{ time: { end: dayIn(5) } },
		],
		[
			'an end that nobody knows',
			{ requireEnd: true },
			{ ...open, time: {} },
			['requireEnd'],
			'none',
			undefined,
		],
		[
			'download and no end',
			{ requireEnd: true, forbidDownload: true },
			{ ...open, time: {} },
			['requireEnd', 'forbidDownload'],
			'fixed',
			{ downloadable: false },
		],
		[
			'fixed rules',
			{ forbidDownload: true },
			{ ...open, dynamic: false },
			['forbidDownload'],
			'none',
			undefined,
		],
		[
			'over',
			{ forbidDownload: true },
			{ ...open, time: { end: '2020-01-01' } },
			[],
			'none',
			undefined,
		],
	])('mends what it can: %s', async (_what, fields, rules, broken, action, after) => {
		const store = hold({ c1: rules });

		const result = await check(policy(fields), {}, { timezone: 'UTC' });

		const [output] = outputs(result);
		expect(output).toMatchObject({
			containerId: 'c1',
			name: 'Name c1',
			action,
			compliant: broken.length === 0,
		});
		expect((output.violations as IDataObject[]).map(({ rule }) => rule)).toEqual(broken);
		expect(sent('PATCH')).toEqual(after === undefined ? [] : ['c1']);
		expect(store.c1).toMatchObject(after ?? rules);
	});

	it('reads each container once, and changes only those that break the policy', async () => {
		const count = 200;
		const held = Object.fromEntries(
			Array.from({ length: count }, (_, at) => [
				`c${at}`,
				at % 10 === 0 ? open : { ...open, downloadable: false },
			]),
		);
		hold({ ...held, c50: 403 });

		const { error } = await check(policy({ forbidDownload: true }), { maxConcurrent: 5 });

		expect(error?.message).toMatch(/c50/);
		expect(sent('GET')).toHaveLength(1 + count);
		expect(sent('PATCH')).toHaveLength(count / 10 - 1);
	});

	it('says of a container that failed that it does not comply, with what it knows', async () => {
		const words = { ...open, opens: 7 };
		hold({ c1: 403, c2: open, c3: { ...words, downloadable: false }, c4: words }, (rules) =>
			rules.opens === 7 ? rules : 403,
		);

		const result = await check(
			policy({ forbidDownload: true }),
			{},
			{ onError: 'continueRegularOutput' },
		);

		const violations = [{ rule: 'forbidDownload', actual: true, allowed: false }];
		expect(outputs(result)).toMatchObject([
			{ action: 'failed', compliant: false, violations: [] },
			{ action: 'failed', compliant: false, violations },
			{ action: 'none', compliant: true },
			{ action: 'fixed', compliant: false, violations },
		]);
	});

	it('needs to understand only what the policy is about', async () => {
		const strange = {
			recipients: { group: 7 },
			downloadable: 'perhaps',
			time: { end: '2099-01-01' },
		};
		hold({ c1: strange });

		expect(outputs(await check(policy({ requireEnd: true })))).toMatchObject([{ compliant: true }]);
		const { error } = await check(policy({ forbidDownload: true }));
		expect(error?.message).toMatch(/"downloadable" with the value "perhaps"/);
	});

	it.each([
		['report', {}, [], 'none'],
		['revoke', {}, ['c1'], 'revoked'],
		['fix', { dryRun: true }, [], 'fixed'],
	])('does what it is told: %s %j', async (onViolation, options, changed, action) => {
		hold({ c1: open });

		const result = await check(policy({ forbidDownload: true }, onViolation), options);

		expect(outputs(result)).toMatchObject([{ compliant: false, action }]);
		expect(sent('PATCH')).toEqual(changed);
	});

	it('uses the guardrails of the credential, and needs a policy', async () => {
		hold({ c1: open });
		const credentials = { ...newService(), forbidDownload: true } as never;

		expect(outputs(await check({}, {}, { credentials }))).toMatchObject([
			{ violations: [{ rule: 'forbidDownload', actual: true, allowed: false }] },
		]);
		expect((await check({})).error?.message).toMatch(/has no guardrails/);
		expect((await check(policy({}))).error?.message).toMatch(/"Policy Fields" has no rule/);
		expect((await check(policy({ allowedRecipients: '' }))).error?.message).toMatch(/is empty/);
	});
});

describe('a change whose response was lost', () => {
	const again = { retryOnFail: true, maxTries: 2, waitBetweenTries: 0 };
	const one = { containers: 'one', containerId: containerId('c1') };
	/** A service that carries out the first change, and then fails. */
	const lose = (first: IDataObject) => {
		let count = 0;
		const store: Record<string, Held> = hold({ c1: first }, (rules) => {
			count += 1;
			store.c1 = rules;
			return count === 1 ? 504 : rules;
		});
		return store;
	};

	it.each<[string, IDataObject, IDataObject]>([
		['removeEverywhere', { email: 'anna@x.example' }, { action: 'removed' }],
		[
			'syncRecipients',
			{ ...one, email: 'b@y.example' },
			{ action: 'updated', removed: ['anna@x.example'] },
		],
		[
			'check',
			{
				...one,
				policy: 'fields',
				policyFields: { allowedRecipients: '*@y.example' },
				onViolation: 'fix',
			},
			{ action: 'fixed', compliant: false },
		],
		['revoke', { containerId: containerId('c1') }, { changed: true }],
		[
			'update',
			{ containerId: containerId('c1'), rules: { removeRecipients: 'anna@x.example' } },
			{ changed: true },
		],
	])('is what the output of a later try says: %s', async (operation, parameters, output) => {
		lose(to('anna@x.example', 'b@y.example'));

		const result = await run(operation, parameters, { maxRemovals: 100 }, again);

		expect(outputs(result)).toMatchObject([output]);
		expect(sent('PATCH')).toEqual(['c1']);
	});

	it('is not undone by a read that lags behind', async () => {
		const credentials = newService();
		const first = to('anna@x.example', 'b@y.example');
		const store = lose(first);
		const update = async (rules: IDataObject) =>
			await run('update', { containerId: containerId('c1'), rules }, {}, { credentials });
		await update({ removeRecipients: 'anna@x.example' });
		const done = store.c1;
		store.c1 = first;
		setTimeout(() => (store.c1 = done), 400);

		await update({ opens: 5 });

		expect(store.c1).toMatchObject({ opens: 5, recipients: ['b@y.example'] });
	});

	it('moves no end twice for one item', async () => {
		const store = lose({ ...to('anna@x.example'), time: { end: '2090-01-01' } });
		const parameters = { containerId: containerId('c1'), rules: { extendByDays: 10 } };

		const more = { ...again, onError: 'continueRegularOutput' as const };
		const items = [{ json: {} }, { json: {} }];
		const result = await run('update', parameters, { maxConcurrent: 1 }, { ...more, items });

		expect(store.c1).toMatchObject({ time: { end: '2090-01-21' } });
		expect(outputs(result)).toMatchObject([{ changed: true }, { changed: true }]);
	});
});
