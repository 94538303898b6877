import { exampleCredentialTypes, type StoredCredentials } from '../examples.cts';
import type { N8nServer } from '../realN8n/server.cts';

/**
 * Creates an empty credential for each missing type that the examples need. Without it, the canvas shows
 * a warning on the node.
 * @returns a credential of each type
 */
export async function createCredentials(
	server: N8nServer,
	existing: StoredCredentials,
): Promise<StoredCredentials> {
	const stored = { ...existing };
	for (const type of exampleCredentialTypes) {
		if (stored[type] !== undefined) continue;
		const id = await server.createCredential({ name: 'Account', type, data: {} });
		stored[type] = { id, name: 'Account' };
	}
	return stored;
}
