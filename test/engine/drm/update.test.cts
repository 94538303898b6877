import type { IDataObject } from 'n8n-workflow';
import { getLastDayOverEverywhere } from '../../../nodes/shared/parameters/dates';
import { NOON_ZONE } from '../../support/noon.cts';
import { byId, dayFromNow, expectRefusal, outputOf } from '../support/operations.cts';
import { outputs, useRules } from '../support/rules.cts';

const { service, hold, run, update, sent, changes } = useRules({ TIME_ZONE: NOON_ZONE });

const [anna, bob] = ['anna@x.example', 'bob@x.example'];
const rules = () => ({
	...{ recipients: [anna, bob], downloadable: true, opens: 5, ip: { allow: ['192.0.2.1'] } },
	...{ geo: { allow: [{ country: 'CH' }], block: [{ country: 'KP' }] } },
	time: { start: '2026-01-01', end: '2099-12-31' },
});
const inJson = (rulesJson: unknown) => ({
	specifyRules: 'json',
	rulesJson: typeof rulesJson === 'string' ? rulesJson : JSON.stringify(rulesJson),
});

describe('a change of rules', () => {
	it('sends only what changes, and returns the rules as they are then', async () => {
		const { c1 } = await hold({ c1: rules() });
		const fields = { opens: 1, geoAllow: ['DE'], addRecipients: 'carl@x.example, ANNA@x.example' };

		const output = await outputOf(update(c1, { ...fields, removeRecipients: bob }));

		const changed = {
			...{ opens: 1, recipients: [anna, 'carl@x.example'] },
			geo: { allow: [{ country: 'DE' }], block: [{ country: 'KP' }] },
		};
		expect(changes()).toEqual([changed]);
		expect(await service.getRules(c1)).toEqual({ dynamic: true, ...rules(), ...changed });
		const link = expect.stringMatching(`/c/${c1}$`) as unknown;
		const shown = await service.getRules(c1);
		expect(output).toEqual([{ containerId: c1, link, changed: true, ...shown }]);
	});

	it('takes limits away, moves the end, and ends access', async () => {
		const { c1 } = await hold({ c1: rules() });

		await outputOf(update(c1, { removeRules: ['opens', 'ip', 'geo'], extendByDays: 1 }));
		await outputOf(update(c1, { timeStart: '2099-01-01' }));

		const time = { start: '2099-01-01', end: '2100-01-01' };
		const left = { dynamic: true, recipients: [anna, bob], downloadable: true, time };
		expect(await service.getRules(c1)).toEqual(left);
		expect(await outputOf(run('revoke', byId(c1)))).toMatchObject([{ changed: true }]);
		expect(await service.getRules(c1)).toMatchObject({ time: { end: getLastDayOverEverywhere() } });
	});

	it('says that a revocation takes a future start along', async () => {
		const { c1 } = await hold({
			c1: { ...rules(), time: { start: '2099-01-01', end: '2099-12-31' } },
		});

		const result = await run('revoke', byId(c1));

		expect(result.run.hints).toMatchObject([
			{ message: expect.stringContaining('first day of access (2099-01-01) was removed') },
		]);
		expect(await service.getRules(c1)).toMatchObject({ time: { end: getLastDayOverEverywhere() } });
	});

	it('gives no access back with an extension, unless it is wanted even if access is over', async () => {
		const { c1 } = await hold({ c1: rules() });
		await outputOf(run('revoke', byId(c1)));
		const end = getLastDayOverEverywhere();
		const extension = { ...byId(c1), rules: { extendByDays: 30 } };
		service.requests.length = 0;

		const { error } = await run('update', extension);

		expect(error?.message).toContain(`Access to the container "${c1}" has been over since the`);
		expect(error?.message).toContain(`end of ${end}`);
		expect(error?.description).toContain('turn on "Extend Even if Access Is Over"');
		expect(sent('PATCH')).toEqual([]);
		expect(await service.getRules(c1)).toMatchObject({ time: { end } });

		await outputOf(run('update', extension, { evenIfOver: true }));
		expect(await service.getRules(c1)).toMatchObject({ time: { end: dayFromNow(30, NOON_ZONE) } });
	});

	it.each([
		['the same values', { rules: { opens: 5, ipAllow: '192.0.2.1', timeEnd: '2099-12-31' } }],
		['the same in JSON', inJson({ opens: 5, downloadable: true })],
		['somebody who is not there', { rules: { removeRecipients: 'zoe@x.example' } }],
	])('sends nothing for %s', async (_what, parameters) => {
		const { c1 } = await hold({ c1: rules() });

		const output = await outputOf(run('update', { ...byId(c1), ...parameters }));

		expect(output).toMatchObject([{ containerId: c1, changed: false, opens: 5 }]);
		expect(sent('PATCH')).toEqual([]);
	});

	it('loses nothing, and undoes no revocation, where many executions change rules at once', async () => {
		const { c1 } = await hold({ c1: rules() });
		const added = Array.from({ length: 20 }, (_value, index) => `p${index}@x.example`);

		const results = await Promise.all([
			...added.map(async (address) => await update(c1, { addRecipients: address })),
			run('revoke', byId(c1)),
		]);

		expect(results.map(({ error }) => error?.message).filter(Boolean)).toEqual([]);
		const { recipients, time } = await service.getRules(c1);
		expect([...(recipients as string[])].sort()).toEqual([anna, bob, ...added].sort());
		expect(time).toEqual({ end: getLastDayOverEverywhere() });
	});

	it('loses no change that is made in the portal meanwhile', async () => {
		const { c1 } = await hold({ c1: rules() });
		service.on({ method: 'PATCH' }, async (_request, pass) => {
			await service.setRules(c1, { recipients: [anna, bob, 'new@x.example'] });
			return await pass();
		});

		await outputOf(update(c1, { removeRecipients: bob }));

		expect(await service.getRules(c1)).toMatchObject({ recipients: [anna, 'new@x.example'] });
	});
});

