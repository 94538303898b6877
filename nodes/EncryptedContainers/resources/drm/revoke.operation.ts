import { withLink } from '../../../shared/api/links';
import type { ShownRules } from '../../../shared/api/shownRules';
import { endpoints } from '../../../shared/client/endpoints';
import { getDateInDays } from '../../../shared/parameters/dates';
import { approvalNotice, containerLocator } from '../../descriptions/commonFields';
import { RULE_LABELS } from '../../descriptions/ruleFields';
import { defineOperation } from '../../execution/defineOperation';
import { readModifyWrite, type RulesTask } from './readModifyWrite';
import { endAccess, type RulesChange } from './ruleChanges';

/** Ends access to a container (docs/openapi.yaml, getDrmRules, updateDrmRules). */
export const revokeAccess = defineOperation({
	name: 'Revoke Access',
	value: 'revoke',
	action: 'Revoke access to a container',
	description: 'End access for everyone at once. Other rules stay, and a new end restores access.',
	routing: { request: endpoints.updateDrmRules },
	alsoSends: [endpoints.getDrmRules],
	pathFields: [containerLocator],
	fields: [approvalNotice],
	parse: (item) => item.parsePathParam(containerLocator),
	async send(item, id) {
		const task: RulesTask = { needs: [], decide: decideEnd };
		const { shown, changed, output } = await readModifyWrite(item, { id }, task);
		const start = String(output?.start ?? '');
		if (changed && start > getDateInDays(0, item.timeZone)) {
			item.execution.addHint(
				`The first day of access (${start}) was removed, too. To restore access from a day on, set "${RULE_LABELS.timeStart}" again with the new end.`,
			);
		}
		return [await withLink(item.client, id, { ...shown.record, changed })];
	},
});

/** Notes the first day of access, which the new window does not have. */
function decideEnd(current: ShownRules): RulesChange {
	const { start } = current.rules.time ?? {};
	return { patch: endAccess(current), output: { start } };
}
