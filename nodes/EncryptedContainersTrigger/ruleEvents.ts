import { UserError } from 'n8n-workflow';

import {
	isSet,
	parseRule,
	RULE_KEYS,
	toCanonicalRule,
	type DrmRules,
} from '../shared/api/drmRules';
import { CONTAINER_LIST } from '../shared/api/lists';
import { toAddressKey } from '../shared/parameters/addresses';
import { daysBetween } from '../shared/parameters/dates';
import { hash, type ListEvent } from './eventTypes';

/**
 * A container whose access ends within the chosen number of days, once for each end: the day as the service shows it. Access
 * that has ended counts only where the last poll saw the same end ahead: no poll ran in between. Otherwise, somebody ended it.
 */
export const accessEnding: ListEvent = {
	name: 'Access Ending',
	value: 'accessEnding',
	description:
		'When the last day of access to a container is near. Triggers once for each end date.',
	list: CONTAINER_LIST,
	readsRules: true,
	/** The content is the end, and whether it is still too far ahead. */
	toContent({ rules = {} }, { withinDays, today }, saved) {
		const { end } = parse(rules, 'time') ?? {};
		if (end === undefined) return undefined;
		const daysLeft = daysBetween(today, end);
		const ahead = `~${end}`;
		if (daysLeft < 0 && saved !== ahead) return undefined;
		if (daysLeft <= withinDays) return { content: end, toItem: () => ({ endsOn: end, daysLeft }) };
		// What was emitted stays so: the days can become fewer in between.
		return { content: saved === end ? end : ahead };
	},
	isEvent: (before, content) => before !== content,
};

/** A hash of each rule that is set, and of each recipient; with Include Previous Rules, the rules themselves. */
type Saved = Partial<Record<keyof DrmRules, string>> & { before?: DrmRules };

export const drmChanged: ListEvent = {
	name: 'Access Rules Changed',
	value: 'drmChanged',
	description: 'When the access rules of a container change, whoever changed them',
	list: CONTAINER_LIST,
	readsRules: true,
	toContent({ rules = {} }, { includePreviousRules }) {
		const hashes = hashRules(rules);
		const content = JSON.stringify({ ...hashes, before: includePreviousRules ? rules : undefined });
		return {
			content,
			toItem(saved = '{}') {
				const { before, ...last } = JSON.parse(saved) as Saved;
				const changedRules = listChanged(saved, content);
				const added = { recipients: listMissing(rules, last) };
				if (!includePreviousRules || before === undefined) return { changedRules, added };
				const removed = { recipients: listMissing(before, hashes) };
				return { changedRules, added, removed, before };
			},
		};
	},
	isEvent: (before, content) => before !== undefined && listChanged(before, content).length > 0,
};

function hashRules(rules: DrmRules): Saved {
	const recipients = [...hashRecipients(rules).keys()].sort().join();
	const texts = { ...rules, recipients };
	const hashes = RULE_KEYS.map((key) => [key, toCanonicalRule(texts[key])] as const)
		.filter(([, text]) => text !== '')
		.map(([key, text]) => [key, key === 'recipients' ? recipients : hash(text)]);
	return Object.fromEntries(hashes) as Saved;
}

function listChanged(before: string, content: string): string[] {
	const [last, now] = [before, content].map((text) => JSON.parse(text) as Saved);
	return RULE_KEYS.filter((key) => last[key] !== now[key]);
}

/** The recipients of rules that have no hash in what is saved. */
function listMissing(rules: DrmRules, { recipients = '' }: Saved): string[] {
	const others = new Set(recipients.split(','));
	return [...hashRecipients(rules)].flatMap(([key, address]) => (others.has(key) ? [] : address));
}

/** Each once, whatever their order and the form of an address. */
function hashRecipients(rules: DrmRules): Map<string, string> {
	const addresses = parse(rules, 'recipients') ?? [];
	return new Map(addresses.map((entry) => [hash(toAddressKey(entry)), entry]));
}

function parse<Key extends keyof DrmRules>(rules: DrmRules, key: Key): DrmRules[Key] {
	if (!isSet(rules[key])) return undefined;
	const rule = parseRule(key, rules[key]) as DrmRules[Key];
	if (rule !== undefined) return rule;
	const shown = JSON.stringify(rules[key]).slice(0, 100);
	throw new UserError(`The service shows "${key}" in a form that the node can't read: ${shown}`);
}
