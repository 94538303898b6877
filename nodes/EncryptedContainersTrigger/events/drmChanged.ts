import { UserError } from 'n8n-workflow';

import type { DrmRules } from '../../shared/api/drmRules';
import { CONTAINER_LIST } from '../../shared/api/lists';
import { parseRule, RULE_KEYS } from '../../shared/api/ruleValues';
import { toAddressKey } from '../../shared/parameters/addresses';
import { isNoDate, parseServiceDate } from '../../shared/parameters/dates';
import { toCanonicalText } from '../../shared/responses/canonicalJson';
import { FINGERPRINT_LENGTH, hash } from '../pollState';
import type { TriggerEvent } from '../types';

/** In the content of a container: one fingerprint for each of these, then one for each recipient, sorted. */
const SINGLE_KEYS = RULE_KEYS.filter((key) => key !== 'recipients');
const KEYS = [...SINGLE_KEYS, 'recipients'];
const NO_RULES = hash('').repeat(SINGLE_KEYS.length);
const FINGERPRINTS = new RegExp(`.{${FINGERPRINT_LENGTH}}`, 'g');
/** More than any container has, and few enough to be hashed at once. */
const MAX_RECIPIENTS = 10_000;
/** In the content of a container, before the rules themselves, as JSON. No fingerprint contains it. */
const SEPARATOR = ' ';

/** A container whose documented DRM rules differ from the last poll. Emits the current rules, and what changed. */
export const drmChanged: TriggerEvent = {
	option: {
		name: 'Access Rules Changed',
		value: 'drmChanged',
		description:
			"When the access rules of a container change. The API doesn't show who changed them.",
		action: 'On access rules changed',
	},
	list: CONTAINER_LIST,
	sample: 'A test shows the rules of existing containers, as if all of them were new.',
	nothingToShow: 'There is no container with access rules to show as a sample',
	async fetch(fetcher) {
		const { isSample, parameters } = fetcher.options;
		const { includePreviousRules } = parameters;
		return await fetcher.fetchRules((rules) => {
			const fingerprints = getFingerprints(rules);
			if (isSample && fingerprints === NO_RULES) return undefined;
			const stored = includePreviousRules ? `${SEPARATOR}${JSON.stringify(rules)}` : '';
			return {
				content: `${fingerprints}${stored}`,
				toItem: (before = `${NO_RULES}${SEPARATOR}{}`) => {
					const [last, json] = split(before);
					const previous =
						includePreviousRules && json ? (JSON.parse(json) as DrmRules) : undefined;
					return {
						changedRules: KEYS.filter((_key, index) => {
							return getPart(last, index) !== getPart(fingerprints, index);
						}),
						added: { recipients: listMissing(rules, last) },
						...(previous && {
							removed: { recipients: listMissing(previous, fingerprints) },
							before: previous,
						}),
					};
				},
			};
		});
	},
	isEvent: (before, content) => before !== undefined && split(before)[0] !== split(content)[0],
	stateKey: ({ nameContains }) => nameContains,
};

/** Other spellings of the same rules have the same fingerprints. */
function getFingerprints(rules: DrmRules): string {
	const singles = SINGLE_KEYS.map((key) => hash(toRuleText(key, rules[key])));
	const recipients = new Set(listRecipients(rules).map(toFingerprint));
	return [...singles, ...[...recipients].sort()].join('');
}

function toRuleText(key: string, value: unknown): string {
	const rule = parseRule(key, value) ?? value;
	const days = Object.entries(key === 'time' ? (rule ?? {}) : {}).map(([name, day]) => [
		name,
		isNoDate(day) ? '' : (parseServiceDate(day) ?? (day as unknown)),
	]);
	const comparable = key === 'time' ? (Object.fromEntries(days) as unknown) : rule;
	return toCanonicalText(comparable, (text) => text.trim().toLowerCase());
}

function listRecipients({ recipients }: DrmRules): string[] {
	const addresses = toCanonicalText(recipients) === '' ? [] : parseRule('recipients', recipients);
	if (Array.isArray(addresses) && addresses.length <= MAX_RECIPIENTS) return addresses as string[];
	throw new UserError(`The recipients are not a list of at most ${MAX_RECIPIENTS} addresses`);
}

function toFingerprint(recipient: string): string {
	return hash(toAddressKey(recipient));
}

/** The recipients of the rules whose fingerprints are not among the others. */
function listMissing(rules: DrmRules, others: string): string[] {
	const seen = new Set(others.slice(NO_RULES.length).match(FINGERPRINTS));
	return listRecipients(rules).filter((recipient) => {
		const fingerprint = toFingerprint(recipient);
		return !seen.has(fingerprint) && seen.add(fingerprint);
	});
}

/** The fingerprints in a content, and the rules as JSON where they were stored. */
function split(content: string): [fingerprints: string, json?: string] {
	const end = content.indexOf(SEPARATOR);
	return end === -1 ? [content] : [content.slice(0, end), content.slice(end + 1)];
}

/** What the fingerprints show of one of the rules. */
function getPart(fingerprints: string, index: number): string {
	const end = index === SINGLE_KEYS.length ? undefined : (index + 1) * FINGERPRINT_LENGTH;
	return fingerprints.slice(index * FINGERPRINT_LENGTH, end);
}
