import { randomBytes, randomUUID } from 'node:crypto';

/** A user of the service and the key that speaks for them. */
export interface SandboxUser {
	apiKey: string;
	id: string;
	/** `administrator` may see and change what belongs to others. */
	role: string;
	root_org_id: string;
	created_date: string;
	email: string;
	first_name: string;
	last_name: string;
	mobile_phone: string;
	/** Fields of the record beyond those of service-api.md. */
	further: Record<string, unknown>;
}

/** @returns a user record of service-api.md, with what was not given made up */
export function makeUser(given: Partial<SandboxUser> = {}): SandboxUser {
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
		further: { status: 'active', locale: 'en', preferences: { notifications: true } },
		...given,
	};
}

/** @returns the user as GET /me shows it: never the key */
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
		...user.further,
	};
}
