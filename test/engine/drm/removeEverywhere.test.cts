import type { IDataObject } from 'n8n-workflow';
import type { RunNodeOptions } from '../../support/engine.cts';
import { mockService } from '../../support/nock.cts';
import { rowsOf } from '../../support/texts.cts';
import { manyContainers, NEVER, outputs, run, to, type Held } from '../support/rules.cts';
import { containersPath as listPath, containerId, outputOf } from '../support/operations.cts';

const service = mockService();
const { hold, sent } = manyContainers(service);

describe('Remove Recipient Everywhere', () => {
	const remove = async (
		parameters: IDataObject = {},
		options: IDataObject = {},
		more: Partial<RunNodeOptions> = {},
	) => await run('removeEverywhere', { email: 'anna@x.example', ...parameters }, options, more);

	/** Who can open a container, and what is done there and why; nothing where she can't. */
	const cases = rowsOf<
		[
			recipients: string[] | null,
			action?: string,
			reason?: string,
			left?: string[],
			more?: IDataObject,
		]
	>(`
		others stay: [[ANNA@X.example, b@y.example], removed, Removed ANNA@X.example., [b@y.example]]
		nobody else: [[anna@x.example], revoked, "Ended access: nobody would be left without anna@x.example.", [anna@x.example]]
		nobody else, skip: [[anna@x.example], skipped, "Changed nothing: nobody would be left without anna@x.example.", [], { ifNobodyIsLeft: skip }]
		a wildcard: [["*@x.example", anna@x.example, b@y.example], skipped, "Changed nothing: *@x.example covers anna@x.example."]
		a wildcard to remove: [["*@x.example", anna@x.example, b@x.example], removed, "Removed *@x.example, anna@x.example.", [b@x.example], { ifWildcardCovers: removeWildcard }]
		only a wildcard to remove: [["*@x.example"], revoked, "Ended access: nobody would be left without *@x.example.", ["*@x.example"], { ifWildcardCovers: removeWildcard }]
		nobody named: [[], skipped, "Changed nothing: it has no recipients."]
		nobody shown: [null, skipped, "Changed nothing: it has no recipients."]
		another person: [[b@y.example]]
	`);

	it.each(cases)('says what it did: %s', async (_what, row) => {
		const [recipients, action, reason, left, parameters] = row;
		const store = hold({ c1: { ...to(), recipients } });

		const result = await remove(parameters);

		expect(result.error).toBeUndefined();
		expect(outputs(result)).toMatchObject(
			action === undefined ? [] : [{ containerId: 'c1', name: 'Name c1', action, reason }],
		);
		const isChanged = action === 'removed' || action === 'revoked';
		expect(sent('PATCH')).toEqual(isChanged ? ['c1'] : []);
		if (isChanged) expect(store.c1).toMatchObject({ recipients: left });
		if (action === 'revoked') expect(store.c1).not.toMatchObject({ time: { end: NEVER } });
	});

	it('leaves fixed rules alone where access is over', async () => {
		hold({ c1: { ...to('anna@x.example'), dynamic: false, time: { end: '2020-01-01' } } });

		expect(await outputOf(remove())).toEqual([]);
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
		expect(text).toMatch(/2 containers failed; the others did not To get an item for each/);
		expect(text).toMatch(/Name c2.*Name c3.* About the first: .*Words of the service/);
		expect(text.match(/Name c3/g)).toHaveLength(1);
	});

	it.each(['continueRegularOutput', 'continueErrorOutput'] as const)(
		'has an item for each that failed: %s',
		async (onError) => {
			hold(mixed());

			const { items, errorItems } = await remove({}, {}, { onError });

			const all = [...items, ...errorItems].map(({ json }) => [json.containerId, json.action]);
			for (const { json } of items) expect(json.reason).not.toContain('[item');
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

	it('counts the recipients of the container itself where its rules show none', async () => {
		const record = { recipients: ['Anna@x.example', 'b@y.example'] };
		const rules = { dynamic: true, time: { end: NEVER } };
		const changes: string[][] = [];
		hold(
			{ c1: rules },
			({ recipients }) => {
				changes.push((record.recipients = recipients as string[]));
				return rules;
			},
			record,
		);

		expect(outputs(await remove())).toMatchObject([
			{ action: 'removed', recipients: ['b@y.example'] },
		]);
		expect(changes).toEqual([['b@y.example']]);
	});

	it('gives back no recipients that only the container itself shows', async () => {
		const rules = { dynamic: true, downloadable: true, time: { end: NEVER } };
		const store = hold({ c1: rules }, undefined, { recipients: ['b@y.example'] });
		const policy = { policy: 'fields', policyFields: { forbidDownload: true }, onViolation: 'fix' };

		expect(outputs(await run('check', policy))).toMatchObject([{ action: 'fixed' }]);
		expect(sent('PATCH')).toEqual(['c1']);
		expect(store.c1).not.toHaveProperty('recipients');
	});

	it.each(['@x.example', 'x.example', 'b@y.example, anna@x.example'])(
		'fails where nobody knows what a recipient stands for: %s',
		async (entry) => {
			hold({ c1: to('anna@x.example', entry) });

			const { error } = await remove();
			expect(error?.message).toMatch(/"recipients" of "Name c1" \(c1\) in a form that the node/);
			expect(error?.description).toMatch('with the operation DRM > Get');
			expect(sent('PATCH')).toEqual([]);
		},
	);

	it('says that no name contains a text', async () => {
		hold({ c1: to('anna@x.example'), c2: to('anna@x.example') });
		const { items, run: ended } = await remove({}, { nameContains: 'typo' });

		expect(items).toEqual([]);
		expect(ended.hints).toMatchObject([
			{ message: 'No container has a name that contains "typo". 2 containers read.' },
		]);
	});

	it.each([404, 410])('passes over what was deleted meanwhile: %s', async (status) => {
		hold({ c1: to('anna@x.example', 'b@y.example'), c2: status });
		const { items, error, run: ended } = await remove();

		expect(error).toBeUndefined();
		expect(items).toHaveLength(1);
		expect(ended.hints).toMatchObject([
			{ message: '2 containers read.' },
			{ message: 'Containers that were deleted meanwhile were passed over.' },
		]);
	});

	it('removes also where access is over, and can be extended', async () => {
		const time = { end: '2020-01-01' };
		const store = hold({
			c1: { ...to('anna@x.example', 'b@y.example'), time },
			c2: { ...to('anna@x.example'), time },
		});

		expect(outputs(await remove())).toMatchObject([
			{ action: 'removed' },
			{ action: 'revoked', reason: expect.stringContaining('access is over') as unknown },
		]);
		expect(store.c1).toMatchObject({ recipients: ['b@y.example'], time });
		expect(sent('PATCH')).toEqual(['c1']);
	});

	it('refuses a name part that an expression left empty', async () => {
		const { error } = await remove({}, { nameContains: '={{ "" }}' });

		expect(error?.message).toMatch(/^"Name Contains" is empty/);
	});

	it('changes nothing in a dry run, which shows fixed rules, too', async () => {
		hold({ ...mixed(), c2: to('*@x.example') });

		const result = await remove({ dryRun: true }, { nameContains: 'name C' });

		expect(outputs(result).map(({ action }) => action)).toEqual([
			'removed',
			'skipped',
			'failed',
			'removed',
		]);
		expect(outputs(result)[0].reason).toBe('Would remove anna@x.example.');
		for (const item of outputs(result)) {
			expect(item).toMatchObject({
				dryRun: true,
				reason: expect.stringMatching(/^Would /) as unknown,
			});
		}
		// Nobody is removed there.
		expect(outputs(result)[2]).not.toHaveProperty('recipients');
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
			const { error } = await remove({ email });
			expect(error?.message).toMatch(/"Email" is/);
			expect(error?.description).toMatch(/Enter (one address|a value)/);
		},
	);
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