describe('what is entered', () => {
	/** What a field accepts is in the unit tests; those of rules in JSON are beside those of the change. */
	it.each<[string, IDataObject]>([
		['"Rules to Change" is empty', { rules: {} }],
		['"Recipients: Add" is empty', { rules: { opens: 3, addRecipients: '={{ $json.missing }}' } }],
		['"Recipients: Remove" is empty', { rules: { opens: 3, removeRecipients: '={{ [] }}' } }],
		[
			'"B@x.example" is in "Recipients: Add" and in "Recipients: Remove"',
			{ rules: { addRecipients: 'a@x.example, B@x.example', removeRecipients: 'b@X.example' } },
		],
		// n8n hides the field.
		['"Rules (JSON)" is empty', { ...inJson({ opens: 5 }), specifyRules: 'Using JSON' }],
	])('is refused before anything is sent: %s', async (message, parameters) => {
		await expectRefusal(service, run('update', { ...byId('c-1'), ...parameters }), message);
	});
});

describe('a recipient from an expression', () => {
	const to = ['me@x.example', '*@evil.example'];
	const items = [{ json: { to: to.join(', '), me: to[0] } }];
	const ofExpression = '={{ $json.to }}';

	it.each<[RegExp, IDataObject, IDataObject]>([
		[/"Recipients: Add" returned "\*@evil/, { rules: { addRecipients: ofExpression } }, {}],
		[
			/"Recipients: Replace All" returned/,
			{ rules: { recipients: '=*@x.example, {{ $json.to }}' } },
			{},
		],
		[/"Rules \(JSON\)" returned/, inJson('={{ { recipients: $json.to.split(", ") } }}'), {}],
		[
			/in the node doesn't allow "\*@evil\.example"/,
			{ rules: { addRecipients: ofExpression } },
			{ allowedRecipients: '*@x.example', allowWildcards: true },
		],
	])('is refused before anything is sent: %s', async (message, parameters, options) => {
		const running = run('update', { ...byId('c-1'), ...parameters }, options, { items });
		await expectRefusal(service, running, message);
	});

	it.each<[IDataObject, IDataObject, string[]]>([
		[{ recipients: '=*@x.example, {{ $json.me }}' }, {}, ['*@x.example', 'me@x.example']],
		[{ recipients: ofExpression }, { allowWildcards: true }, to],
	])('is sent where it is allowed: %j with %j', async (fields, options, recipients) => {
		const { c1 } = await hold({ c1: rules() });

		const result = await run('update', { ...byId(c1), rules: fields }, options, { items });

		expect(outputs(result)).toMatchObject([{ recipients }]);
	});
});
