import { randomUUID } from 'node:crypto';

/** `DrmRules` of the contract. */
export type Rules = Record<string, unknown>;

interface StoredFile {
	name: string;
	type: string;
	size: number;
	sha256?: string;
	/** Where the bytes are, when `keepFiles` is on. */
	path?: string;
}

export interface StoredContainer {
	uuid: string;
	userId: string;
	name: string;
	created: string;
	updated: string;
	rules: Rules;
	files: StoredFile[];
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
		const now = new Date().toISOString();
		const stored = {
			uuid: randomUUID() as string,
			name: 'Container',
			created: now,
			updated: container.created ?? now,
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
		let contacts = this.contacts.get(userId);
		if (contacts === undefined) {
			contacts = new Map();
			this.contacts.set(userId, contacts);
		}
		return contacts;
	}

	addContact(contact: NewContact): StoredContact {
		const now = new Date().toISOString();
		const stored = { fields: {}, created: now, updated: contact.created ?? now, ...contact };
		this.contactsOf(stored.userId).set(stored.email, stored);
		return stored;
	}

	clear(): void {
		this.containers.clear();
		this.contacts.clear();
	}
}

/** The store as plain JSON. */
export interface StoreSnapshot {
	containers: StoredContainer[];
	contacts: StoredContact[];
}

export function snapshot(store: Store): StoreSnapshot {
	return {
		containers: [...store.containers.values()],
		contacts: [...store.contacts.values()].flatMap((contacts) => [...contacts.values()]),
	};
}
