import { randomBytes, randomUUID } from 'node:crypto';

/** `DrmRules` of the contract. */
export type Rules = Record<string, unknown>;

export interface StoredContainer {
	uuid: string;
	userId: string;
	name: string;
	created: string;
	updated: string;
	rules: Rules;
	files: Array<{ name: string; type: string; size: number; sha256?: string }>;
	/** The manifest as received, with its password. */
	manifest?: unknown;
}

export interface StoredContact {
	userId: string;
	email: string;
	fields: Record<string, unknown>;
	created: string;
	updated: string;
}

export type NewContainer = Partial<StoredContainer> & { userId: string };
export type NewContact = Partial<StoredContact> & { userId: string; email: string };

/** What the service holds. Tests can inspect and change it: the maps keep the order of creation. */
export class Store {
	readonly containers = new Map<string, StoredContainer>();
	/** By user, then by email address. */
	readonly contacts = new Map<string, Map<string, StoredContact>>();

	addContainer(container: NewContainer): StoredContainer {
		const created = container.created ?? new Date().toISOString();
		const stored = {
			uuid: randomUUID() as string,
			name: 'Container',
			created,
			updated: created,
			rules: {},
			files: [],
			...container,
		};
		this.containers.set(stored.uuid, stored);
		return stored;
	}

	containersOf(userId: string): StoredContainer[] {
		return [...this.containers.values()].filter((container) => container.userId === userId);
	}

	contactsOf(userId: string): Map<string, StoredContact> {
		const contacts = this.contacts.get(userId) ?? new Map<string, StoredContact>();
		this.contacts.set(userId, contacts);
		return contacts;
	}

	addContact(contact: NewContact): StoredContact {
		const created = contact.created ?? new Date().toISOString();
		const stored = { fields: {}, created, updated: created, ...contact };
		this.contactsOf(stored.userId).set(stored.email, stored);
		return stored;
	}

	clear(): void {
		this.containers.clear();
		this.contacts.clear();
	}

	/** The store as plain JSON. */
	snapshot(): { containers: StoredContainer[]; contacts: StoredContact[] } {
		return {
			containers: [...this.containers.values()],
			contacts: [...this.contacts.values()].flatMap((contacts) => [...contacts.values()]),
		};
	}
}

/** A user of the service, as responses show them, and their API key. */
export interface SandboxUser {
	apiKey: string;
	id: string;
	/** An `administrator` can see and change what belongs to others. */
	role: string;
	email: string;
	[field: string]: unknown;
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
		// Beyond the fields of the contract.
		status: 'active',
		locale: 'en',
		preferences: { notifications: true },
		...given,
	};
}
