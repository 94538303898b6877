import type { IDataObject } from 'n8n-workflow';
import type { RunNodeOptions } from '../../support/engine.cts';
import { mockService } from '../../support/nock.cts';
import { rowsOf } from '../../support/texts.cts';
import { newService } from '../support/operations.cts';
import { dayFromNow } from '../support/polling.cts';
import { manyContainers, outputs, run, to } from '../support/rules.cts';

const service = mockService();
const { hold, sent } = manyContainers(service);
const inFiveDays = dayFromNow(5, 'UTC');
const NO_END = 'It has no end: only a longest access says when it has to end.';

/** Violations name the fields as the editor does. */
const LABELS: Record<string, string> = {
	allowedRecipients: 'Allowed Recipients',
	forbidDownload: 'Forbid Download',
	maxAccessDays: 'Longest Access (Days)',
	requireEnd: 'Require End',
};

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

	/** What differs from the rules above, what they break, what of them changes, and what the node says. */
	const cases = rowsOf<[IDataObject, IDataObject, string[], string, string, IDataObject?]>(`
		complies: [{ requireEnd: true }, {}, [], none, "Changed nothing: it keeps to the policy."]
		all allowed: [{ allowedRecipients: "*@x.example, *@y.example" }, {}, [], none, "Changed nothing: it keeps to the policy."]
		recipients: [{ allowedRecipients: "*@x.example" }, {}, [allowedRecipients], fixed, Changed recipients., { recipients: [a@x.example] }]
		nobody left: [{ allowedRecipients: "*@z.example" }, {}, [allowedRecipients], revoked, Ended access., {}]
		an end: [{ maxAccessDays: 5 }, {}, [maxAccessDays], fixed, Changed time., { time: { end: ${inFiveDays} } }]
		no end: [{ maxAccessDays: 5, requireEnd: true }, { time: {} }, [maxAccessDays], fixed, Changed time., { time: { end: ${inFiveDays} } }]
		an end without a start: [{ maxAccessDays: 5 }, { time: { start: null } }, [maxAccessDays], fixed, Changed time., { time: { end: ${inFiveDays} } }]
		a required end: [{ requireEnd: true }, { time: {} }, [requireEnd], none, "Changed nothing. ${NO_END}"]
		download and no end: [{ requireEnd: true, forbidDownload: true }, { time: {} }, [requireEnd, forbidDownload], fixed, "Changed downloadable. ${NO_END}", { downloadable: false }]
		a start on the latest day: [{ maxAccessDays: 5 }, { time: { start: ${inFiveDays}, end: 2099-12-31 } }, [maxAccessDays], fixed, Changed time., { time: { start: ${inFiveDays}, end: ${inFiveDays} } }]
		a start after the latest day: [{ maxAccessDays: 5 }, { time: { start: ${dayFromNow(6, 'UTC')}, end: 2099-12-31 } }, [maxAccessDays], revoked, Ended access., {}]
		two rules: [{ allowedRecipients: "*@x.example", forbidDownload: true }, {}, [allowedRecipients, forbidDownload], fixed, "Changed recipients, downloadable.", { recipients: [a@x.example], downloadable: false }]
		fixed rules: [{ forbidDownload: true }, { dynamic: false }, [forbidDownload], none, 'Changed nothing. The rules of the container can''t change: it was encrypted without "Allow Changes Later". To end access, delete it.']
		over: [{ forbidDownload: true }, { time: { end: 2020-01-01 } }, [], none, "Changed nothing: access is over."]
	`);

	it.each(cases)('mends what it can: %s', async (_what, row) => {
		const [fields, more, broken, action, reason, after] = row;
		service.contract.skipBodies('an empty time is sent back');
		const rules = { ...open, ...more };
		const store = hold({ c1: rules });

		const result = await check(policy(fields), {}, { timezone: 'UTC' });

		const violations = broken.map(
			(rule) => expect.objectContaining({ rule: LABELS[rule] }) as unknown,
		);
		const compliant = broken.length === 0;
		expect(outputs(result)).toEqual([
			{ containerId: 'c1', name: 'Name c1', action, compliant, violations, reason },
		]);
		expect(sent('PATCH')).toEqual(after === undefined ? [] : ['c1']);
		if (action === 'revoked') expect(store.c1).not.toMatchObject({ time: open.time });
		else expect(store.c1).toMatchObject({ ...rules, ...after });
	});

	/** The policy, the rules, and what they break: the rule, what it is, and what it can be. */
	const violations = rowsOf<[IDataObject, IDataObject, Array<[string, unknown, unknown]>]>(`
		nothing that counts: [{ requireEnd: true }, { recipients: [], time: { end: 2099-12-31 } }, []]
		the latest day in New York: [{ maxAccessDays: 5 }, { time: { end: "${dayFromNow(6, 'UTC')}T04:59:59Z" } }, []]
		a day later: [{ maxAccessDays: 5 }, { time: { end: ${dayFromNow(6, 'UTC')} } }, [[maxAccessDays, ${dayFromNow(6, 'UTC')}, ${inFiveDays}]]]
		the latest day: [{ maxAccessDays: 5 }, { time: { end: ${inFiveDays} } }, []]
		no end: [{ maxAccessDays: 5, requireEnd: true }, {}, [[maxAccessDays, null, ${inFiveDays}]]]
		no recipients: [{ allowedRecipients: "*@x.example" }, {}, [[allowedRecipients, [], ["*@x.example"]]]]
	`);

	it.each(violations)(
		'reports what breaks the policy: %s',
		async (_what, [fields, rules, broken]) => {
			hold({ c1: { dynamic: true, ...rules } });

			const result = await check(policy(fields, 'report'), {}, { timezone: 'UTC' });

			const found = broken.map(([rule, actual, allowed]) => ({
				rule: LABELS[rule],
				actual,
				allowed,
			}));
			expect(outputs(result)).toMatchObject([{ compliant: found.length === 0, violations: found }]);
		},
	);

	it('says of a container that failed that it does not comply', async () => {
		const words = { ...open, opens: 7 };
		hold({ c1: 403, c2: open, c3: { ...words, downloadable: false }, c4: words }, (rules) =>
			rules.opens === 7 ? rules : 403,
		);

		const result = await check(
			policy({ forbidDownload: true }),
			{},
			{ onError: 'continueRegularOutput' },
		);

		const violations = [{ rule: LABELS.forbidDownload, actual: true, allowed: false }];
		expect(outputs(result)).toMatchObject([
			{ action: 'failed', compliant: false, violations: [] },
			{ action: 'failed', compliant: false, violations: [] },
			{ action: 'none', compliant: true },
			{ action: 'fixed', compliant: false, violations },
		]);
	});

	it('fails where it can not read what a policy can be about', async () => {
		hold({ c1: { downloadable: 'perhaps', time: { end: '2099-01-01' } } });

		const { error } = await check(policy({ forbidDownload: true }));
		expect(error?.message).toMatch(/"downloadable" of .* in a form that the node can't read/);
	});

	it.each([
		['report', {}, [], 'none', 'Changed nothing.'],
		['revoke', {}, ['c1'], 'revoked', 'Ended access.'],
		['fix', { dryRun: true }, [], 'fixed', 'Would change downloadable.'],
	])('does what it is told: %s %j', async (onViolation, more, changed, action, reason) => {
		hold({ c1: open });

		const result = await check({ ...policy({ forbidDownload: true }, onViolation), ...more });

		expect(outputs(result)).toMatchObject([{ compliant: false, action, reason }]);
		expect(sent('PATCH')).toEqual(changed);
	});

	it('uses the guardrails of the credential, and needs a policy', async () => {
		hold({ c1: open });
		const credentials = { ...newService(), forbidDownload: true } as never;

		expect(outputs(await check({ policy: 'credential' }, {}, { credentials }))).toMatchObject([
			{ violations: [{ rule: LABELS.forbidDownload, actual: true, allowed: false }] },
		]);
		expect((await check({ policy: 'credential' })).error?.message).toMatch(/policy has no rule/);
		expect((await check(policy({}))).error?.message).toMatch(/policy has no rule/);
		const refusals = await Promise.all(
			[{ allowedRecipients: '' }, { maxAccessDays: -1 }, { requireEnd: 'soon' }].map(
				async (fields) => (await check(policy(fields))).error?.message,
			),
		);
		expect(refusals).toEqual([
			'"Allowed Recipients (Policy Fields)" is empty [item 0]',
			expect.stringMatching(/^"Longest Access \(Days\) \(Policy Fields\)" must be/),
			expect.stringMatching(/^"Require End" must be true or false/),
		]);
	});
});
