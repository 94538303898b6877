import type { Client } from '../client/client';
import { hasStatus, isNotFound } from '../errors/errors';

/** Whether the service recognizes a request that it has already, by its key. */
export async function knowsIdempotencyKeys(client: Client): Promise<boolean> {
	const { features } = await client.getCurrentUser().catch((error: unknown) => {
		if (isUserHidden(error)) return { features: [] as string[] };
		throw error;
	});
	return features.includes('idempotency_key');
}

/** A key may be allowed to do something, and not to read its user. */
export function isUserHidden(error: unknown): boolean {
	return hasStatus(error, 403) || isNotFound(error);
}
