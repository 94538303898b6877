import { parseRange } from './addressRanges.mts';
import { isRecipient, normalizeRecipient } from './addresses.mts';

export interface AccessList<Entry> {
	allow?: Entry[];
	block?: Entry[];
}

/** The rules of a container, as docs/openapi.yaml describes them. One that is missing is no limit. */
export interface DrmRules {
	dynamic: boolean;
	recipients?: string[];
	downloadable?: boolean;
	geo?: AccessList<{ country: string }>;
	ip?: AccessList<string>;
	opens?: number;
	/** Days, such as 2026-12-31. */
	time?: { start?: string; end?: string };
}

/** Null removes a rule. */
export type RulesChange = { [Name in keyof DrmRules]?: DrmRules[Name] | null };

const NO_RECIPIENT = 'must be an email address, *@ with a domain, or *@*';
const NO_RANGE = 'must be an IP address or a range, such as 192.0.2.0/24 or 192.168.*.1';

/** What is wrong with rules that keep to the schema, by path. */
export function findRuleProblems({ recipients, ip, time }: RulesChange): Record<string, string> {
	const problems: Record<string, string> = {};
	for (const [index, recipient] of (recipients ?? []).entries()) {
		if (!isRecipient(recipient)) problems[`recipients.${index}`] = NO_RECIPIENT;
	}
	for (const list of ['allow', 'block'] as const) {
		for (const [index, range] of (ip?.[list] ?? []).entries()) {
			if (parseRange(range) === undefined) problems[`ip.${list}.${index}`] = NO_RANGE;
		}
	}
	if (time?.start !== undefined && time.end !== undefined && time.end < time.start) {
		problems['time.end'] = "can't be before the start";
	}
	return problems;
}

/** A rule that is sent replaces the whole rule, null removes it, and one that is left out stays. */
export function mergeRules(rules: DrmRules, change: RulesChange): DrmRules {
	const sent = Object.entries(change).filter(([, rule]) => rule !== undefined);
	const merged = Object.entries({ ...rules, ...Object.fromEntries(sent) });
	const set = Object.fromEntries(merged.filter(([, rule]) => rule !== null)) as Partial<DrmRules>;
	const recipients = set.recipients && dropDuplicates(set.recipients);
	return { ...set, ...(recipients && { recipients }), dynamic: set.dynamic ?? false };
}

/** The first spelling of an address stays. */
function dropDuplicates(recipients: string[]): string[] {
	const seen = new Set<string>();
	return recipients.filter((recipient) => {
		const known = seen.size;
		return seen.add(normalizeRecipient(recipient) ?? recipient).size > known;
	});
}

/** The names of the rules that differ. */
export function findChangedRules(before: DrmRules, after: DrmRules): string[] {
	const names = Object.keys({ ...before, ...after }).sort() as Array<keyof DrmRules>;
	return names.filter((name) => toCanonicalJson([before[name]]) !== toCanonicalJson([after[name]]));
}

/** The same text for equal values, in whatever order their keys came. */
export function toCanonicalJson(value: unknown): string {
	return JSON.stringify(value, (_key, held: unknown) => {
		if (typeof held !== 'object' || held === null || Array.isArray(held)) return held;
		return Object.fromEntries(Object.entries(held).sort(([a], [b]) => (a < b ? -1 : 1)));
	});
}
