import type { IDataObject } from 'n8n-workflow';
import { delay } from '../../../../../nodes/shared/client/delay';
import { errorOf } from '../../../support/client.cts';
import { current, setUpService, toShown } from '../../../support/rulesService.cts';

jest.mock<object>('../../../../../nodes/shared/client/delay', () => ({
	...jest.requireActual<object>('../../../../../nodes/shared/client/delay'),
	delay: jest.fn(),
}));

const pauses = () => jest.mocked(delay).mock.calls.map(([milliseconds]) => milliseconds);

beforeEach(() => jest.mocked(delay).mockReset());

describe('who can open a container, and until when, after a response without rules', () => {
	it.each<[string, IDataObject, RegExp]>([
		[
			'a removal',
			{ removeRecipients: 'bob@x.example' },
			/returned recipients .*"bob@.* instead of/,
		],
		['another list', { recipients: 'dora@x.example' }, /returned recipients .*"anna@.* instead of/],
		['an earlier end', { timeEnd: '2098-12-31' }, /returned time\.end "2099-12-31" instead of/],
	])('must show: %s', async (_what, fields, message) => {
		const set = setUpService(current());
		set.service.onPatch = () => ({ status: 204, state: current() });

		expect((await errorOf(set.update(fields))).message).toMatch(message);

		expect(set.bodies()).toHaveLength(1);
		expect(pauses().reduce((sum, pause) => sum + pause)).toBe(10_000);
	});

	it('is read until it shows, so that no later change undoes it', async () => {
		const set = setUpService({ ...current(), time: {} });
		set.service.onPatch = (state) => ({ status: 204, state });
		set.fallBehind(4);

		await set.update({ timeEnd: '2098-12-31' });
		await set.update({ addRecipients: 'dora@x.example' });

		expect(set.rules()).toMatchObject({ time: { end: '2098-12-31' } });
		expect(pauses()).toEqual([250, 500, 1000]);
	});

	it('is not read again where it stays', async () => {
		const set = setUpService(current());
		set.service.onPatch = (state) => ({ status: 204, state });

		await set.update({ opens: 1, timeEnd: '2099-12-31' });

		expect(set.methods()).toBe('GET PATCH');
	});
});

it('a change is confirmed by reads that fall behind by more than one change', async () => {
	const set = setUpService(current());
	await set.update({ opens: 1 });
	set.service.onPatch = (state) => {
		set.fallBehind(3, 2);
		return { state };
	};

	expect(await set.revoke()).toMatchObject({ changed: true });

	expect(pauses()).toEqual([250, 500, 1000]);
});

it('an extension is an error where the moment of the end does not move', async () => {
	const shown = { ...current(), time: { end: '2099-12-31T23:59:59Z' } };
	const set = setUpService(shown);
	set.service.onPatch = () => toShown(shown);

	expect((await errorOf(set.update({ extendByDays: 1 }))).message).toContain(
		'returned time.end "2099-12-31T23:59:59Z" instead of time.end "2100-01-01"',
	);
});

describe('an empty list of recipients', () => {
	it('is not sent back', async () => {
		const set = setUpService({ ...current(), recipients: [] });

		await set.update({ opens: 1 });

		expect(set.bodies()[0]).not.toHaveProperty('recipients');
	});

	it('is an error where the container shows somebody, since nobody knows who is meant', async () => {
		const set = setUpService({ ...current(), recipients: [] });
		set.service.show = (state) => (set.sent.at(-1)?.url.endsWith('/drm') ? state : current());

		const { message } = await errorOf(set.update({ addRecipients: 'dora@x.example' }));

		expect(message).toContain('returned two different "recipients" instead of recipients');
		expect(set.bodies()).toEqual([]);
	});
});

it.each<[string, object]>([
	['beside its ID', { id: 'r-2', updated_at: '2026-11-20', opens: 1 }],
	['under a name', { drm: { id: 'r-2', opens: 1 } }],
])('rules of another container are sent without its other fields: %s', async (_where, rules) => {
	const set = setUpService(current());

	await set.update({ rulesJson: { containerId: 'c-2', ...rules } });

	expect(set.bodies()).toEqual([{ ...current(), opens: 1 }]);
});
