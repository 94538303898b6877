import { UserError } from 'n8n-workflow';

import type { DrmRules } from '../../shared/api/drmRules';
import { CONTAINER_LIST } from '../../shared/api/lists';
import { MAX_RECIPIENTS, parseRule, RULE_KEYS } from '../../shared/api/ruleValues';
import { toAddressKey } from '../../shared/parameters/addresses';
import { isNoDate, parseServiceDate } from '../../shared/parameters/dates';
import { toCanonicalText } from '../../shared/responses/canonicalJson';
import { FINGERPRINT_LENGTH, hash } from '../pollState';
import type { TriggerEvent } from '../types';

const SINGLE_KEYS = RULE_KEYS.filter((key) => key !== 'recipients');
const COMPARED_KEYS = [...SINGLE_KEYS, 'recipients'];
const NO_RULES = hash('').repeat(SINGLE_KEYS.length);
const FINGERPRINTS = new RegExp(`.{${FINGERPRINT_LENGTH}}`, 'g');

export const drmChanged: TriggerEvent = {
	option: {
		name: 'Access Rules Changed',
		value: 'drmChanged',
		description:
			"When the access rules of a container change. The API doesn't show who changed them.",
	},
	list: CONTAINER_LIST,
	sample: 'A test shows the rules of existing containers, as if all of them were new.',
	nothingToShow: 'There is no container with access rules to show as a sample',
	readsRules: true,
	toContent({ rules = {} }, { includePreviousRules }) {
		// One of each recipient, whatever their order and the form of an address.
		const fingerprints = new Set(listRecipients(rules).map(toFingerprint));
		const recipients = [...fingerprints].sort().join('');
		const singles = SINGLE_KEYS.map((key) => hash(toRuleText(key, rules[key])));
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

/** The rules that differ between two contents: fingerprints of each rule and each recipient, and the rules if stored. */
function listChanged(before: string, content: string): string[] {
	const [last, now] = [before, content].map((text) => {
		const [singles, recipients] = text.split(' ', 2);
		return [...Array.from(singles.matchAll(FINGERPRINTS), String), recipients];
	});
	return COMPARED_KEYS.filter((_key, at) => last[at] !== now[at]);
}

/** At midnight, it stands for the day. */
const TIME = /[T ](?!00:00(:00)?(\.0+)?\s*([Z+-]|$))\d/;

/** A text that other spellings of the same rule have too. */
function toRuleText(key: string, value: unknown): string {
	const rule = parseRule(key, value) ?? value;
	const toDay = (date: unknown) => {
		const day = TIME.test(String(date)) ? undefined : parseServiceDate(date);
		return isNoDate(date) ? '' : (day ?? date);
	};
	const ends = Object.entries(key === 'time' ? (rule ?? {}) : {});
	const days = Object.fromEntries(ends.map(([name, day]) => [name, toDay(day)]));
	const comparable = key === 'time' ? days : rule;
	return toCanonicalText(comparable, (text) => text.trim().toLowerCase());
}

function listRecipients({ recipients }: DrmRules): string[] {
	const addresses = toCanonicalText(recipients) === '' ? [] : parseRule('recipients', recipients);
	if (Array.isArray(addresses)) return addresses as string[];
	throw new UserError(`The recipients are not a list of at most ${MAX_RECIPIENTS} addresses`);
}

function toFingerprint(recipient: string): string {
	return hash(toAddressKey(recipient));
}

function listMissing(rules: DrmRules, others: string): string[] {
	const seen = new Set(others.match(FINGERPRINTS));
	return listRecipients(rules).filter((recipient) => {
		const fingerprint = toFingerprint(recipient);
		return !seen.has(fingerprint) && seen.add(fingerprint);
	});
}
