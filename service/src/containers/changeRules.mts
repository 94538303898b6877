import { lockContainer, updateContainer } from '../database/containerRows.mts';
import { addEvent } from '../database/eventRows.mts';
import type { ContainerRow } from '../database/schema.mts';
import { assertValid, notFound, ServiceError } from '../errors.mts';
import { findChangedRules, findRuleProblems, mergeRules } from './rules.mts';
import type { DrmRules, RulesChange } from './rules.mts';
import { openSeal, seal } from './seal.mts';
import type { Vault } from './vault.mts';

interface ChangeOptions {
	change: (before: DrmRules) => RulesChange;
	by: { user: string; ip?: string };
	/** Throws where the container may not be changed. */
	assertAllowed?: (row: ContainerRow) => void;
	/** Whether the caller knows this revision of the rules. */
	isExpected?: (revision: number) => boolean;
}

/** Changes the rules of a container under a new seal. The password isn't needed: it locks the secret inside. */
export async function changeRules(vault: Vault, id: string, options: ChangeOptions) {
	const { change, by, assertAllowed, isExpected = () => true } = options;
	return await vault.database.transaction().execute(async (queries) => {
		const row = await lockContainer(queries, id);
		if (row === undefined) throw notFound('container');
		assertAllowed?.(row);
		const { rules: before, files, secret } = openSeal(vault.keys, row);
		if (!before.dynamic) {
			throw new ServiceError(409, 'rules_fixed', "The rules of this container can't be changed.");
		}
		if (!isExpected(row.revision)) {
			throw new ServiceError(412, 'changed', 'The rules have changed meanwhile.');
		}
		const sent = change(before);
		assertValid(findRuleProblems(sent));
		const rules = mergeRules(before, sent);
		const changed = findChangedRules(before, rules);
		if (changed.length === 0) return { rules, revision: row.revision };
		const facts = { id, owner_id: row.owner_id, rules, files };
		const revision = row.revision + 1;
		const updated_date = new Date().toISOString();
		await updateContainer(queries, id, {
			...seal(vault.keys, facts, secret),
			revision,
			updated_date,
		});
		const detail = { ip: by.ip, changed };
		await addEvent(queries, { action: 'drm.update', container: row, user: by.user, detail });
		return { rules, revision };
	});
}
