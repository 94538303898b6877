import { UserError, type IDataObject } from 'n8n-workflow';

import { parseRules, RULE_KEYS, toCanonicalRule, type DrmRules } from '../shared/api/shownRules';
import {
	CONTACT_LIST,
	CONTAINER_LIST,
	type ListDefinition,
	type ListEntry,
} from '../shared/api/lists';
import { readRecord, toContainerKey } from '../shared/api/records';
import { toAddressKey } from '../shared/parameters/addresses';
import { daysBetween } from '../shared/parameters/dates';
import { shorten } from '../shared/parameters/values';
import { hash, toCanonicalText } from '../shared/responses/shapes';
import type { TriggerParameters } from './parameters';

export interface Reading {
	/** What the state keeps: short, of constant length where it can be. Undefined for what the event is not about. */
	content?: string;
	/** The JSON of an item, but for the container that it is about. */
	item?: IDataObject;
}

/** What a list shows, compared with the list of the poll before. */
export interface ListEvent {
	list: ListDefinition;
	/** Whether it takes the rules of each container, which its items end with. */
	readsRules?: boolean;
	/** Whether a record that the last poll did not see is none. */
	ignoresNew?: boolean;
	/** Whether it counts days, up to the day that access ends on. */
	countsDays?: boolean;
	/** Whether its items are the contents of what the list doesn't have any more. */
	isDeletion?: boolean;
	/** @param saved the content of the last poll @throws UserError for unclear rules */
	read(entry: WatchedEntry, settings: ReadSettings, saved?: string): Reading;
}

/** `today`: in the time zone of the service, where it says one and days are counted. */
type ReadSettings = TriggerParameters & { today: string };

export interface WatchedEntry extends ListEntry {
	/** What the state knows it by. */
	key: string;
	rules?: DrmRules;
}

/** `activity`: the `action` of what the service itself notes (docs/openapi.yaml, Event), which are the items. */
type TriggerEvent = { name: string; description: string } & (ListEvent | { activity: string });

/** A hash of each rule that is set, and of each recipient; with Include Previous Rules, the rules themselves. */
type SavedRules = Partial<Record<keyof DrmRules, string>> & { before?: DrmRules };

/** What the contact is known by, in any capitals, and what the service sets with each change. */
const NOT_COMPARED = ['email', 'updated_date'];

