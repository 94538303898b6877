import { exampleCredentialTypes, type StoredCredentials } from '../examples.cts';
import type { N8nServer } from '../realN8n/server.cts';

/**
 * Stores a credential without data for each type that the examples want and that is not there yet:
 * without one, the canvas shows a warning on the node.
 * @returns a credential of every type
 */
export async function storeCredentials(
	server: N8nServer,
	present: StoredCredentials,
): Promise<StoredCredentials> {
	const stored = { ...present };
	for (const type of exampleCredentialTypes) {
		if (stored[type] !== undefined) continue;
		const id = await server.createCredential({ name: 'Account', type, data: {} });
		stored[type] = { id, name: 'Account' };
	}
	return stored;
}
