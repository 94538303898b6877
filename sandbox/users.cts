import { randomBytes, randomUUID } from 'node:crypto';

/** A user of the service and their API key. */
export interface SandboxUser {
	apiKey: string;
	id: string;
	/** An `administrator` can see and change what belongs to others. */
	role: string;
	root_org_id: string;
	created_date: string;
	email: string;
	first_name: string;
	last_name: string;
	mobile_phone: string;
	/** Fields beyond those of the contract. */
	otherFields: Record<string, unknown>;
}

/** @returns a user; values that aren't given are generated */
export function createUser(given: Partial<SandboxUser> = {}): SandboxUser {
	return {
		apiKey: `sandbox-${randomBytes(18).toString('hex')}`,
		id: randomUUID(),
		role: 'user',
		root_org_id: randomUUID(),
		created_date: '2026-01-15T09:30:00.123Z',
		email: 'owner@example.com',
		first_name: 'Olivia',
		last_name: 'Owner',
		mobile_phone: '+15550100',
		otherFields: { status: 'active', locale: 'en', preferences: { notifications: true } },
		...given,
	};
}

/** The user as responses show them: never the key. */
export function userRecord(user: SandboxUser): Record<string, unknown> {
	return {
		id: user.id,
		role: user.role,
		root_org_id: user.root_org_id,
		created_date: user.created_date,
		email: user.email,
		first_name: user.first_name,
		last_name: user.last_name,
		mobile_phone: user.mobile_phone,
		...user.otherFields,
	};
}