/** In the order of the selector: most used first. */
export const events: Record<string, TriggerEvent> = {
	containerCreated: {
		name: 'Container Created',
		description: 'When a container is created, in n8n or elsewhere',
		list: CONTAINER_LIST,
		read: ({ record }) => ({ content: '', item: record }),
	},
	containerOpened: {
		name: 'Container Opened',
		description:
			'When somebody opens a container. Tells who, when and from where. Encrypted Containers Instant Trigger does it at once.',
		activity: 'container.open',
	},
	accessRefused: {
		name: 'Access Refused',
		description:
			'When somebody proves an address, but the access rules or the password keep them out. Tells who, when, from where and why.',
		activity: 'container.refuse',
	},
	accessRequested: {
		name: 'Access Requested',
		description:
			'When somebody who proved an address, and was refused, asks for access. Tells who, why they were refused, and their note, which is a text by a stranger.',
		activity: 'access.request',
	},
	codeRefused: {
		name: 'Code Refused',
		description:
			'When somebody asks for a code with an address that no rule names: a typing error, an alias, or a stranger. The address is not proven.',
		activity: 'code.refuse',
	},
	filesReceived: {
		name: 'Files Received',
		description:
			'When somebody sends files by a File Request. Tells who, when, and which container has them.',
		activity: 'request.deliver',
	},
	/**
	 * Access that has ended counts only where the last poll saw the same end ahead: no poll ran in between. Otherwise,
	 * somebody ended it.
	 */
	accessEnding: {
		name: 'Access Ending',
		description:
			'When the last day of access to a container is near. Triggers once for each end date.',
		list: CONTAINER_LIST,
		readsRules: true,
		countsDays: true,
		/** The content is the day as the service shows it, marked where it is still too far ahead. */
		read({ rules = {} }, { withinDays, today }, saved) {
			const { end } = parse(rules, 'time') ?? {};
			if (end === undefined) return {};
			const daysLeft = daysBetween(today, end);
			const ahead = `~${end}`;
			if (daysLeft < 0 && saved !== ahead) return {};
			// What was emitted stays so: the days can become fewer in between.
			const isNear = daysLeft <= withinDays || saved === end;
			return isNear ? { content: end, item: { endsOn: end, daysLeft } } : { content: ahead };
		},
	},
	drmChanged: {
		name: 'Access Rules Changed',
		description: 'When the access rules of a container change, whoever changed them',
		list: CONTAINER_LIST,
		readsRules: true,
		ignoresNew: true,
		read({ rules = {} }, { includePreviousRules }, saved) {
			const { before, ...last } = JSON.parse(saved ?? '{}') as SavedRules;
			const hashes = hashRules(rules);
			const kept: SavedRules = includePreviousRules ? { ...hashes, before: rules } : hashes;
			const content = JSON.stringify(kept);
			const changedRules = RULE_KEYS.filter((key) => (last[key] ?? '') !== (hashes[key] ?? ''));
			if (saved !== undefined && changedRules.length === 0) return { content };
			const item = { changedRules, added: { recipients: listMissing(rules, last) } };
			if (!includePreviousRules || before === undefined) return { content, item };
			const removed = { recipients: listMissing(before, hashes) };
			return { content, item: { ...item, removed, before } };
		},
	},
	containerDeleted: {
		name: 'Container Deleted',
		description: 'When a container is deleted',
		list: CONTAINER_LIST,
		isDeletion: true,
		read: ({ id, name }) => toDeleted({ containerId: id, name: name && shorten(name) }),
	},
	contactCreated: {
		name: 'Contact Created',
		description: 'When a contact is created',
		list: CONTACT_LIST,
		read: ({ record }) => ({ content: '', item: record }),
	},
	contactChanged: {
		name: 'Contact Changed',
		description: "When a field of a contact changes. New contacts don't count as changed.",
		list: CONTACT_LIST,
		ignoresNew: true,
		read({ record }, { fieldsToIgnore }) {
			const fields = { ...readRecord('contact', record).fields };
			for (const name of [...NOT_COMPARED, ...fieldsToIgnore]) delete fields[name];
			return { content: hash(toCanonicalText(fields)), item: record };
		},
	},
	contactDeleted: {
		name: 'Contact Deleted',
		description: 'When a contact is deleted',
		list: CONTACT_LIST,
		isDeletion: true,
		read: ({ id }) => toDeleted({ email: id }),
	},
};

export const eventOptions = Object.entries(events).map(([value, { name, description }]) => {
	return { name, value, description, action: `On ${name.toLowerCase()}` };
});

/** The same for all spellings of an address or UUID, which a service can change. */
export function getKey({ list }: ListEvent, id: string): string {
	return hash(list === CONTACT_LIST ? toAddressKey(id) : toContainerKey(id));
}

/** Nothing else shows it later. */
function toDeleted(item: IDataObject): Reading {
	return { content: JSON.stringify(item), item };
}

function hashRules(rules: DrmRules): SavedRules {
	const hashes: SavedRules = {};
	for (const key of RULE_KEYS) {
		const text = toCanonicalRule(rules[key]);
		if (text !== '') hashes[key] = hash(text);
	}
	const recipients = [...hashRecipients(rules).keys()].sort().join();
	return { ...hashes, recipients };
}

/** The recipients of rules that have no hash in what is saved. */
function listMissing(rules: DrmRules, { recipients = '' }: SavedRules): string[] {
	const others = new Set(recipients.split(','));
	return [...hashRecipients(rules)].flatMap(([key, address]) => (others.has(key) ? [] : address));
}

/** Each once, whatever their order and the form of an address. */
function hashRecipients(rules: DrmRules): Map<string, string> {
	const addresses = parse(rules, 'recipients') ?? [];
	return new Map(addresses.map((entry) => [hash(toAddressKey(entry)), entry]));
}

function parse<Key extends keyof DrmRules>(record: DrmRules, key: Key): DrmRules[Key] {
	const { rules, unclear } = parseRules({ [key]: record[key] } as IDataObject);
	if (!(key in unclear)) return rules[key];
	const shown = JSON.stringify(unclear[key]).slice(0, 100);
	throw new UserError(`The service shows "${key}" in a form that the node can't read: ${shown}`);
}
