import type { Rules } from '../../shared/answers/records';
import { RULE_KEYS } from '../../shared/answers/records';
import { changed } from '../comparisons/changed';
import { canonicalJson } from '../comparisons/digest';
import type { TriggerEvent } from './event';

/** A container whose documented DRM rules differ from the last poll. Emits the rules as they are now. */
export const drmChanged: TriggerEvent = {
	option: {
		name: 'Access Rules Changed',
		value: 'drmChanged',
		description:
			'When the DRM rules of a container are others than before. Costs one request for each container at each poll: use the name filter.',
		action: 'On access rules of a container changed',
	},
	comparison: changed,
	canIncludeExisting: true,
	nothingToShow: 'There is no container to show as a sample',
	async look(reader) {
		const containers = await reader.rulesOf(await reader.filteredContainers());
		return containers.map(({ id, name, rules }) => ({
			identity: id,
			facets: facetsOf(rules),
			toItem: (changedRules) => ({
				containerId: id,
				...(name === undefined ? {} : { name }),
				changedRules,
				rules,
			}),
		}));
	},
	dependsOn: ({ nameFilter }) => [nameFilter],
};

/** Recipients, countries and networks are sets: in which order the service lists them is no change. */
function facetsOf(rules: Rules): Record<string, string> {
	return Object.fromEntries(
		RULE_KEYS.map((key) => [key, canonicalJson(rules[key], { listsAreSets: true })]),
	);
}
