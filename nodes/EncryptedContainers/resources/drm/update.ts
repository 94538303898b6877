import type { IDataObject, IExecutePaginationFunctions } from 'n8n-workflow';
import { UserError } from 'n8n-workflow';

import type { DrmRules } from '../../../shared/api/drmRules';
import { fetchRules } from '../../../shared/api/drmRules';
import type { ServiceClient } from '../../../shared/client/client';
import { parseAddresses } from '../../../shared/parameters/lists';
import { parseBoolean } from '../../../shared/parameters/scalars';
import { RULE_LABELS } from '../../descriptions/drmRules';
import type { Operation, OperationContext } from '../../execution/operation';
import { parseDrmRules } from '../../parameters/drmRules';
import { parseJsonObject } from '../../parameters/json';
import type { RecipientChange } from './ruleChanges';
import {
	assertChangeable,
	assertRecipientsNotEmptied,
	changeRecipients,
	changesRecipients,
	mergeRules,
} from './ruleChanges';

interface RuleChange {
	containerId: string;
	rules: DrmRules;
	recipients: RecipientChange;
	keepOtherRules: boolean;
}

/** Changes rules of a container (docs/openapi.yaml, updateDrmRules), also if the service drops omitted ones. */
export const update: Operation<RuleChange> = {
	prepare(item) {
		const { containerId } = item.getPathParams();
		const { keepOtherRules = true } = item.getOptions();
		return {
			containerId,
			...getChange(item.context),
			keepOtherRules: parseBoolean(keepOtherRules, 'Keep Other Rules'),
		};
	},
	async send(operation, change) {
		// Two items can change the same container: each must see the changes of the one before.
		const send = async () => [await sendRules(operation, change)];
		return await operation.run.runExclusive(`rules ${change.containerId}`, send);
	},
};

async function sendRules(operation: OperationContext, change: RuleChange): Promise<IDataObject> {
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
	if (!keepOtherRules && !changesRecipients(recipients)) return rules;
	const current = await fetchRules(client, containerId);
	assertChangeable(current);
	if (keepOtherRules) return mergeRules(current, rules, recipients);
	return {
		...rules,
		recipients: changeRecipients(rules.recipients ?? current.recipients, recipients),
	};
}

function getChange(context: IExecutePaginationFunctions): Pick<RuleChange, 'rules' | 'recipients'> {
	if (context.getNodeParameter('specifyRules', 'fields') === 'json') {
		const rules = parseJsonObject(context.getNodeParameter('rulesJson', ''), 'Rules (JSON)');
		if (Object.keys(rules).length === 0) throw noRuleError('Rules (JSON)');
		assertRecipientsNotEmptied(rules, 'Rules (JSON)');
		return { rules, recipients: { add: [], remove: [] } };
	}
	const fields = context.getNodeParameter('rules', {}) as IDataObject;
	const rules = parseDrmRules(fields, context.getTimezone());
	const recipients = {
		add: parseAddresses(fields.addRecipients, RULE_LABELS.addRecipients),
		remove: parseAddresses(fields.removeRecipients, RULE_LABELS.removeRecipients),
	};
	if (Object.keys(rules).length > 0 || changesRecipients(recipients)) return { rules, recipients };
	throw noRuleError('Rules to Change');
}

function noRuleError(label: string): UserError {
	return new UserError(`"${label}" contains no rule`, {
		description: `Add at least one rule to "${label}".`,
	});
}
