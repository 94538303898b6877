import {
	isReplaced,
	rememberChange,
} from '../../../../../nodes/EncryptedContainers/resources/drm/recentChanges';
import type { DrmRules } from '../../../../../nodes/shared/api/drmRules';

const end = (day: unknown) => ({ time: { end: day } }) as DrmRules;
/** Whether the rules of before count as replaced after a change. */
function replaces(before: DrmRules, after: DrmRules): boolean {
	const key = `test ${Math.random()}`;
	rememberChange(key, before, after, false);
	return isReplaced(key, before, true);
}

describe('rules that a change replaced', () => {
	it.each<[string, DrmRules, DrmRules]>([
		['an end that nobody can read', end('never'), end('2026-11-21')],
		['a later moment', end('2027-01-01T00:00:00Z'), end('2026-12-31')],
		['the name of a country', { geo: { allow: ['Germany'] } }, { geo: { allow: ['US'] } }],
		['a number in another form', { opens: 'unlimited' }, { opens: 3 }],
	])('are those with %s', (_what, before, after) => {
		expect(replaces(before, after)).toBe(true);
	});

	it.each<[string, DrmRules, DrmRules]>([
		['a moment of the day', end('2099-06-30T00:00:00Z'), end('2099-06-30')],
		['the network of the address', { ip: { allow: ['::1/128'] } }, { ip: { allow: ['::1'] } }],
		['its midnight in Berlin', end('2027-12-30T23:00:00.000Z'), end('2027-12-31')],
		['its last minute in Berlin', end('2027-12-31T22:59:00Z'), end('2027-12-31')],
		['its last second in New York', end('2028-01-01T04:59:59Z'), end('2027-12-31')],
		['the same code', { geo: { block: ['UK'] } }, { geo: { block: [{ country: 'gb' }] } }],
	])('are not those that show %s', (_what, before, after) => {
		expect(replaces(before, after)).toBe(false);
	});

	it('are those of the last three minutes, also where others changed since', () => {
		const now = Date.now();
		rememberChange('busy', { opens: 5 }, { opens: 3 }, false);
		jest.spyOn(Date, 'now').mockReturnValue(now + 120_000);
		rememberChange('busy', { opens: 3, dynamic: false }, { opens: 3, dynamic: true }, false);
		expect(isReplaced('busy', { opens: 5, dynamic: true }, true)).toBe(true);
		jest.spyOn(Date, 'now').mockReturnValue(now + 185_000);
		expect(isReplaced('busy', { opens: 5, dynamic: true }, true)).toBe(false);
		jest.restoreAllMocks();
	});

	it('are none where they come back, in any form', () => {
		const moment = end('2027-12-31T23:59:59Z');
		rememberChange('back', moment, end('2026-11-21'), false);
		rememberChange('back', end('2026-11-21'), end('2027-12-31'), false);
		expect(isReplaced('back', moment, true)).toBe(false);
		expect(isReplaced('back', end('2026-11-21'), true)).toBe(true);
	});

	it('are none where they come back, also for a read that shows no recipients', () => {
		const recipients = ['anna@example.com'];
		rememberChange('shared again', { opens: 1 }, { opens: 2 }, false);
		rememberChange('shared again', { opens: 2, recipients }, { opens: 1, recipients }, false);
		expect(isReplaced('shared again', { opens: 1 }, true)).toBe(false);
		expect(isReplaced('shared again', { opens: 2 }, true)).toBe(true);
	});

	it('are known also where only some reads take the recipients from the container', () => {
		rememberChange(
			'revoked',
			{ opens: 1, ...end('2099-06-30') },
			{ opens: 1, ...end('2026-11-21') },
			false,
		);
		const recipients = ['anna@example.com'];
		expect(isReplaced('revoked', { opens: 1, ...end('2099-06-30'), recipients }, true)).toBe(true);
		expect(isReplaced('revoked', { opens: 1, ...end('2026-11-21'), recipients }, true)).toBe(false);
	});

	it('are not the others where a response shows only what changed', () => {
		rememberChange(
			'part',
			{ opens: 3, recipients: ['anna@example.com'] },
			{ recipients: [] },
			false,
		);
		expect(isReplaced('part', { opens: 3, recipients: ['bob@example.com'] }, true)).toBe(false);
	});

	it('are old each by itself: recipients can come from another place, which lags behind', () => {
		const [anna, bob] = ['anna@example.com', 'bob@example.com'];
		rememberChange('apart', { opens: 1, recipients: [anna, bob] }, { recipients: [bob] }, false);
		rememberChange('apart', { opens: 1 }, { opens: 2 }, false);
		expect(isReplaced('apart', { opens: 2, recipients: [anna, bob] }, true)).toBe(true);
		expect(isReplaced('apart', { opens: 2, recipients: [bob] }, true)).toBe(false);
		expect(isReplaced('apart', { opens: 2 }, true)).toBe(false);
	});

	it('are those that a response leaves out, also where the service leaves out what is off', () => {
		rememberChange('off', { opens: 1, downloadable: true }, { opens: 1 }, false, ['downloadable']);
		expect(isReplaced('off', { opens: 1, downloadable: true }, true)).toBe(true);
		expect(isReplaced('off', { opens: 1, downloadable: false }, true)).toBe(false);
	});

	it('are none where others joined what showed no recipients', () => {
		rememberChange('joined', { opens: 1 }, { opens: 1, recipients: ['anna@example.com'] }, false);
		expect(isReplaced('joined', { opens: 1 }, true)).toBe(false);
	});

	it('are so after each try of a change whose response was lost', () => {
		for (const isLost of [true, false]) rememberChange('lost', { opens: 3 }, { opens: 4 }, isLost);
		expect(isReplaced('lost', { opens: 3 }, true)).toBe(true);
	});
});
