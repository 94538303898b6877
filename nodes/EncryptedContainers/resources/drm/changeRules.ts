import type { IDataObject } from 'n8n-workflow';
import { UserError } from 'n8n-workflow';

import { withContainerId } from '../../../shared/api/records';
import { isSameRule } from '../../../shared/api/ruleValues';
import type { Call } from '../../execution/operation';

/** What came of a change: the rules, or why the service reports others than those that were sent. */
export type RuleChangeResult =
	| { rules: IDataObject; before?: undefined }
	| { error: Error; before?: IDataObject; reported: IDataObject };

/**
 * Reads and then changes the rules of a container, after all other items and executions of this n8n that do. A program
 * elsewhere can change them in between: where the service reports it, the change is tried once more.
 */
export async function changeRules(
	call: Call,
	containerId: string,
	change: () => Promise<RuleChangeResult>,
): Promise<IDataObject[]> {
	const key = `rules ${containerId}`;
	const run = async () => {
		let result = await change();
		if (isChangedByOthers(result)) {
			result = await change();
			if (isChangedByOthers(result)) throw changedByOthersError(containerId);
		}
		if ('error' in result) throw result.error;
		return withContainerId(containerId, result.rules);
	};
	return [await call.runAlone(key, `the container "${containerId}"`, run)];
}

/** A service that ignores a change reports the rules as they were before. */
function isChangedByOthers(result: RuleChangeResult): boolean {
	return result.before !== undefined && !isSameRule(result.before, result.reported);
}

function changedByOthersError(containerId: string): UserError {
	return new UserError(
		`The rules of the container "${containerId}" are not what was sent, because they changed meanwhile`,
		{
			description:
				'Another program, or n8n in another process, changes the same container. The node tried twice. Check the rules with the operation DRM > Get, and run the workflow again when nothing else changes them.',
		},
	);
}
