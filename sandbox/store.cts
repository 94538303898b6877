import { randomUUID } from 'node:crypto';

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
