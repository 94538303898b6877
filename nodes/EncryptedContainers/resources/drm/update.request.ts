import type { IDataObject, IExecutePaginationFunctions } from 'n8n-workflow';
import { UserError } from 'n8n-workflow';

import type { Rules } from '../../../shared/answers/records';
import { readJsonObject } from '../../../shared/input/json';
import { readAddresses } from '../../../shared/input/lists';
import type { Target } from '../../../shared/input/target';
import { pathOf, readTarget } from '../../../shared/input/target';
import type { RecipientChange } from '../../../shared/rules/changeRules';
import {
	assertChangeable,
	assertSomeRecipient,
	changeRecipients,
	mergeRules,
} from '../../../shared/rules/changeRules';
import { RULE_LABELS } from '../../../shared/rules/fields';
import { readFlag, readRules } from '../../../shared/rules/readRules';
import { readPresentRules } from '../../../shared/rules/readPresentRules';
import type { Call, Operation } from '../../../shared/run/operation';

interface RuleChange {
	target: Target;
	rules: Rules;
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
			keepOtherRules: readFlag(keepOtherRules, 'Keep Other Rules'),
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
): Promise<Rules> {
	const changesRecipients = recipients.add.length > 0 || recipients.remove.length > 0;
	if (!keepOtherRules && !changesRecipients) return rules;
	const present = await readPresentRules(call, path, target.containerId);
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
		const rules = readJsonObject(context.getNodeParameter('rulesJson', ''), 'Rules (JSON)');
		if (Object.keys(rules).length === 0) throw nothingToChange('Rules (JSON)');
		assertSomeRecipient(rules, 'Rules (JSON)');
		return { rules, recipients: none };
	}
	const fields = context.getNodeParameter('rules', {}) as IDataObject;
	const rules = readRules(fields, context.getTimezone());
	const recipients = {
		add: readAddresses(fields.addRecipients, RULE_LABELS.addRecipients),
		remove: readAddresses(fields.removeRecipients, RULE_LABELS.removeRecipients),
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
