import { withContainerId } from '../../../shared/api/records';
import { recipientOptions, simpleField } from '../../descriptions/commonFields';
import { updateRuleFields } from '../../descriptions/drmRules';
import { defineOperation } from '../../execution/defineOperation';
import { getRecipientPolicy } from '../../parameters/allowedRecipients';
import { assertRulesAllowed, getGuardrails } from '../../parameters/guardrails';
import { findPasswords } from '../../parameters/json';
import { changeRules } from './changeRules';
import { planUpdate } from './update';
import { parseChange, RULES_JSON_LABEL, specifyRules } from './updateFields';

export const updateRules = defineOperation({
	name: 'Update',
	value: 'update',
	action: 'Update the access rules of a container',
	description:
		'Change some access rules (DRM) of a container. The others stay as they are. Only works if the container was encoded with "Allow Changes Later" on.',
	endpoint: { method: 'PATCH', path: '/containers/{containerId}/drm' },
	fields: [
		specifyRules,
		{
			displayName: 'Rules to Change',
			name: 'rules',
			type: 'collection',
			placeholder: 'Add Rule',
			default: {},
			description:
				"Who can open the container, from where, from when and until when. Rules you don't add stay as they are.",
			options: updateRuleFields,
			displayOptions: { show: { specifyRules: ['fields'] } },
		},
		simpleField(
			[RULES_JSON_LABEL, 'rulesJson', '{\n  "opens": 5,\n  "time": { "end": "2026-12-31" }\n}'],
			'Access rules in the format of the service: dynamic, geo, ip, opens, time, downloadable and recipients. Use it for rules that have no field, such as a city in geo. Days are written as 2026-12-31; null removes a rule. The output of Get can be used, too.',
			{ type: 'json', required: true, displayOptions: { show: { specifyRules: ['json'] } } },
		),
	],
	options: recipientOptions,
	parse(item) {
		const { containerId } = item.getPathParams();
		const change = parseChange(item, getRecipientPolicy(item.getOptions()));
		item.sensitiveValues.push(...findPasswords(change.rules));
		const { rules, recipients, today } = change;
		const guardrails = getGuardrails(item.client);
		assertRulesAllowed(rules, guardrails, today);
		assertRulesAllowed({ recipients: recipients.add }, guardrails);
		return { containerId, ...change };
	},
	async send(item, { containerId: id, ...change }) {
		const task = planUpdate(change, getGuardrails(item.client));
		const { changed, shown } = await changeRules(item, { id }, task);
		return [withContainerId(id, { ...shown.record, changed })];
	},
});
