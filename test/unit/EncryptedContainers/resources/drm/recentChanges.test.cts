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

	it('are not those whose days show as moments', () => {
		expect(replaces(end('2099-06-30T00:00:00Z'), end('2099-06-30'))).toBe(false);
	});
});
