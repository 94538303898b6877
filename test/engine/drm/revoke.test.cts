import type { IDataObject } from 'n8n-workflow';
import { mockService } from '../../support/nock.cts';
import {
	describeOperationContract,
	rejectedContainers,
	unusualContainers,
} from '../support/operationContract.cts';
import { inputItemId } from '../support/parameters.cts';
import { mockRules } from '../support/mockRules.cts';
import { base, revoke } from '../support/revoke.cts';
import {
	responsesWithoutRecord,
	headersOf,
	invalidRecords,
	unusableResponses,
} from '../support/shapes.cts';

const service = mockService();

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** A day at UTC-12, where days end last: day(-1) is the last one that is over everywhere. */
const day = (offset: number) =>
	new Date(Date.now() - 12 * HOUR + offset * DAY).toISOString().slice(0, 10);

const path = '/containers/c-1/drm';
const currentRules = () => ({
	dynamic: true,
	geo: { allow: [{ country: 'CH' }] },
	ip: { block: ['192.0.2.1'] },
	opens: 5,
	time: { start: '2026-01-01', end: '2099-12-31' },
	downloadable: true,
	recipients: ['anna@example.com', 'bob@example.com'],
});
const ended = () => ({ ...currentRules(), time: { start: '2026-01-01', end: day(-1) } });

const output = (rules: IDataObject, changed = true) => ({ containerId: 'c-1', changed, ...rules });

/** A test that runs over midnight at UTC-12 would compare two days. */
beforeEach(async () => {
	const left = DAY - ((Date.now() - 12 * HOUR) % DAY);
	if (left < 3_000) await new Promise((resolve) => setTimeout(resolve, left + 100));
});

describeOperationContract(service, {
	parameters: base,
	ids: ['c-1', 'c-2', 'c-3'],
	method: 'PATCH',
	path: (id) => `/containers/${id}/drm`,
	expectBefore: (mocked, id, run) => {
		const current = { ...currentRules(), opens: 5 + run };
		mocked.scope().get(`/containers/${id}/drm`).reply(200, current);
	},
	response: ended(),
	output: (id) => ({ containerId: id, changed: true, ...ended() }),
	errorFields: (id) => ({ containerId: id }),
	rejected: rejectedContainers,
});

