import { lockContainer, updateContainer } from '../database/containerRows.mts';
import { addEvent } from '../database/eventRows.mts';
import type { ContainerRow } from '../database/schema.mts';
import { assertValid, ServiceError } from '../errors.mts';
import {
	findChangedRules,
	findRuleProblems,
	mergeRules,
	type DrmRules,
	type RulesChange as RulesPatch,
} from './rules.mts';
import { openSeal, seal } from './seal.mts';
import type { Vault } from './vault.mts';

interface RulesChange {
	/** Returns each rule that changes; null removes one. */
	change: (before: DrmRules) => RulesPatch;
	by: { user: string; ip?: string };
	/** @throws where the container is missing or belongs to somebody else */
	assertAllowed: (row: ContainerRow | undefined) => ContainerRow;
	/** Whether the caller knows this revision of the rules. */
	isExpected: (revision: number) => boolean;
}

/** Changes the rules of a container under a new seal. The password isn't needed: it protects the inner secret. */
export async function changeRules(
	{ database, keys }: Vault,
	id: string,
	{ change, by, assertAllowed, isExpected }: RulesChange,
): Promise<{ rules: DrmRules; revision: number }> {
	return await database.transaction().execute(async (transaction) => {
		const row = assertAllowed(await lockContainer(transaction, id));
		const { rules: before, files, secret } = openSeal(keys, row);
		if (!isExpected(row.revision)) {
			throw new ServiceError(412, 'changed', 'The rules have changed meanwhile.');
		}
		if (!before.dynamic) {
			throw new ServiceError(409, 'rules_fixed', "The rules of this container can't be changed.");
		}
		const rules = mergeRules(before, change(before));
		assertValid(findRuleProblems(rules));
		const changed = findChangedRules(before, rules);
		if (changed.length === 0) return { rules, revision: row.revision };
		const revision = row.revision + 1;
		const sealed = seal(keys, { id, owner_id: row.owner_id, rules, files }, secret);
		await updateContainer(transaction, id, {
			...sealed,
			revision,
			updated_date: new Date().toISOString(),
		});
		const { user, ip } = by;
		await addEvent(transaction, {
			action: 'drm.update',
			container: row,
			user,
			detail: { ip, changed },
		});
		return { rules, revision };
	});
}
