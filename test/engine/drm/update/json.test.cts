import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { mockService } from '../../../support/nock.cts';
import { mockRules } from '../../support/mockRules.cts';
import { currentRules, output, path, update } from '../../support/updateRules.cts';

const service = mockService();
const json = (rulesJson: string) => ({ specifyRules: 'json', rulesJson }) as INodeParameters;

describe('a day in JSON from an expression', () => {
	it.each([
		['a DateTime in the zone', 'DateTime.fromISO("2099-12-31T23:59:59")', '2099-12-31'],
		['a Date', 'new Date("2099-12-31T20:00:00Z")', '2099-12-31T20:00:00.000Z'],
		['a timestamp', '"2099-12-31T00:00:00.000Z"', '2099-12-31T00:00:00.000Z'],
		['what the editor stores', '"2099-12-31T00:00:00"', '2099-12-31'],
		['no day', 'null', null],
	])('is never shifted: %s', async (_what, end, day) => {
		service.contract.skipBodies('JSON is sent as the user enters it');
		for (const timezone of ['America/New_York', 'Asia/Tokyo']) {
			const store = mockRules(service, path, currentRules(), { reads: 0, changes: 1 });

			const { error } = await update(
				json(`={{ { opens: 2, time: { end: ${end} } } }}`),
				{ keepOtherRules: false },
				{ timezone },
			);

			expect(error).toBeUndefined();
			expect(store.changes).toEqual([{ opens: 2, time: { end: day } }]);
		}
	});

	it.each([
		['an invalid DateTime', 'DateTime.fromISO("never")'],
		['an invalid Date', 'new Date("never")'],
		['an object', '{ year: 2026 }'],
	])('is rejected before anything is sent: %s', async (_what, end) => {
		const { error } = await update(json(`={{ { time: { end: ${end} } } }}`));

		expect(error?.message).toMatch(/"Rules \(JSON\): time\.end" is not a date \[item 0\]/);
		expect(service.requests).toEqual([]);
	});
});

it('the output of DRM > Get can be sent back in JSON, as it came', async () => {
	service.contract.depart({ drmTimes: 'timestamp' });
	const time = { start: '2026-01-01T00:00:00.000Z', end: '2099-12-31T00:00:00.000Z' };
	const before = { ...currentRules(), time };
	const store = mockRules(service, path, before, { reads: 1, changes: 1 });
	const got: IDataObject = output({ ...before, opens: 1 });

	const { error, items } = await update(
		json('={{ $json.got }}'),
		{},
		{ timezone: 'America/New_York', items: [{ json: { id: 'c-1', got } }] },
	);

	expect(error).toBeUndefined();
	expect(store.changes).toEqual([{ ...before, opens: 1 }]);
	expect(items.map(({ json: shown }) => shown)).toEqual([output({ ...before, opens: 1 })]);
});
