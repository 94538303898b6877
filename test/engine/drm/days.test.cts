import { byId, dayFromNow, outputOf } from '../support/operations.cts';
import { useRules } from '../support/rules.cts';

// 26 hours apart: there is always another day.
const serviceZone = 'Etc/GMT-14';
const timezone = 'Etc/GMT+12';
const { service, hold, run } = useRules({ TIME_ZONE: serviceZone });

const countMe = () => service.requests.filter(({ path }) => path === '/api/v1/me').length;
const hintsOf = ({ run: { hints = [] } }: Awaited<ReturnType<typeof run>>) =>
	hints.map(({ message }) => message);
const items = [{ json: {} }, { json: {} }, { json: {} }];

/** At any moment, also where a day begins meanwhile. */
function expectDay(end: unknown, before: string, days: number): void {
	expect([before, dayFromNow(days, serviceZone)]).toContain(end);
}

describe('days are those of the service', () => {
	it('where access ends in days from today: its zone is asked for once, and the output says the moment', async () => {
		const { c1 } = await hold({ c1: { time: { end: '2099-12-31' } } });
		const before = dayFromNow(30, serviceZone);

		const result = await run(
			'update',
			{ ...byId(c1), rules: { accessDays: 30 } },
			{},
			{
				...{ timezone, items },
			},
		);

		const { time } = (await service.getRules(c1)) as { time: { end: string } };
		expectDay(time.end, before, 30);
		expect(countMe()).toBe(1);
		expect(hintsOf(result)).toEqual([
			`Access ends at the end of ${time.end} in the time zone of the service (${serviceZone}): ${dayBefore(time.end)} 22:00 in that of the workflow (${timezone}).`,
		]);
	});

	it('where a change leaves no last day, and no hint tells of one', async () => {
		const { c1 } = await hold({ c1: { time: { end: '2099-12-31' } } });
		const rules = { removeRules: ['timeEnd'] };

		const result = await run('update', { ...byId(c1), rules }, {}, { timezone });

		expect([result.error, hintsOf(result)]).toEqual([undefined, []]);
		expect(await service.getRules(c1)).not.toHaveProperty('time');
	});

	it('where today is the last day of a new container, which opens', async () => {
		const before = dayFromNow(0, serviceZone);
		const parameters = {
			...{ resource: 'container', fileSource: 'text', textContent: 'x', textFileName: 'x.txt' },
			...{ name: 'Today', recipients: 'anna@x.example', accessEnds: 'afterDays', accessDays: 0 },
		};

		const result = await run('encode', parameters, { userId: '' }, { timezone });

		const [output] = await outputOf(Promise.resolve(result));
		expectDay((output.settings as { endsOn: string }).endsOn, before, 0);
		expect([countMe(), hintsOf(result)]).toEqual([1, [expect.stringContaining(serviceZone)]]);
	});

	it('where a day is over in the time zone of the service, and nothing is changed', async () => {
		const { c1 } = await hold({ c1: { time: { end: '2099-12-31' } } });
		const timeEnd = dayFromNow(0, timezone);

		const { error } = await run('update', { ...byId(c1), rules: { timeEnd } }, {}, { timezone });

		expect(error?.message).toContain(`"Available Until" (${timeEnd}) is in the past`);
		expect(error?.description).toContain(`in the time zone of the service (${serviceZone})`);
		expect(service.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
			'GET /api/v1/me',
		]);
	});

	it.each([
		['fixes', { onViolation: 'fix' }],
		['reports', { onViolation: 'report' }],
	])('where Check Rules %s what lasts too long', async (_what, parameters) => {
		const { c1 } = await hold({ c1: { recipients: ['a@x.example'], time: { end: '2099-12-31' } } });
		const before = dayFromNow(10, serviceZone);
		const policyFields = { maxAccessDays: 10 };
		const check = { ...byId(c1), containers: 'one', policy: 'fields', policyFields, ...parameters };

		const [{ violations }] = await outputOf(run('check', check, {}, { timezone }));

		expectDay((violations as Array<{ allowed: string }>)[0].allowed, before, 10);
	});

	it('where the guardrail of the credential allows a number of days', async () => {
		const { c1 } = await hold({ c1: { recipients: ['a@x.example'], time: { end: '2099-12-31' } } });
		const credentials = { ...service.credentials, maxAccessDays: '10' };
		const timeEnd = dayFromNow(10, serviceZone);
		const more = { timezone, credentials };

		await outputOf(run('update', { ...byId(c1), rules: { timeEnd } }, {}, more));

		expect(await service.getRules(c1)).toMatchObject({ time: { end: timeEnd } });
	});
});

function dayBefore(day: string): string {
	return new Date(Date.parse(day) - 86_400_000).toISOString().slice(0, 10);
}
