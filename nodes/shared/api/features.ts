import { UserError } from 'n8n-workflow';

import type { Client } from '../client/client';
import { hasStatus } from '../errors/errors';

/** What a service can do beside the rest of the API (docs/openapi.yaml, User), and what needs it. */
const FEATURES = {
	decode: ["The service doesn't give files back", 'Download Files (Decode) needs'],
	requests: ["The service doesn't take files from others", 'File Requests need'],
	events: [
		"The service doesn't tell who opens containers",
		'Get Activity and events such as Container Opened need',
	],
};

/** Whether the service lists something that a client can do without. */
export async function hasFeature(
	client: Client,
	name: 'idempotency_key' | 'recipient_filter',
): Promise<boolean> {
	const features = await fetchFeatures(client);
	return features.includes(name);
}

/** Whether the service lists what it can do. Then its lists have the filters of docs/openapi.yaml: another one can refuse them. */
export async function describesItself(client: Client): Promise<boolean> {
	const features = await fetchFeatures(client);
	return features.length > 0;
}

async function fetchFeatures(client: Client): Promise<string[]> {
	const { features } = await client.getCurrentUser().catch((error: unknown) => {
		if (isUserHidden(error)) return { features: [] };
		throw error;
	});
	return features;
}

/** A key may be allowed to do something, and not to read its user. */
export function isUserHidden(error: unknown): boolean {
	return hasStatus(error, 403);
}

/** @throws UserError where the service doesn't list it: then nothing else is sent */
export async function assertFeature(client: Client, name: keyof typeof FEATURES): Promise<void> {
	const { features } = await client.getCurrentUser();
	if (features.includes(name)) return;
	const [message, needs] = FEATURES[name];
	throw new UserError(message, {
		description: `${needs} a service whose response to GET /me has "${name}" in "features". Ask the operator of the service for a version that does.`,
	});
}
