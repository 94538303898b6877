import { UserError } from 'n8n-workflow';

import type { DrmRules } from '../../shared/api/drmRules';
import { CONTAINER_LIST } from '../../shared/api/lists';
import { isSet, parseRule, RULE_KEYS, toCanonicalRule } from '../../shared/api/ruleValues';
import { toAddressKey } from '../../shared/parameters/addresses';
import { FINGERPRINT_LENGTH, hash } from '../pollState';
import type { ListEvent } from '../types';

const SINGLE_KEYS = RULE_KEYS.filter((key) => key !== 'recipients');
const COMPARED_KEYS = [...SINGLE_KEYS, 'recipients'];
const NO_RULES = hash('').repeat(SINGLE_KEYS.length);
const FINGERPRINTS = new RegExp(`.{${FINGERPRINT_LENGTH}}`, 'g');

export const drmChanged: ListEvent = {
	option: {
		name: 'Access Rules Changed',
		value: 'drmChanged',
		description: 'When the access rules of a container change, whoever changed them',
	},
	list: CONTAINER_LIST,
	sample: 'A test shows the rules of existing containers, as if all of them were new.',
	nothingToShow: 'There is no container with access rules to show as a sample',
	readsRules: true,
	/** The content is fingerprints of each rule and each recipient, and the rules if they are to be returned later. */
	toContent({ rules = {} }, { includePreviousRules }) {
		// One of each recipient, whatever their order and the form of an address.
		const recipients = [...new Set(listRecipients(rules).map(toFingerprint))].sort().join('');
		const singles = SINGLE_KEYS.map((key) => hash(toCanonicalRule(rules[key])));
		const stored = includePreviousRules ? ` ${JSON.stringify(rules)}` : '';
		const content = `${singles.join('')} ${recipients}${stored}`;
		return {
			content,
			toItem(before = `${NO_RULES}  {}`) {
				const [, recipientsBefore, ...json] = before.split(' ');
				const changedRules = listChanged(before, content);
				const added = { recipients: listMissing(rules, recipientsBefore) };
				if (!includePreviousRules || json.length === 0) return { changedRules, added };
				const previous = JSON.parse(json.join(' ')) as DrmRules;
				const removed = { recipients: listMissing(previous, recipients) };
				return { changedRules, added, removed, before: previous };
			},
		};
	},
	isEvent: (before, content) => before !== undefined && listChanged(before, content).length > 0,
	stateKey: ({ nameContains }) => nameContains,
};

/** The rules whose fingerprints differ between two contents. */
function listChanged(before: string, content: string): string[] {
	const [last, now] = [before, content].map((text) => {
		const [singles, recipients] = text.split(' ', 2);
		return [...Array.from(singles.matchAll(FINGERPRINTS), String), recipients];
	});
	return COMPARED_KEYS.filter((_key, at) => last[at] !== now[at]);
}

function listRecipients({ recipients }: DrmRules): string[] {
	if (!isSet(recipients)) return [];
	const addresses = parseRule('recipients', recipients);
	if (addresses !== undefined) return addresses as string[];
	throw new UserError('The recipients are not a list of addresses');
}

function toFingerprint(recipient: string): string {
	return hash(toAddressKey(recipient));
}

/** The recipients whose fingerprints are not among others, each once. */
function listMissing(rules: DrmRules, others: string): string[] {
	const seen = new Set(others.match(FINGERPRINTS));
	return listRecipients(rules).filter(
		(recipient) => seen.size < seen.add(toFingerprint(recipient)).size,
	);
}
