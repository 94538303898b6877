import type { IDataObject } from 'n8n-workflow';
import type { RunNodeOptions } from '../../support/engine.cts';
import { refuse, rewrite } from '../../support/proxy.cts';
import { withoutFilter } from '../support/operations.cts';
import { rowsOf } from '../../support/texts.cts';
import { byId, tries } from '../support/operations.cts';
import { NEVER, outputs, to, useRules } from '../support/rules.cts';

const { service, hold, run, sent, fail } = useRules();

const both = () => to('anna@x.example', 'b@y.example');

describe('Remove Recipient Everywhere', () => {
	const remove = async (
		parameters: IDataObject = {},
		options: IDataObject = {},
		more: Partial<RunNodeOptions> = {},
	) => await run('removeEverywhere', { email: 'anna@x.example', ...parameters }, options, more);

	/** Who can open a container, what is done there and why, and who is left; nothing where she can't. */
	const cases = rowsOf<
		[
			recipients: string[],
			action?: string,
			reason?: string,
			left?: string[],
			parameters?: IDataObject,
		]
	>(`
		others stay: [[ANNA@X.example, b@y.example], removed, Removed ANNA@X.example., [b@y.example]]
		nobody else: [[anna@x.example], revoked, "Ended access: nobody would be left without anna@x.example.", [anna@x.example]]
		nobody else, skip: [[anna@x.example], skipped, "Changed nothing: nobody would be left without anna@x.example.", [], { ifNobodyIsLeft: skip }]
		a wildcard: [["*@x.example", anna@x.example, b@y.example], skipped, "Changed nothing: *@x.example covers anna@x.example."]
		a wildcard to remove: [["*@x.example", anna@x.example, b@x.example], removed, "Removed *@x.example, anna@x.example.", [b@x.example], { ifWildcardCovers: removeWildcard }]
		only a wildcard to remove: [["*@x.example"], revoked, "Ended access: nobody would be left without *@x.example.", ["*@x.example"], { ifWildcardCovers: removeWildcard }]
		nobody named: [[]]
		another person: [[b@y.example]]
	`);

	it.each(cases)('says what it did: %s', async (_what, row) => {
		const [recipients, action, reason, left, parameters] = row;
		const { c1 } = await hold({ c1: to(...recipients) });

		const result = await remove(parameters);

		expect(result.error).toBeUndefined();
		expect(outputs(result)).toMatchObject(
			action === undefined ? [] : [{ containerId: c1, name: 'c1', action, reason }],
		);
		const isChanged = action === 'removed' || action === 'revoked';
		expect(sent('PATCH')).toEqual(isChanged ? ['c1'] : []);
		const rules = await service.getRules(c1);
		if (isChanged) expect(rules).toMatchObject({ recipients: left });
		if (action === 'revoked') expect(rules).not.toMatchObject({ time: { end: NEVER } });
	});

	it('reads only the rules of the containers that the service lists by the address', async () => {
		await hold({ c1: both(), c2: to('b@y.example'), c3: to('*@x.example'), c4: to('c@x.example') });

		const result = await remove({ ifWildcardCovers: 'removeWildcard' });

		expect(outputs(result)).toMatchObject([{ name: 'c1' }, { name: 'c3' }]);
		expect([...new Set(sent('GET'))].sort()).toEqual(['c1', 'c3']);
		expect(result.run.hints).toEqual([
			{ location: 'outputPane', message: 'The service listed 2 containers.' },
		]);
	});

	it('reads the rules of all where the service does not find them by recipient', async () => {
		service.on({ path: /\/me$/, times: Infinity }, withoutFilter);
		await hold({ c1: both(), c2: to('b@y.example'), c3: to() });

		const result = await remove();

		const skipped = { action: 'skipped', reason: 'Changed nothing: it has no recipients.' };
		expect(outputs(result)).toMatchObject([{ name: 'c1' }, { name: 'c3', ...skipped }]);
		expect([...new Set(sent('GET'))].sort()).toEqual(['c1', 'c2', 'c3']);
	});

	it('refuses another recipient in the query', async () => {
		const parameters = [{ name: 'recipient', value: 'b@y.example' }];

		const { error } = await remove({}, { query: { parameters } });

		expect(error?.message).toMatch(/sets the query parameter "recipient" itself/);
		expect(service.requests).toEqual([]);
	});

	const mixed = async () => {
		const fixed = { ...both(), dynamic: false };
		const ids = await hold({ c1: both(), c2: both(), c3: fixed, c4: both() });
		fail(ids.c2, 403);
	};

	it('changes the others when some fail, and then names all that failed', async () => {
		await mixed();

		const { error, items } = await remove({}, { maxConcurrent: 1 });

		expect(items).toEqual([]);
		expect(sent('PATCH').sort()).toEqual(['c1', 'c4']);
		const text = `${error?.message} ${error?.description}`;
		expect(text).toMatch(/2 containers failed; the others did not/);
		expect(text).toMatch(/"c2".*"c3"|"c3".*"c2"/);
		expect(text).toContain('Words of the service');
	});

	it.each(['continueRegularOutput', 'continueErrorOutput'] as const)(
		'has an item for each that failed: %s',
		async (onError) => {
			await mixed();

			const { items, errorItems } = await remove({}, {}, { onError });

			const all = [...items, ...errorItems].map(({ json }) => [json.name, json.action]);
			const expected = ['removed', 'failed', 'failed', 'removed'];
			expect(all.sort()).toEqual(expected.map((action, index) => [`c${index + 1}`, action]));
			expect(errorItems).toHaveLength(onError === 'continueErrorOutput' ? 2 : 0);
		},
	);

	it('changes what failed once more with Retry On Fail, and nothing else', async () => {
		await hold({ c1: both(), c2: both() });
		service.on({ method: 'PATCH' }, async () => ({ status: 422, body: '{}' }));

		const result = await remove({}, {}, tries);

		expect(outputs(result).map(({ action }) => action)).toEqual(['removed', 'removed']);
		expect(sent('PATCH')).toHaveLength(3);
	});

	it('counts the recipients of the container itself where its rules show none', async () => {
		const { c1 } = await hold({ c1: both() });
		const withoutRecipients = rewrite((rules) => ({ ...(rules as object), recipients: undefined }));
		service.on({ path: /\/drm$/, times: Infinity }, withoutRecipients);
		const shown = () =>
			sent('PATCH').length === 0 ? ['Anna@x.example', 'b@y.example'] : ['b@y.example'];
		const record = rewrite((container) => ({ ...(container as object), recipients: shown() }));
		service.on({ path: new RegExp(`${c1}$`), times: Infinity }, record);

		expect(outputs(await remove())).toMatchObject([
			{ action: 'removed', recipients: ['b@y.example'] },
		]);
		expect(await service.getRules(c1)).toMatchObject({ recipients: ['b@y.example'] });

		// They are not missing after a change of another rule, either.
		const policy = { policy: 'fields', policyFields: { maxAccessDays: 5 }, onViolation: 'fix' };
		const checked = await run('check', { containers: 'all', ...policy });
		expect(outputs(checked)).toMatchObject([{ action: 'fixed' }]);
		expect(sent('PATCH')).toHaveLength(2);
	});

	it('tells how many it read, that no name contains a text, and what was deleted meanwhile', async () => {
		const { c2 } = await hold({ c1: both(), c2: both() });

		const typo = await remove({}, { nameContains: 'typo' });
		expect(typo.run.hints).toMatchObject([
			{ message: 'No container has a name that contains "typo".' },
			{ message: 'The service listed 0 containers.' },
		]);

		service.on({ path: /\/containers\?/ }, async (_request, pass) => {
			const list = await pass();
			await service.deleteContainer(c2);
			return list;
		});
		const { items, error, run: ended } = await remove();
		expect(error).toBeUndefined();
		expect(items).toHaveLength(1);
		expect(ended.hints).toMatchObject([
			{ message: 'The service listed 2 containers.' },
			{ message: 'Containers that were deleted meanwhile were passed over.' },
		]);
	});

	it('removes also where access is over, and can be extended, but not where it is fixed or nobody is left', async () => {
		const over = { ...both(), time: { end: '2020-01-01' } };
		const alone = { ...to('anna@x.example'), time: { end: '2020-01-01' } };
		const { c1 } = await hold({ c1: over, c2: { ...over, dynamic: false }, c3: alone });

		expect(outputs(await remove())).toMatchObject([{ containerId: c1, action: 'removed' }]);
		expect(await service.getRules(c1)).toMatchObject({ ...over, recipients: ['b@y.example'] });
	});

	it('changes nothing in a dry run, which shows fixed rules, too', async () => {
		await hold({ c1: both(), c2: to('*@x.example'), c3: { ...both(), dynamic: false }, d: both() });

		const result = await remove({ dryRun: true }, { nameContains: 'C' });

		expect(outputs(result)).toMatchObject(
			['removed', 'skipped', 'failed'].map((action) => ({
				...{ action, dryRun: true, reason: expect.stringMatching(/^Would have /) as string },
			})),
		);
		expect(sent('PATCH')).toEqual([]);
	});

	it('needs the whole list', async () => {
		await hold({ c1: both() });
		service.on(
			{ path: /\/containers\?/ },
			rewrite((containers) => ({ containers, total: 2 })),
		);

		expect((await remove()).error?.message).toMatch(/whole list/);
		expect(sent('GET')).toEqual([]);
	});
});

