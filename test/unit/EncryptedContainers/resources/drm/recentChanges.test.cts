import {
	isReplaced,
	rememberChange,
} from '../../../../../nodes/EncryptedContainers/resources/drm/recentChanges';
import type { DrmRules, ShownRules } from '../../../../../nodes/shared/api/drmRules';

const end = (day: unknown) => ({ time: { end: day } }) as DrmRules;
const shown = (rules: DrmRules, elsewhere?: DrmRules): ShownRules => ({
	...{ rules: { ...rules, ...elsewhere }, elsewhere },
	...{ record: {}, own: {}, doubts: {} },
});

/** Whether the rules of before count as replaced after a change. */
function replaces(before: ShownRules, after: DrmRules, read = before): boolean {
	const key = `test ${Math.random()}`;
	rememberChange(key, before, after, false);
	return isReplaced(key, read, true);
}

describe('rules that a change replaced', () => {
	it.each<[string, DrmRules, DrmRules]>([
		['an end that nobody can read', end('never'), end('2026-11-21')],
		['a later moment', end('2027-01-01T00:00:00Z'), end('2026-12-31')],
		['the name of a country', { geo: { allow: ['Germany'] } }, { geo: { allow: ['US'] } }],
		['a number in another form', { opens: 'unlimited' }, { opens: 3 }],
	])('are those with %s', (_what, before, after) => {
		expect(replaces(shown(before), after)).toBe(true);
	});

	it('are not those whose days show as moments', () => {
		expect(replaces(shown(end('2099-06-30T00:00:00Z')), end('2099-06-30'))).toBe(false);
	});

	it('are the same whether recipients were read in the container or not', () => {
		const recipients = { recipients: ['anna@example.com'] };
		const [withThem, withoutThem] = [shown({ opens: 3 }, recipients), shown({ opens: 3 })];

		expect(replaces(withThem, { opens: 1, ...recipients }, withoutThem)).toBe(true);
		expect(replaces(withoutThem, { opens: 1 }, withThem)).toBe(true);
	});
});
