import type { IDataObject } from 'n8n-workflow';
import { mockService } from '../../support/nock.cts';
import { inputItemId, itemsWith, outputOf } from '../support/operations.cts';
import { currentRules, mockRules, output, path, revoke } from '../support/rules.cts';
import { responsesWithoutRecord, type ResponseShape } from '../support/shapes.cts';

const service = mockService();

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** A day at UTC-12, where days end last: day(-1) is the last one that is over everywhere. */
const day = (offset: number) =>
	new Date(Date.now() - 12 * HOUR + offset * DAY).toISOString().slice(0, 10);
const midnight = (text: string) => Date.parse(`${text}T00:00:00Z`);

const others: IDataObject = currentRules();
delete others.time;
const rulesWith = (time?: unknown): IDataObject =>
	(time === undefined ? others : { ...others, time }) as IDataObject;
const ended = () => rulesWith({ start: '2026-01-01', end: day(-1) });
const methods = () => service.requests.map(({ method }) => method).join(' ');
const show = (rules: IDataObject) => service.get(path).reply(200, rules as object);

/** A test that runs over midnight at UTC-12 would compare two days. */
beforeEach(async () => {
	const left = DAY - ((Date.now() - 12 * HOUR) % DAY);
	if (left < 3_000) await new Promise((resolve) => setTimeout(resolve, left + 100));
});

describe('revoking access', () => {
	it.each(['merge', 'replace'] as const)(
		'ends the window on the last day that is over everywhere and keeps every other rule: %s',
		async (keys) => {
			const store = mockRules(service, currentRules(), { keys });

			expect(await outputOf(revoke())).toEqual([output(ended())]);

			expect(store.changes).toEqual([ended()]);
			expect(store.rules).toEqual(ended());
			// The last moment of the day, where it ends last.
			expect(midnight(day(-1)) + DAY + 12 * HOUR).toBeLessThanOrEqual(Date.now());
		},
	);

	it.each<[string, unknown, IDataObject]>([
		['no window', undefined, { end: day(-1) }],
		['an end today', { start: '2026-01-01', end: day(0) }, { start: '2026-01-01', end: day(-1) }],
		['a start in the future', { start: day(30), end: day(60) }, { start: day(-1), end: day(-1) }],
		[
			'times of day',
			{ start: '2026-01-01T08:00:00.000Z', end: '2099-12-31T23:59:59.000Z' },
			{ start: '2026-01-01T08:00:00.000Z', end: day(-1) },
		],
		['an end in slashes that is over', { end: '01/01/2020' }, { end: day(-1) }],
		['an end in words', { end: 'never' }, { end: day(-1) }],
		['a window in words', 'never', { end: day(-1) }],
		[
			'an end over in UTC only',
			{ end: new Date(Date.now() + HOUR).toISOString() },
			{ end: day(-1) },
		],
	])('ends a container with %s', async (what, time, expected) => {
		if (what === 'times of day') service.contract.depart({ drmTimes: 'timestamp' });
		const store = mockRules(service, rulesWith(time), { keys: 'replace' });

		expect(await outputOf(revoke())).toEqual([output(rulesWith(expected))]);

		expect(store.changes).toEqual([rulesWith(expected)]);
	});

	it.each<[string, unknown]>([
		['a day', day(-1)],
		['a timestamp', `${day(-1)}T23:59:59.000Z`],
		['seconds', midnight(day(-1)) / 1000],
	])('sends nothing when access has already ended, in any form: %s', async (_form, end) => {
		for (const dynamic of [true, false]) {
			const rules = { ...rulesWith({ start: '2019-01-01', end }), dynamic };
			show(rules);

			expect(await outputOf(revoke())).toEqual([output(rules, false)]);
		}
		expect(methods()).toBe('GET GET');
	});

	it.each([
		[404, /^The container "c-1" was not found/],
		[422, /did not accept the request to end access to the container/],
	])('names what failed (%i)', async (status, message) => {
		show(currentRules());
		service.patch(path).reply(status, {});

		expect((await revoke()).error?.message).toMatch(message);
	});
});

describe('the new rules', () => {
	it.each([
		['at the top level', (rules: IDataObject) => rules],
		['under drm', (rules: IDataObject) => ({ drm: rules })],
		['in an envelope', (rules: IDataObject) => ({ container: { uuid: 'c', drm: rules } })],
	])('are taken from the response to the change: %s', async (_shape, hold) => {
		show(hold(currentRules()));
		service.patch(path).reply(200, hold(ended()) as object);

		expect(await outputOf(revoke())).toEqual([output(ended())]);
		expect(methods()).toBe('GET PATCH');
	});

	it.each<ResponseShape>([
		responsesWithoutRecord[0],
		{ shape: 'a message', reply: [200, '{"message":"Updated"}'] },
		{ shape: 'only the change', reply: [200, JSON.stringify({ time: { end: day(-1) } })] },
	])('are fetched again when the response to the change is $shape', async ({ reply }) => {
		show(currentRules());
		service.patch(path).reply(...reply);
		show({ drm: ended() });

		expect(await outputOf(revoke())).toEqual([output(ended())]);
		expect(methods()).toBe('GET PATCH GET');
	});

	it.each<[string, (text: string) => unknown]>([
		['a timestamp at the end of the day', (text) => `${text}T23:59:59-05:00`],
		['milliseconds', (text) => midnight(text)],
		['the end of the day in New York, in seconds', (text) => midnight(text) / 1000 + 29 * 3600 - 1],
	])('count as ended in any form of the day: %s', async (_form, format) => {
		const after = rulesWith({ end: format(day(-1)) });
		show(rulesWith({ end: format('2099-12-31') }));
		service.patch(path).reply(200, after as object);

		expect(await outputOf(revoke())).toEqual([output(after)]);
		expect(service.requests[1].body).toEqual(rulesWith({ end: day(-1) }));
	});

	/** The forms of an end that is not over are in the unit tests: each takes ten seconds here. */
	it('are an error when they were fetched for ten seconds and did not change', async () => {
		service.get(path).times(8).reply(200, currentRules());
		service.patch(path).reply(204);

		const { error, items } = await revoke();

		expect(error?.message).toMatch(
			/rules with the end "2099-12-31" instead of rules that end access/,
		);
		expect(items).toEqual([]);
	}, 30_000);
});

describe('many containers', () => {
	it('that are the same are revoked once, with a result for each item', async () => {
		const store = mockRules(service, currentRules(), { reads: 3, changes: 1 });
		const items = itemsWith('c-1', 'c-1', 'c-1');

		expect(await outputOf(revoke({}, { maxConcurrent: 5 }, { items }))).toEqual(
			[true, false, false].map((changed) => output(ended(), changed)),
		);
		expect(store.changes).toHaveLength(1);
	});

	it('are each linked to their item after a failure', async () => {
		for (const id of ['c-1', 'c-3']) {
			service.get(`/containers/${id}/drm`).reply(200, currentRules());
			service.patch(`/containers/${id}/drm`).reply(200, ended() as object);
		}
		service.get('/containers/c-2/drm').reply(200, { ...currentRules(), dynamic: false });

		const { errorItems, next, nextOfErrors } = await revoke(
			{},
			{},
			{
				items: itemsWith('c-1', 'c-2', 'c-3'),
				onError: 'continueErrorOutput',
				next: inputItemId,
			},
		);

		expect(next).toEqual([{ id: 'c-1' }, { id: 'c-3' }]);
		expect(nextOfErrors).toEqual([{ id: 'c-2' }]);
		expect(errorItems[0].json).toMatchObject({
			containerId: 'c-2',
			error: expect.stringContaining("can't change"),
		});
	});
});
