import type { IDataObject, IExecutePaginationFunctions } from 'n8n-workflow';
import { UserError } from 'n8n-workflow';

import type { DrmRules } from '../../../shared/api/records';
import { parseJsonObject } from '../../parameters/json';
import { parseAddresses } from '../../../shared/parameters/lists';
import type { Target } from '../../execution/pathParams';
import { pathOf, readTarget } from '../../execution/pathParams';
import type { RecipientChange } from './ruleChanges';
import {
	assertChangeable,
	assertRecipientsNotEmptied,
	changeRecipients,
	mergeRules,
} from './ruleChanges';
import { RULE_LABELS } from '../../descriptions/drmRules';
import { parseBoolean, parseDrmRules } from '../../parameters/drmRules';
import { fetchRules } from '../../../shared/api/fetchRules';
import type { Call, Operation } from '../../execution/defineOperation';

interface RuleChange {
	target: Target;
	rules: DrmRules;
	recipients: RecipientChange;
	keepOtherRules: boolean;
}

/** Changes rules of a container (service-api.md, end point 8), whether or not the service keeps omitted ones. */
export const updateRules: Operation<RuleChange> = {
	prepare(context, route) {
		const target = readTarget(context, route);
		const { keepOtherRules = true } = context.getNodeParameter('options', {}) as IDataObject;
		return {
			target,
			...readChange(context),
			keepOtherRules: parseBoolean(keepOtherRules, 'Keep Other Rules'),
		};
	},
	async send(call, change) {
		// Two items may change the same container: each must see what the one before it did.
		return await call.run.inOrder(`rules ${change.target.containerId}`, async () => [
			await sendChange(call, change),
		]);
	},
};

async function sendChange(call: Call, change: RuleChange): Promise<IDataObject> {
	const { target } = change;
	const path = await pathOf(call, target);
	const answer = await call.client.optionalRecord({
		method: 'PATCH',
		path,
		action: 'change the rules of the container',
		json: await rulesToSend(call, path, change),
		subject: target,
	});
	return answer ?? { success: true, containerId: target.containerId };
}

async function rulesToSend(
	call: Call,
	path: string,
	{ target, rules, recipients, keepOtherRules }: RuleChange,
): Promise<DrmRules> {
	const changesRecipients = recipients.add.length > 0 || recipients.remove.length > 0;
	if (!keepOtherRules && !changesRecipients) return rules;
	const present = await fetchRules(call, path, target.containerId);
	assertChangeable(present);
	if (keepOtherRules) return mergeRules(present, rules, recipients);
	return {
		...rules,
		recipients: changeRecipients(rules.recipients ?? present.recipients, recipients),
	};
}

function readChange(
	context: IExecutePaginationFunctions,
): Pick<RuleChange, 'rules' | 'recipients'> {
	const none: RecipientChange = { add: [], remove: [] };
	if (context.getNodeParameter('specifyRules', 'fields') === 'json') {
		const rules = parseJsonObject(context.getNodeParameter('rulesJson', ''), 'Rules (JSON)');
		if (Object.keys(rules).length === 0) throw nothingToChange('Rules (JSON)');
		assertRecipientsNotEmptied(rules, 'Rules (JSON)');
		return { rules, recipients: none };
	}
	const fields = context.getNodeParameter('rules', {}) as IDataObject;
	const rules = parseDrmRules(fields, context.getTimezone());
	const recipients = {
		add: parseAddresses(fields.addRecipients, RULE_LABELS.addRecipients),
		remove: parseAddresses(fields.removeRecipients, RULE_LABELS.removeRecipients),
	};
	const isNothing =
		Object.keys(rules).length === 0 &&
		recipients.add.length === 0 &&
		recipients.remove.length === 0;
	if (isNothing) throw nothingToChange('Rules to Change');
	return { rules, recipients };
}

function nothingToChange(label: string): UserError {
	return new UserError(`"${label}" holds no rule`, {
		description: `Add at least one rule to "${label}".`,
	});
}
