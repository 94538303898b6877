import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { filterNamed, listNames, normalizeRecipient } from '../containers/addresses.mts';
import { readRecipients, indexLegacyRules } from '../containers/recipientIndex.mts';
import { NO_RECIPIENT } from '../containers/rules.mts';
import { toContainerRecord } from '../containers/containerRecord.mts';
import { invalid } from '../errors.mts';
import type { UserCall } from './call.mts';
import { listPage } from './listPage.mts';

export async function listContainers(call: UserCall) {
	const { recipient } = call.request.query;
	if (recipient !== undefined) return await listByRecipient(call, recipient);
	const rows = await listPage(call, 'containers', { owner_id: call.owner.id });
	return rows.map((row) => toContainerRecord(row, call.publicUrl));
}

/** @throws ServiceError 422 where it is neither an address nor a wildcard */
async function listByRecipient(call: UserCall, text: string) {
	const recipient = normalizeRecipient(text);
	if (recipient === undefined) throw invalid({ recipient: NO_RECIPIENT });
	const names = listNames(recipient);
	const own = { owner_id: call.owner.id };
	await indexLegacyRules(call.vault.database, call.owner.id);
	const rows = await listPage(call, 'containers', own, { ...own, recipients: names });
	const records: object[] = [];
	for (const row of rows) {
		const matched = filterNamed(readRecipients(row), names);
		const record = { ...toContainerRecord(row, call.publicUrl), matched };
		// The rules decide, whatever somebody wrote into the index.
		if (matched.length > 0) records.push(record);
		// Each can have 10,000 recipients.
		await yieldToOthers();
	}
	return records;
}
