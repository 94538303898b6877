import { UserError } from 'n8n-workflow';

import type { DrmRules } from '../../shared/api/drmRules';
import { CONTAINER_LIST } from '../../shared/api/lists';
import { isSet, parseRule, RULE_KEYS, toCanonicalRule } from '../../shared/api/ruleValues';
import { toAddressKey } from '../../shared/parameters/addresses';
import { hash } from '../pollState';
import type { ListEvent } from '../types';

const RECIPIENTS = RULE_KEYS.indexOf('recipients');
const NO_RULES = RULE_KEYS.map((key) => (key === 'recipients' ? '' : hash(''))).join(' ');

export const drmChanged: ListEvent = {
	name: 'Access Rules Changed',
	value: 'drmChanged',
	description: 'When the access rules of a container change, whoever changed them',
	list: CONTAINER_LIST,
	readsRules: true,
	/** The content is a hash of each rule and each recipient, and the rules if they are to be returned later. */
	toContent({ rules = {} }, { includePreviousRules }) {
		const recipients = [...hashRecipients(rules).keys()].sort().join();
		const hashes = RULE_KEYS.map((key) =>
			key === 'recipients' ? recipients : hash(toCanonicalRule(rules[key])),
		);
		const content = [...hashes, includePreviousRules ? JSON.stringify(rules) : ''].join(' ');
		return {
			content,
			toItem(before = NO_RULES) {
				const changedRules = listChanged(before, content);
				const added = { recipients: listMissing(rules, before) };
				const json = before.split(' ').slice(RULE_KEYS.length).join(' ');
				if (!includePreviousRules || json === '') return { changedRules, added };
				const previous = JSON.parse(json) as DrmRules;
				const removed = { recipients: listMissing(previous, content) };
				return { changedRules, added, removed, before: previous };
			},
		};
	},
	isEvent: (before, content) => before !== undefined && listChanged(before, content).length > 0,
};

/** The rules whose hashes differ between two contents. */
function listChanged(before: string, content: string): string[] {
	const [last, now] = [before, content].map((text) => text.split(' ', RULE_KEYS.length));
	return RULE_KEYS.filter((_key, at) => last[at] !== now[at]);
}

/** The recipients of rules whose hashes are not in a content. */
function listMissing(rules: DrmRules, content: string): string[] {
	const others = new Set(content.split(' ')[RECIPIENTS].split(','));
	const recipients = [...hashRecipients(rules)];
	return recipients.filter(([key]) => !others.has(key)).map(([, recipient]) => recipient);
}

/** Each once, whatever their order and the form of an address. */
function hashRecipients({ recipients }: DrmRules): Map<string, string> {
	const addresses = isSet(recipients) ? parseRule('recipients', recipients) : [];
	if (addresses === undefined) throw new UserError('The recipients are not a list of addresses');
	const entries = addresses as string[];
	return new Map(entries.map((address) => [hash(toAddressKey(address)), address]));
}
