import type { DrmRules } from '../../shared/api/drmRules';
import { CONTAINER_LIST } from '../../shared/api/lists';
import { RULE_KEYS, toCanonicalRule } from '../../shared/api/ruleValues';
import { parseServiceDate } from '../../shared/parameters/dates';
import { FINGERPRINT_LENGTH, hash } from '../fingerprint';
import type { TriggerEvent } from '../types';

const NO_RULES = hash('').repeat(RULE_KEYS.length);

/** A container whose documented DRM rules differ from the last poll. Emits the current rules. */
export const drmChanged: TriggerEvent = {
	option: {
		name: 'Access Rules Changed',
		value: 'drmChanged',
		description: 'When the access rules of a container change',
		action: 'On access rules changed',
	},
	list: CONTAINER_LIST,
	sample: 'A test shows the rules of existing containers, as if all of them were new.',
	nothingToShow: 'There is no container with access rules to show as a sample',
	async fetch(fetcher) {
		const { isSample } = fetcher.options;
		return await fetcher.fetchRules((rules) => {
			const content = getFingerprints(rules);
			if (isSample && content === NO_RULES) return undefined;
			return {
				content,
				toItem: (before = NO_RULES) => ({
					changedRules: RULE_KEYS.filter(
						(_key, index) => getPart(before, index) !== getPart(content, index),
					),
				}),
			};
		});
	},
	isEvent: (before, content) => before !== undefined && before !== content,
	stateKey: ({ nameFilter }) => nameFilter,
};

/** One fingerprint after the other, each of the same length. Other spellings of the same rules have the same ones. */
function getFingerprints(rules: DrmRules): string {
	const days = Object.entries(rules.time ?? {}).map(([name, day]) => [
		name,
		parseServiceDate(day) ?? day,
	]);
	const comparable: DrmRules = { ...rules, time: Object.fromEntries(days) as DrmRules['time'] };
	return RULE_KEYS.map((key) => hash(toCanonicalRule(comparable[key]))).join('');
}

function getPart(fingerprints: string, index: number): string {
	return fingerprints.slice(index * FINGERPRINT_LENGTH, (index + 1) * FINGERPRINT_LENGTH);
}
