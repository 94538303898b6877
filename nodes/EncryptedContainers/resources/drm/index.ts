import { RULES } from '../../../shared/api/shownRules';
import { withLink } from '../../../shared/api/links';
import { endpoints } from '../../../shared/client/endpoints';
import { getDateInDays } from '../../../shared/parameters/dates';
import { approvalNotice, containerLocator } from '../../descriptions/commonFields';
import { RULE_LABELS } from '../../descriptions/ruleFields';
import { defineOperation } from '../../execution/defineOperation';
import { getOne } from '../commonOperations';
import type { Resource } from '../defineResource';
import { readModifyWrite, type RulesTask } from './readModifyWrite';
import { checkRules } from './check.operation';
import { removeEverywhere } from './removeEverywhere.operation';
import { endAccess } from './ruleChanges';
import { syncRecipients } from './syncRecipients.operation';
import { updateRules } from './update.operation';

const getRules = defineOperation({
	name: 'Get',
	value: 'get',
	action: 'Get the access rules of a container',
	description: 'Get the access rules (DRM) of a container: who can open it, where and when',
	routing: { request: endpoints.getDrmRules },
	...getOne({
		action: 'get the rules of the container',
		pathField: containerLocator,
		expected: RULES,
	}),
});

const revokeAccess = defineOperation({
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
		let start: string | undefined;
		const task: RulesTask = {
			needs: [],
			decide(current) {
				start = current.rules.time?.start;
				return { patch: endAccess(current) };
			},
		};
		const { shown, changed } = await readModifyWrite(item, { id }, task);
		if (changed && start !== undefined && start > getDateInDays(0, item.timeZone)) {
			item.execution.addHint(
				`The first day of access (${start}) was removed, too. To restore access from a day on, set "${RULE_LABELS.timeStart}" again with the new end.`,
			);
		}
		return [await withLink(item.client, id, { ...shown.record, changed })];
	},
});

export const drm: Resource = {
	name: 'Access Rules (DRM)',
	value: 'drm',
	operations: [checkRules, getRules, removeEverywhere, revokeAccess, syncRecipients, updateRules],
	defaultOperation: getRules,
};