describe('revoking access', () => {
	it.each(['merge', 'replace'] as const)(
		'ends the window on the last day that is over everywhere and keeps every other rule: %s',
		async (keys) => {
			const store = mockRules(service, path, currentRules(), { reads: 1, changes: 1, keys });

			const { items } = await revoke();

			expect(store.changes).toEqual([ended()]);
			expect(store.rules).toEqual(ended());
			expect(items.map(({ json }) => json)).toEqual([output(ended())]);
		},
	);

	it.each(['Etc/GMT+12', 'Etc/GMT-14'])('uses the same day in %s, too', async (timezone) => {
		const store = mockRules(service, path, currentRules(), { reads: 1, changes: 1 });

		await revoke({}, { timezone });

		expect(store.rules.time).toEqual({ start: '2026-01-01', end: day(-1) });
	});

	it.each<[string, IDataObject | undefined, IDataObject]>([
		['no window', undefined, { end: day(-1) }],
		['a window without days', {}, { end: day(-1) }],
		['days that are not set', { start: null, end: null }, { end: day(-1) }],
		['only an end', { end: '2099-12-31' }, { end: day(-1) }],
		['an end today', { start: '2026-01-01', end: day(0) }, { start: '2026-01-01', end: day(-1) }],
		['a start yesterday', { start: day(-1) }, { start: day(-1), end: day(-1) }],
		['a start today', { start: day(0), end: '2099-12-31' }, { start: day(-1), end: day(-1) }],
		['a start in the future', { start: day(30), end: day(60) }, { start: day(-1), end: day(-1) }],
		[
			'times of day',
			{ start: '2026-01-01T08:00:00.000Z', end: '2099-12-31T23:59:59.000Z' },
			{ start: '2026-01-01T08:00:00.000Z', end: day(-1) },
		],
	])('ends a container with %s', async (what, time, expected) => {
		if (what === 'times of day') service.contract.depart({ drmTimes: 'timestamp' });
		const others: IDataObject = currentRules();
		delete others.time;
		const before: IDataObject = time === undefined ? others : { ...others, time };
		const store = mockRules(service, path, before, { reads: 1, changes: 1, keys: 'replace' });

		const { error, items } = await revoke();

		expect(error).toBeUndefined();
		expect(store.rules).toEqual({ ...others, time: expected });
		expect(items[0].json).toEqual(output({ ...others, time: expected }));
	});

	it.each([
		['yesterday', day(-1)],
		['long ago', '2020-01-01'],
		['yesterday, with a time', `${day(-1)}T23:59:59.000Z`],
	])('sends nothing when access has already ended: %s', async (_when, end) => {
		const rules = { ...currentRules(), time: { start: '2019-01-01', end } };
		service.scope().get(path).reply(200, rules);

		const { items, error } = await revoke();

		expect(error).toBeUndefined();
		expect(items.map(({ json }) => json)).toEqual([output(rules, false)]);
	});

	it('succeeds for fixed rules whose window is over', async () => {
		const rules = { dynamic: false, time: { end: '2020-01-01' } };
		service.scope().get(path).reply(200, rules);

		const { items } = await revoke();

		expect(items[0].json).toEqual(output(rules, false));
	});

	it('is rejected for fixed rules, with what to do instead', async () => {
		service
			.scope()
			.get(path)
			.reply(200, { ...currentRules(), dynamic: false });

		const { error } = await revoke();

		expect(error?.message).toMatch(/The rules of the container "c-1" can't change: .* \[item 0\]/);
		expect(error?.description).toMatch(/delete the container/);
	});

	it('never empties a list', async () => {
		const store = mockRules(service, path, currentRules(), { reads: 1, changes: 1 });

		await revoke();

		expect(JSON.stringify(store.changes)).not.toContain('[]');
	});

	it.each([
		[404, /^The container "c-1" was not found/],
		[422, /did not accept the request to end access to the container/],
	])('names what failed (%i)', async (status, message) => {
		service.scope().get(path).reply(200, currentRules());
		service.scope().patch(path).reply(status, {});

		const { error } = await revoke();

		expect(error?.message).toMatch(message);
	});

	it.each(unusualContainers)('sends %j as one segment', async (id, segment) => {
		service.scope().get(`/containers/${segment}/drm`).reply(200, currentRules());
		service.scope().patch(`/containers/${segment}/drm`).reply(200, ended());

		const { error } = await revoke({}, { items: [{ json: { id } }] });

		expect(error).toBeUndefined();
	});
});

describe('the new rules', () => {
	it.each([
		['at the top level', (rules: IDataObject) => rules],
		['under drm', (rules: IDataObject) => ({ drm: rules })],
		['under rules', (rules: IDataObject) => ({ rules })],
		['under data', (rules: IDataObject) => ({ data: rules })],
		['in an envelope', (rules: IDataObject) => ({ container: { uuid: 'c', drm: rules } })],
	])('are taken from the response to the change: %s', async (_shape, hold) => {
		service
			.scope()
			.get(path)
			.reply(200, hold(currentRules()) as Record<string, unknown>);
		service
			.scope()
			.patch(path)
			.reply(200, hold(ended()) as Record<string, unknown>);

		const { items } = await revoke();

		expect(items.map(({ json }) => json)).toEqual([output(ended())]);
		expect(service.requests).toHaveLength(2);
	});

	it.each([
		...responsesWithoutRecord,
		{ shape: 'a message', status: 200, body: '{"message":"Updated"}' },
		{
			shape: 'only what was changed',
			status: 200,
			body: JSON.stringify({ time: { end: day(-1) } }),
		},
	])('are fetched again when the response to the change is $shape', async (shape) => {
		service.scope().get(path).reply(200, currentRules());
		service.scope().patch(path).reply(shape.status, shape.body, headersOf(shape));
		service.scope().get(path).reply(200, { drm: ended() });

		const { items, error } = await revoke();

		expect(error).toBeUndefined();
		expect(items.map(({ json }) => json)).toEqual([output(ended())]);
		expect(service.requests.map(({ method }) => method)).toEqual(['GET', 'PATCH', 'GET']);
	});

	it.each([
		['end today', { time: { end: day(0) } }, /rules that still end on .* instead of rules that/],
		['have no end', { time: {} }, /rules without an end instead of rules that end access on/],
	])('are an error when they %s', async (_what, time, message) => {
		const reported = { ...currentRules(), ...time };
		// Rules that are others than before could be somebody else's change, so it is tried twice.
		service.scope().get(path).reply(200, currentRules());
		service.scope().patch(path).times(2).reply(200, reported);
		service.scope().get(path).times(10).optionally().reply(200, reported);

		const { error, items } = await revoke();

		expect(error?.message).toMatch(message);
		expect(items).toEqual([]);
	});

	it('are an error when they are fetched for ten seconds and did not change', async () => {
		service.scope().get(path).times(8).reply(200, currentRules());
		service.scope().patch(path).reply(204);

		const { error } = await revoke();

		expect(error?.message).toMatch(/still end on 2099-12-31/);
	}, 30_000);

	it.each(unusableResponses)(
		'are an error when the response to the change is $shape',
		async (shape) => {
			service.scope().get(path).reply(200, currentRules());
			service.scope().patch(path).reply(shape.status, shape.body, headersOf(shape));

			const { error } = await revoke();

			expect(error?.message).toMatch(shape.message);
		},
	);
});

describe('the current rules', () => {
	it.each(invalidRecords)('that are $shape are an error, and nothing is changed', async (shape) => {
		service.scope().get(path).reply(shape.status, shape.body, headersOf(shape));

		const { error } = await revoke();

		expect(error?.message).toMatch(shape.message);
	});

	it('that are missing from the response are an error, and nothing is changed', async () => {
		service.scope().get(path).reply(200, { message: 'ok' });

		const { error } = await revoke();

		expect(error?.message).toMatch(/an object with the fields message instead of access rules/);
	});

	it.each([404, 403, 500])('that cannot be fetched are an error (%i)', async (status) => {
		service.scope().get(path).reply(status, { message: 'Words of the service' });

		const { error } = await revoke();

		expect(error?.description).toContain('Words of the service');
		expect(error).toMatchObject({ httpCode: String(status) });
	});
});

describe('many containers', () => {
	it('that are the same are revoked once, with a result for each item', async () => {
		const store = mockRules(service, path, currentRules(), { reads: 3, changes: 1 });

		const { items } = await revoke(
			{ maxConcurrent: 5 },
			{ items: [1, 2, 3].map(() => ({ json: { id: 'c-1' } })) },
		);

		expect(store.changes).toHaveLength(1);
		expect(items.map(({ json }) => json)).toEqual(
			[true, false, false].map((changed) => output(ended(), changed)),
		);
	});

	it('are each linked to their item after a failure', async () => {
		for (const id of ['c-1', 'c-3']) {
			service.scope().get(`/containers/${id}/drm`).reply(200, currentRules());
			service.scope().patch(`/containers/${id}/drm`).reply(200, ended());
		}
		service
			.scope()
			.get('/containers/c-2/drm')
			.reply(200, { ...currentRules(), dynamic: false });

		const { items, errorItems, next, nextOfErrors } = await revoke(
			{},
			{
				items: ['c-1', 'c-2', 'c-3'].map((id) => ({ json: { id } })),
				onError: 'continueErrorOutput',
				next: inputItemId,
			},
		);

		expect(items).toHaveLength(2);
		expect(next).toEqual([{ id: 'c-1' }, { id: 'c-3' }]);
		expect(nextOfErrors).toEqual([{ id: 'c-2' }]);
		expect(errorItems[0].json).toMatchObject({
			containerId: 'c-2',
			error: expect.stringContaining("can't change"),
		});
	});
});
