import { createHash } from 'crypto';
import { UserError, type IDataObject } from 'n8n-workflow';

import { parseRules, RULE_KEYS, toCanonicalRule, type DrmRules } from '../shared/api/drmRules';
import {
	CONTACT_LIST,
	CONTAINER_LIST,
	type ListDefinition,
	type ListEntry,
} from '../shared/api/lists';
import { readRecord, withContainerId } from '../shared/api/records';
import { toAddressKey } from '../shared/parameters/addresses';
import { daysBetween } from '../shared/parameters/dates';
import { shorten } from '../shared/parameters/values';
import { toCanonicalText } from '../shared/responses/shapes';
import type { TriggerParameters } from './parameters';

interface EventWords {
	name: string;
	description: string;
}

/** What the service itself notes: each item is one of its events. */
export interface ActivityEvent extends EventWords {
	/** The `action` of the service's events (docs/openapi.yaml, Event). */
	activity: string;
}

/** What a list shows, compared with the list of the poll before. */
export interface ListEvent extends EventWords {
	activity?: undefined;
	list: ListDefinition;
	/** Whether it takes the rules of each container, which its items begin and end with. */
	readsRules?: boolean;
	/** Undefined for rules that the event is not about. `saved`: by the last poll. @throws UserError for unclear rules */
	toContent(entry: WatchedEntry, options: TriggerParameters, saved?: string): Content | undefined;
	/** Compares a content with what the last poll saved. Without it, the event is a deletion, and the content its item. */
	isEvent?(before: string | undefined, content: string): boolean;
}

export interface WatchedEntry extends ListEntry {
	/** What the state knows it by. */
	key: string;
	rules?: DrmRules;
}

export interface Content {
	/** The text to save and compare: short, of constant length where it can be. */
	content: string;
	/** Returns the JSON of an item, for what is not only saved. `before`: the content that the last poll saved, if any. */
	toItem?(before?: string): IDataObject;
}

/** A hash of each rule that is set, and of each recipient; with Include Previous Rules, the rules themselves. */
type SavedRules = Partial<Record<keyof DrmRules, string>> & { before?: DrmRules };

/** What the contact is known by, in any capitals, and what the service sets with each change. */
const NOT_COMPARED = ['email', 'updated_date'];

/** The events in the order of the selector: most used first. */
export const events: Record<string, ActivityEvent | ListEvent> = {
	containerCreated: {
		name: 'Container Created',
		description: 'When a container is created, in n8n or elsewhere',
		list: CONTAINER_LIST,
		toContent: ({ id, record }) => ({ content: '', toItem: () => withContainerId(id, record) }),
		isEvent: (before) => before === undefined,
	},
	containerOpened: {
		name: 'Container Opened',
		description: 'When somebody opens a container. Tells who, when and from where.',
		activity: 'container.open',
	},
	accessRefused: {
		name: 'Access Refused',
		description:
			'When somebody proves an address, but the access rules or the password keep them out. Tells who, when, from where and why.',
		activity: 'container.refuse',
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
		/** The content is the end, the day as the service shows it, and whether it is still too far ahead. */
		toContent({ rules = {} }, { withinDays, today }, saved) {
			const { end } = parse(rules, 'time') ?? {};
			if (end === undefined) return undefined;
			const daysLeft = daysBetween(today, end);
			const ahead = `~${end}`;
			if (daysLeft < 0 && saved !== ahead) return undefined;
			if (daysLeft <= withinDays)
				return { content: end, toItem: () => ({ endsOn: end, daysLeft }) };
			// What was emitted stays so: the days can become fewer in between.
			return { content: saved === end ? end : ahead };
		},
		isEvent: (before, content) => before !== content,
	},
	drmChanged: {
		name: 'Access Rules Changed',
		description: 'When the access rules of a container change, whoever changed them',
		list: CONTAINER_LIST,
		readsRules: true,
		toContent({ rules = {} }, { includePreviousRules }) {
			const hashes = hashRules(rules);
			const content = JSON.stringify({
				...hashes,
				before: includePreviousRules ? rules : undefined,
			});
			return {
				content,
				toItem(saved = '{}') {
					const { before, ...last } = JSON.parse(saved) as SavedRules;
					const changedRules = listChanged(saved, content);
					const added = { recipients: listMissing(rules, last) };
					if (!includePreviousRules || before === undefined) return { changedRules, added };
					const removed = { recipients: listMissing(before, hashes) };
					return { changedRules, added, removed, before };
				},
			};
		},
		isEvent: (before, content) => before !== undefined && listChanged(before, content).length > 0,
	},
	containerDeleted: {
		name: 'Container Deleted',
		description: 'When a container is deleted',
		list: CONTAINER_LIST,
		toContent: ({ id, name }) => toDeleted({ containerId: id, name: name && shorten(name) }),
	},
	contactCreated: {
		name: 'Contact Created',
		description: 'When a contact is created',
		list: CONTACT_LIST,
		toContent: ({ record }) => ({ content: '', toItem: () => record }),
		isEvent: (before) => before === undefined,
	},
	contactChanged: {
		name: 'Contact Changed',
		description: "When a field of a contact changes. New contacts don't count as changed.",
		list: CONTACT_LIST,
		toContent({ record }, { fieldsToIgnore }) {
			const fields = { ...readRecord('contact', record).fields };
			for (const name of [...NOT_COMPARED, ...fieldsToIgnore]) delete fields[name];
			return { content: hash(toCanonicalText(fields)), toItem: () => record };
		},
		isEvent: (before, content) => before !== undefined && before !== content,
	},
	contactDeleted: {
		name: 'Contact Deleted',
		description: 'When a contact is deleted',
		list: CONTACT_LIST,
		toContent: ({ id }) => toDeleted({ email: id }),
	},
};

export const eventOptions = Object.entries(events).map(([value, { name, description }]) => {
	return { name, value, description, action: `On ${name.toLowerCase()}` };
});

/** 72 bits of a text, as Base64. */
export function hash(text: string): string {
	return createHash('sha256').update(text).digest('base64').slice(0, 12);
}

/** The state contains the item, because nothing else shows it later. */
function toDeleted(item: IDataObject): Content {
	return { content: JSON.stringify(item), toItem: () => item };
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

function listChanged(before: string, content: string): string[] {
	const [last, now] = [before, content].map((text) => JSON.parse(text) as SavedRules);
	return RULE_KEYS.filter((key) => (last[key] ?? '') !== (now[key] ?? ''));
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
