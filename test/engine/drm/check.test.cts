import type { IDataObject } from 'n8n-workflow';
import type { RunNodeOptions } from '../../support/engine.cts';
import { NOON_ZONE } from '../../support/noon.cts';
import { rowsOf } from '../../support/texts.cts';
import { dayFromNow, tries } from '../support/operations.cts';
import { outputs, to, useRules } from '../support/rules.cts';

const { service, hold, run, sent, fail } = useRules({ TIME_ZONE: NOON_ZONE });

const inDays = (days: number) => dayFromNow(days, NOON_ZONE);
const NO_END = 'It has no end: only a longest access says when it has to end.';

/** Violations name the fields as the editor does. */
const LABELS: Record<string, string> = {
	allowedRecipients: 'Allowed Recipients',
	forbidDownload: 'Forbid Download',
	maxAccessDays: 'Longest Access (Days)',
	requireEnd: 'Require End',
};

const check = async (
	parameters: IDataObject,
	options: IDataObject = {},
	more: Partial<RunNodeOptions> = {},
) => await run('check', { containers: 'all', ...parameters }, options, more);
const policy = (policyFields: IDataObject, onViolation = 'fix') => ({
	...{ policy: 'fields', policyFields, onViolation },
});
const open = { ...to('a@x.example', 'b@y.example'), downloadable: true };

/** What differs from the rules above, what they break, what becomes of them, and what the node says. */
const cases = rowsOf<[IDataObject, IDataObject, string[], string, string, IDataObject?]>(`
	complies: [{ requireEnd: true, allowedRecipients: "*@x.example, *@y.example" }, {}, [], none, "Changed nothing: it keeps to the policy."]
	nobody left: [{ allowedRecipients: "*@z.example" }, {}, [allowedRecipients], revoked, Ended access., {}]
	an end: [{ maxAccessDays: 5 }, {}, [maxAccessDays], fixed, Changed time., { time: { end: ${inDays(5)} } }]
	no end: [{ maxAccessDays: 5, requireEnd: true }, { time: }, [maxAccessDays], fixed, Changed time., { time: { end: ${inDays(5)} } }]
	a required end: [{ requireEnd: true }, { time: }, [requireEnd], none, "Changed nothing. ${NO_END}"]
	download and no end: [{ requireEnd: true, forbidDownload: true }, { time: }, [requireEnd, forbidDownload], fixed, "Changed downloadable. ${NO_END}", { downloadable: false }]
	a start on the latest day: [{ maxAccessDays: 5 }, { time: { start: ${inDays(5)}, end: 2099-12-31 } }, [maxAccessDays], fixed, Changed time., { time: { start: ${inDays(5)}, end: ${inDays(5)} } }]
	a start after the latest day: [{ maxAccessDays: 5 }, { time: { start: ${inDays(6)}, end: 2099-12-31 } }, [maxAccessDays], revoked, Ended access., {}]
	two rules: [{ allowedRecipients: "*@x.example", forbidDownload: true }, {}, [allowedRecipients, forbidDownload], fixed, "Changed recipients, downloadable.", { recipients: [a@x.example], downloadable: false }]
	fixed rules: [{ forbidDownload: true }, { dynamic: false }, [forbidDownload], none, 'Changed nothing: it was encrypted without "Allow Changes Later". To end access, delete it.']
	over: [{ forbidDownload: true }, { time: { end: 2020-01-01 } }, [], none, "Changed nothing: access is over."]
`);

it.each(cases)('it mends what it can: %s', async (_what, row) => {
	const [fields, more, broken, action, reason, after] = row;
	const { time = undefined, ...rules } = { ...open, ...more };
	const { c1 } = await hold({ c1: { ...rules, ...(time ? { time } : {}) } });
	const before = await service.getRules(c1);

	const result = await check(policy(fields));

	const violations = broken.map(
		(rule) => expect.objectContaining({ rule: LABELS[rule] }) as unknown,
	);
	const link = expect.stringMatching(`/c/${c1}$`) as unknown;
	const compliant = broken.length === 0;
	expect(outputs(result)).toEqual([
		{ containerId: c1, name: 'c1', link, action, compliant, violations, reason },
	]);
	expect(sent('PATCH')).toEqual(after === undefined ? [] : ['c1']);
	const now = await service.getRules(c1);
	if (action === 'revoked') expect(now).not.toMatchObject({ time: open.time });
	else expect(now).toEqual({ ...before, ...after });
});

/** The policy, the rules, and what they break: the rule, what it is, and what it can be. */
const violations = rowsOf<[IDataObject, IDataObject, Array<[string, unknown, unknown]>]>(`
	a day too late: [{ maxAccessDays: 5 }, { time: { end: ${inDays(6)} } }, [[maxAccessDays, ${inDays(6)}, ${inDays(5)}]]]
	the latest day: [{ maxAccessDays: 5 }, { time: { end: ${inDays(5)} } }, []]
	no recipients, so only the owner: [{ allowedRecipients: "*@x.example" }, {}, []]
	download that is not set: [{ forbidDownload: true }, {}, [[forbidDownload, null, false]]]
`);

it.each(violations)('it reports what breaks the policy: %s', async (_what, row) => {
	const [fields, rules, broken] = row;
	await hold({ c1: rules });

	const result = await check(policy(fields, 'report'));

	const found = broken.map(([rule, actual, allowed]) => ({ rule: LABELS[rule], actual, allowed }));
	expect(outputs(result)).toMatchObject([{ compliant: found.length === 0, violations: found }]);
	expect(sent('PATCH')).toEqual([]);
});

