import { addApiKey, type NewApiKey } from '../database/apiKeys.mts';
import type { Queries } from '../database/schema.mts';
import type { RecordEvent } from './trail.mts';

/** Adds an API key, and records it. The event has neither the key nor its name. */
export async function issueApiKey(queries: Queries, record: RecordEvent, key: NewApiKey) {
	const issued = await addApiKey(queries, key);
	const { user_id: ownerId, scope = 'all', expires_date } = key;
	const detail = { key: issued.id, scope, expires_date: expires_date ?? undefined };
	await record({ action: 'key.create', ownerId, user: '', detail });
	return issued;
}