it.each<[string, IDataObject, IDataObject]>([
	['removeEverywhere', { email: 'anna@x.example' }, { recipients: ['x.example'] }],
	['check', { policy: 'fields', onViolation: 'fix' }, { downloadable: 'perhaps' }],
])('%s changes nothing where it can not read a rule', async (operation, parameters, odd) => {
	await hold({ c1: both() });
	service.on(
		{ path: /\/drm$/ },
		rewrite((rules) => ({ ...(rules as object), ...odd })),
	);

	const { error } = await run(operation, parameters);

	const [rule] = Object.keys(odd);
	expect(error?.message).toMatch(new RegExp(`"${rule}" of "c1" \\(.+\\) in a form that the node`));
	expect(sent('PATCH')).toEqual([]);
});

describe('a change of which the response, or what shows after it, was lost', () => {
	/** The service carries out the first change, and its response does not arrive. */
	const lose = () =>
		service.on({ method: 'PATCH' }, async (_request, pass) => {
			await pass();
			return 'cut';
		});
	const policyFields = { allowedRecipients: '*@y.example' };

	it.each<[string, (id: string) => IDataObject, IDataObject]>([
		['removeEverywhere', () => ({ email: 'anna@x.example' }), { action: 'removed' }],
		[
			'syncRecipients',
			(id) => ({ ...byId(id), containers: 'one', email: 'b@y.example' }),
			{ action: 'updated', removed: ['anna@x.example'] },
		],
		[
			'check',
			() => ({ policy: 'fields', policyFields, onViolation: 'fix' }),
			{ action: 'fixed', compliant: false },
		],
		['revoke', byId, { changed: true }],
		[
			'update',
			(id) => ({ ...byId(id), rules: { removeRecipients: 'anna@x.example' } }),
			{ changed: true },
		],
	])('is what the output of a later try says: %s', async (operation, parametersOf, output) => {
		const { c1 } = await hold({ c1: both() });
		lose();

		const result = await run(operation, parametersOf(c1), { maxRemovals: 100 }, tries);

		expect(outputs(result)).toMatchObject([output]);
		const patches = service.requests.filter(({ method }) => method === 'PATCH');
		const [key, ...others] = new Set(patches.map(({ headers }) => headers['idempotency-key']));
		expect(key).toEqual(expect.any(String));
		expect(others).toEqual([]);
	});

	it('moves no end twice for one item', async () => {
		const { c1 } = await hold({ c1: { ...both(), time: { end: '2090-01-01' } } });
		lose();
		const parameters = { ...byId(c1), rules: { extendByDays: 10 } };
		const more = { ...tries, onError: 'continueRegularOutput' as const };
		const items = [{ json: {} }, { json: {} }];

		const result = await run('update', parameters, { maxConcurrent: 1 }, { ...more, items });

		expect(await service.getRules(c1)).toMatchObject({ time: { end: '2090-01-21' } });
		expect(outputs(result)).toMatchObject([{ changed: true }, { changed: true }]);
	});

	it('moves no end twice where the rules cannot be read after the change', async () => {
		const { c1 } = await hold({ c1: { ...both(), time: { end: '2090-01-01' } } });
		service.on({ method: 'PATCH' }, async (_request, pass) => {
			await pass();
			service.on({ method: 'GET' }, refuse(500));
			return { status: 200, body: '' };
		});

		const result = await run('update', { ...byId(c1), rules: { extendByDays: 10 } }, {}, tries);

		expect(outputs(result)).toMatchObject([{ time: { end: '2090-01-11' } }]);
	});
});
