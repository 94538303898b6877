import type { IDataObject } from 'n8n-workflow';
import { UserError } from 'n8n-workflow';

import type { DrmRules } from '../../../shared/api/drmRules';
import { withContainerId } from '../../../shared/api/records';
import { isExpression } from '../../../shared/parameters/expressions';
import { isRecord } from '../../../shared/responses/shapes';
import { delay } from '../../../shared/client/delay';
import type { Item } from '../../execution/item';
import type { Call } from '../../execution/operation';
import type { RulesCall } from './recentChanges';
import { describeContainer, isSameState } from './recentChanges';

/** What came of a change: the rules, or why the service reports others than those that were sent. */
export type RuleChangeResult =
	| { rules: IDataObject; changed: boolean }
	| { error: Error; before?: DrmRules; reported: DrmRules };

/**
 * Reads and then changes the rules of a container, after all other items and executions of this n8n that do.
 *
 * @returns the output of the item
 */
export async function changeRulesAlone(
	call: Call,
	containerId: string,
	change: (call: RulesCall) => Promise<RuleChangeResult>,
): Promise<IDataObject> {
	const rulesCall = toRulesCall(call, containerId, getChosenName(call.item));
	return await call.runAlone(
		`rules ${containerId}`,
		describeContainer(rulesCall),
		async () => await changeRules(rulesCall, change),
	);
}

/**
 * Changes the rules of a container. A program elsewhere can change them at the same time: where the service reports it,
 * the change is tried once more.
 *
 * @returns the output of the item
 */
export async function changeRules(
	call: RulesCall,
	change: (call: RulesCall) => Promise<RuleChangeResult>,
): Promise<IDataObject> {
	let result = await change(call);
	if (isChangedByOthers(result)) {
		result = await change(call);
		if (isChangedByOthers(result)) throw changedByOthersError(call);
	}
	if ('error' in result) throw result.error;
	const { rules, changed } = result;
	return withContainerId(call.containerId, { ...rules, changed });
}

export function toRulesCall(call: Call, containerId: string, containerName?: string): RulesCall {
	return {
		client: call.client,
		containerId,
		containerName,
		scope: call.getSharedKey(''),
		delay: async (milliseconds) => await delay(milliseconds, call.run.signal),
	};
}

/** The name that the list in the editor showed for the container. */
function getChosenName(item: Item): string | undefined {
	const locator = item.getRawParameter('containerId');
	if (!isRecord(locator) || locator.mode !== 'list' || isExpression(locator.value))
		return undefined;
	const { cachedResultName: name } = locator;
	return typeof name === 'string' && name !== '' ? name : undefined;
}

/** A service that ignores a change reports the rules as they were before. */
function isChangedByOthers(result: RuleChangeResult): boolean {
	return (
		'error' in result && result.before !== undefined && !isSameState(result.before, result.reported)
	);
}

function changedByOthersError(call: RulesCall): UserError {
	return new UserError(
		`The rules of ${describeContainer(call)} are not what was sent, because they changed meanwhile`,
		{
			description:
				'Another program, or n8n in another process, changes the same container. The node tried twice. Check the rules with the operation DRM > Get, and run the workflow again when nothing else changes them.',
		},
	);
}