it.each([
	['revoke', {}, ['c1'], 'revoked', 'Ended access.'],
	['fix', { dryRun: true }, [], 'fixed', 'Would have changed downloadable.'],
])('it does what it is told: %s %j', async (onViolation, more, changed, action, reason) => {
	await hold({ c1: open });

	const result = await check({ ...policy({ forbidDownload: true }, onViolation), ...more });

	expect(outputs(result)).toMatchObject([{ compliant: false, action, reason }]);
	expect(sent('PATCH')).toEqual(changed);
});

it('a container that failed does not comply, and the others are fixed', async () => {
	const { c1, c2 } = await hold({ c1: open, c2: open, c3: open });
	fail(c1, 403);
	fail(c2, 403, 'PATCH');

	const more = { onError: 'continueRegularOutput' } as const;
	const result = await check(policy({ forbidDownload: true }), {}, more);

	expect(outputs(result)).toMatchObject([
		{ action: 'failed', compliant: false, violations: [] },
		{ action: 'failed', compliant: false, violations: [] },
		{ action: 'fixed', compliant: false, violations: [{ rule: LABELS.forbidDownload }] },
	]);
});

it('it uses the guardrails of the credential, and needs a policy', async () => {
	await hold({ c1: open });
	const credentials = { ...service.credentials, forbidDownload: true } as never;

	expect(outputs(await check({ policy: 'credential' }, {}, { credentials }))).toMatchObject([
		{ violations: [{ rule: LABELS.forbidDownload, actual: true, allowed: false }] },
	]);
	for (const [parameters, message] of [
		[{ policy: 'credential' }, /policy has no rule/],
		[policy({}), /policy has no rule/],
		[policy({ allowedRecipients: '' }), /^"Allowed Recipients \(Policy Fields\)" is empty/],
		[policy({ maxAccessDays: -1 }), /^"Longest Access \(Days\) \(Policy Fields\)" must be/],
	] as const) {
		expect((await check(parameters)).error?.message).toMatch(message);
	}
});

describe('the bound of ended access', () => {
	const typo = policy({ allowedRecipients: '*@exmaple.com' });
	const names = ['c1', 'c2', 'c3', 'c4', 'c5'];
	const holdAll = async () =>
		await hold(Object.fromEntries(names.map((name) => [name, to('a@example.com')])));

	it.each(['fix', 'revoke'])(
		'changes nothing where %s would end access to too many',
		async (way) => {
			await holdAll();

			const { error } = await check({ ...typo, onViolation: way });

			expect(error?.message).toBe('Access to 5 of 5 containers would end, more than 20% [item 0]');
			expect(error?.description).toContain('raise "Max Ended (%)"');
			expect(sent('PATCH')).toEqual([]);
		},
	);

	it('does not count containers to which access is over', async () => {
		await holdAll();
		const over = { ...to('a@example.com'), time: { end: '2020-12-31' } };
		await hold(Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`o${index}`, over])));

		const { error } = await check(typo);

		expect(error?.message).toMatch(/^Access to 5 of 5 containers would end/);
		expect(sent('PATCH')).toEqual([]);
	});

	it('returns one error item for all, where the node continues on errors', async () => {
		await holdAll();

		const result = await check(typo, {}, { onError: 'continueRegularOutput' });

		expect(result.items.map(({ json }) => json.error)).toEqual([
			expect.stringContaining('Access to 5 of 5 containers would end'),
		]);
		expect(sent('PATCH')).toEqual([]);
	});

	it('shows in a dry run, which reads the rules once', async () => {
		await holdAll();

		const result = await check({ ...typo, dryRun: true });

		expect(outputs(result).map(({ action }) => action)).toEqual(names.map(() => 'revoked'));
		expect(JSON.stringify(result.run.hints)).toMatch(/would fail: Access to 5 of 5/);
		expect([sent('GET').sort(), sent('PATCH')]).toEqual([names, []]);
	});

	it('always allows two, and reads again only what changes', async () => {
		const kept = { c3: to('a@exmaple.com'), c4: to('a@exmaple.com') };
		await hold({ c1: to('a@example.com'), c2: to('a@example.com'), ...kept });

		const result = await check(typo);

		expect(outputs(result).map(({ action }) => action)).toEqual([
			...['revoked', 'revoked', 'none', 'none'],
		]);
		expect(sent('GET').sort()).toEqual(['c1', 'c1', 'c2', 'c2', 'c3', 'c4']);
	});

	it('is checked before a later try sends a change again, which its output has', async () => {
		await hold({ c1: to('a@example.com'), c2: to('a@exmaple.com') });
		service.on({ method: 'PATCH' }, async (_request, pass) => {
			await pass();
			return 'cut';
		});

		const result = await check(typo, {}, tries);

		expect(outputs(result).map(({ action }) => action)).toEqual(['revoked', 'none']);
		const requests = service.requests.filter(({ path }) => path.endsWith('/drm'));
		const firstTry = ['GET', 'GET', 'GET', 'PATCH'];
		expect(requests.map(({ method }) => method)).toEqual([...firstTry, 'GET', 'GET', 'PATCH']);
	});

	it('can be raised', async () => {
		await holdAll();

		const result = await check(typo, { maxEnded: 100 });

		expect(outputs(result).map(({ action }) => action)).toEqual(names.map(() => 'revoked'));
	});
});
