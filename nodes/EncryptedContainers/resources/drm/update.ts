import type { IDataObject } from 'n8n-workflow';
import { UserError } from 'n8n-workflow';

import type { DrmRules } from '../../../shared/api/drmRules';
import { fetchRules } from '../../../shared/api/drmRules';
import type { ServiceClient } from '../../../shared/client/client';
import { parseAddresses } from '../../../shared/parameters/lists';
import { parseBoolean } from '../../../shared/parameters/scalars';
import { RULE_LABELS } from '../../descriptions/drmRules';
import type { ItemContext } from '../../execution/itemContext';
import type { Operation, OperationContext } from '../../execution/operation';
import { parseDrmRules } from '../../parameters/drmRules';
import { parseJsonObject } from '../../parameters/json';
import type { RecipientChange } from './ruleChanges';
import {
	assertChangeable,
	assertRecipientsNotEmptied,
	changeRecipients,
	mergeRules,
} from './ruleChanges';

interface RuleChange {
	containerId: string;
	rules: DrmRules;
	recipients: RecipientChange;
	keepOtherRules: boolean;
}

/** Changes rules of a container (docs/openapi.yaml, updateDrmRules), whether or not the service keeps omitted ones. */
export const update: Operation<RuleChange> = {
	prepare(item) {
		const { containerId } = item.pathParams;
		const { keepOtherRules = true } = item.getOptions();
		return {
			containerId,
			...getChange(item),
			keepOtherRules: parseBoolean(keepOtherRules, 'Keep Other Rules'),
		};
	},
	async send(operation, change) {
		// Two items may change the same container: each must see what the one before it did.
		const send = async () => [await sendChange(operation, change)];
		return await operation.run.runExclusive(`rules ${change.containerId}`, send);
	},
};

async function sendChange(operation: OperationContext, change: RuleChange): Promise<IDataObject> {
	const { client } = operation;
	const rules = await client.requestOptionalObject({
		method: 'PATCH',
		path: await operation.getPath(),
		action: 'change the rules of the container',
		json: await getRulesToSend(client, change),
		subject: { containerId: change.containerId },
	});
	return rules ?? { success: true, containerId: change.containerId };
}

async function getRulesToSend(
	client: ServiceClient,
	{ containerId, rules, recipients, keepOtherRules }: RuleChange,
): Promise<DrmRules> {
	const changesRecipients = recipients.add.length > 0 || recipients.remove.length > 0;
	if (!keepOtherRules && !changesRecipients) return rules;
	const current = await fetchRules(client, containerId);
	assertChangeable(current);
	if (keepOtherRules) return mergeRules(current, rules, recipients);
	return {
		...rules,
		recipients: changeRecipients(rules.recipients ?? current.recipients, recipients),
	};
}

function getChange({ context }: ItemContext): Pick<RuleChange, 'rules' | 'recipients'> {
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
	return new UserError(`"${label}" contains no rule`, {
		description: `Add at least one rule to "${label}".`,
	});
}
