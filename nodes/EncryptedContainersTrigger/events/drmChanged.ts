import type { DrmRules } from '../../shared/api/drmRules';
import { RULE_KEYS } from '../../shared/api/ruleValues';
import { canonicalJson } from '../../shared/responses/canonicalJson';
import { detectUpdated } from '../diff';
import type { TriggerEvent } from '../types';

/** A container whose documented DRM rules differ from the last poll. Emits the current rules. */
export const drmChanged: TriggerEvent = {
	option: {
		name: 'Access Rules Changed',
		value: 'drmChanged',
		description: 'When the access rules of a container change',
		action: 'On access rules changed',
	},
	comparison: detectUpdated,
	canIncludeExisting: true,
	nothingToShow: 'There is no container to show as a sample',
	async fetch(fetcher) {
		const containers = await fetcher.fetchContainersWithRules();
		return containers.map(({ id, name, rules }) => ({
			identity: id,
			fingerprints: getFingerprints(rules),
			toItem: (changedRules) => ({
				containerId: id,
				...(name === undefined ? {} : { name }),
				changedRules,
				rules,
			}),
		}));
	},
	stateKey: ({ nameFilter }) => [nameFilter],
};

/** Recipients, countries and networks are sets: another order is no change. */
function getFingerprints(rules: DrmRules): Record<string, string> {
	return Object.fromEntries(
		RULE_KEYS.map((key) => [key, canonicalJson(rules[key], { listsAreSets: true })]),
	);
}
