import type { IDataObject } from 'n8n-workflow';
import { mockService } from '../../support/nock.cts';
import { itemsWith, outputOf } from '../support/operations.cts';
import { currentRules, mockRules, output, path, revoke } from '../support/rules.cts';

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
const ended = () => rulesWith({ end: day(-1) });
const methods = () => service.requests.map(({ method }) => method).join(' ');
const show = (rules: IDataObject) => service.get(path).reply(200, rules as object);

/** A test that runs over midnight at UTC-12 would compare two days. */
beforeEach(async () => {
	const left = DAY - ((Date.now() - 12 * HOUR) % DAY);
	if (left < 3_000) await new Promise((resolve) => setTimeout(resolve, left + 100));
});

describe('revoking access', () => {
	it('ends the window on the last day that is over everywhere and keeps every other rule', async () => {
		const store = mockRules(service, currentRules());

		expect(await outputOf(revoke())).toEqual([output(ended())]);

		expect(store.changes).toEqual([{ time: { end: day(-1) } }]);
		// The last moment of the day, where it ends last.
		expect(midnight(day(-1)) + DAY + 12 * HOUR).toBeLessThanOrEqual(Date.now());
	});

	it('sends nothing when access has already ended', async () => {
		for (const dynamic of [true, false]) {
			const rules = { ...rulesWith({ end: day(-1) }), dynamic };
			show(rules);

			expect(await outputOf(revoke())).toEqual([output(rules, false)]);
		}
		expect(methods()).toBe('GET GET');
	});

	it('names what failed', async () => {
		show(currentRules());
		service.patch(path).reply(422, {});

		expect((await revoke()).error?.message).toMatch(
			/did not accept the request to change the rules of the container/,
		);
	});

	it('sends one request for several items of a container, with a result for each', async () => {
		const store = mockRules(service, currentRules(), { reads: 3 });
		const items = itemsWith('c-1', 'c-1', 'c-1');

		expect(await outputOf(revoke({}, { maxConcurrent: 5 }, { items }))).toEqual(
			[true, false, false].map((changed) => output(ended(), changed)),
		);
		expect(store.changes).toHaveLength(1);
	});
});

describe('the new rules', () => {
	it.each([
		['', 204],
		['{"message":"Updated"}', 200],
		[JSON.stringify({ time: { end: day(-1) } }), 200],
	])('are fetched again when the response to the change is %j', async (body, status) => {
		show(currentRules());
		service.patch(path).reply(status, body);
		show({ drm: ended() });

		expect(await outputOf(revoke())).toEqual([output(ended())]);
		expect(methods()).toBe('GET PATCH GET');
	});

	it('can show days as moments in another time zone', async () => {
		const inNewYork = (text: string) => new Date(midnight(text) + 29 * HOUR - 1000).toISOString();
		const shown = (text: string) => rulesWith({ end: inNewYork(text) });
		show(shown('2099-12-31'));
		service.patch(path).reply(200, (_uri, body) => {
			const { time } = body as { time: { end: string } };
			return shown(time.end);
		});

		const [{ changed }] = await outputOf(revoke({}, {}, { timezone: 'UTC' }));

		expect(changed).toBe(true);
		expect(service.requests[1].body).toEqual({ time: { end: day(-2) } });
	});
});
