import { findContainerForUpdate } from '../database/queries.mts';
import type { ContainerRow, Queries } from '../database/schema.mts';
import { assertValid, notFound, ServiceError } from '../errors.mts';
import { findChangedRules, findEndedDay, findRuleProblems, mergeRules } from './rules.mts';
import type { DrmRules, RulesChange } from './rules.mts';
import { openSeal } from './seal.mts';
import { updateSealed } from './sealedRows.mts';
import { transact, type RecordEvent } from './trail.mts';
import type { Vault } from './vault.mts';

interface ChangedRules {
	rules: DrmRules;
	revision: number;
}

interface RulesActor {
	user: string;
	ip?: string;
	today: string;
	/** Called in the transaction of the change. */
	onChanged?: (queries: Queries, changed: ChangedRules) => Promise<void>;
}

type DecideChange = (before: DrmRules, revision: number) => RulesChange;

/** Changes the rules of a container under a new seal. The password isn't needed: the secret stays encrypted with it. */
export async function changeRules(vault: Vault, id: string, by: RulesActor, decide: DecideChange) {
	return await transact(vault, async (queries, record) => {
		const row = await findContainerForUpdate(queries, id);
		if (row === undefined) throw notFound('container');
		const { keys } = vault;
		const changed = await storeRules({ queries, record, keys, row, by }, decide);
		await by.onChanged?.(queries, changed);
		return changed;
	});
}

interface RulesTransaction {
	queries: Queries;
	record: RecordEvent;
	keys: Vault['keys'];
	row: ContainerRow;
	by: RulesActor;
}

async function storeRules(
	{ queries, record, keys, row, by }: RulesTransaction,
	decide: DecideChange,
): Promise<ChangedRules> {
	const { user, ip, today } = by;
	const opened = openSeal(keys, row);
	if (!opened.rules.dynamic) {
		throw new ServiceError(409, 'rules_fixed', "The rules of this container can't be changed.");
	}
	const sent = decide(opened.rules, row.revision);
	assertValid(findRuleProblems(sent));
	const rules = mergeRules(opened.rules, sent);
	const changed = findChangedRules(opened.rules, rules);
	if (changed.length === 0) return { rules, revision: row.revision };
	const revision = row.revision + 1;
	const ended_day = findEndedDay(row.ended_day, { before: opened.rules, after: rules, today });
	const columns = { revision, ended_day, updated_date: new Date().toISOString() };
	await updateSealed({ queries, keys }, row, { ...opened, rules }, columns);
	const about = { ownerId: row.owner_id, container: row, user };
	await record({ ...about, action: 'drm.update', detail: { ip, changed } });
	return { rules, revision };
}
