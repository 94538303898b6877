import { isIP } from 'node:net';
import stringify from 'safe-stable-stringify';
import type { UserRow } from '../database/schema.mts';
import type { FieldProblems } from '../errors.mts';
import { parseRange } from './addressRanges.mts';
import { isNamed, normalizeRecipient } from './addresses.mts';

type AccessList<Item> = { allow?: Item[]; block?: Item[] };

/** The rules of a container, as docs/openapi.yaml describes them. One that is missing is no limit. */
export interface DrmRules {
	dynamic: boolean;
	recipients?: string[];
	downloadable?: boolean;
	geo?: AccessList<{ country: string }>;
	ip?: AccessList<string>;
	opens?: number;
	time?: { start?: string; end?: string };
}

export type RulesChange = { [Name in keyof DrmRules]?: DrmRules[Name] | null };

export const NO_RECIPIENT = 'must be an email address, *@ with a domain, or *@*';
const NO_RANGE = 'must be an IP address or a range, such as 192.0.2.0/24 or 192.168.*.1';

export function findRuleProblems({ recipients, ip, time }: RulesChange, path = ''): FieldProblems {
	const problems: FieldProblems = {};
	const lists = [
		['recipients', recipients, normalizeRecipient, NO_RECIPIENT],
		['ip.allow', ip?.allow, parseRange, NO_RANGE],
		['ip.block', ip?.block, parseRange, NO_RANGE],
	] as const;
	for (const [name, entries, parse, problem] of lists) {
		for (const [index, entry] of (entries ?? []).entries()) {
			if (!parse(entry)) problems[`${path}${name}.${index}`] = problem;
		}
	}
	const isReversed = time?.start && time.end && time.end < time.start;
	if (isReversed) problems[`${path}time.end`] = "can't be before the start";
	return problems;
}

/** A rule that is sent replaces the whole rule, null removes it, and one that is left out stays. */
export function mergeRules(rules: DrmRules, change: RulesChange): DrmRules {
	const sent = Object.entries(change).filter(([, rule]) => rule !== undefined);
	const merged = Object.entries({ ...rules, ...Object.fromEntries(sent) });
	const set = Object.fromEntries(merged.filter(([, rule]) => rule !== null)) as Partial<DrmRules>;
	const recipients = set.recipients && dropDoubles(set.recipients);
	return { ...set, ...(recipients && { recipients }), dynamic: set.dynamic ?? false };
}

/** The first spelling of an address stays. */
export function dropDoubles(addresses: string[]): string[] {
	const seen = new Set<string>();
	return addresses.filter((address) => {
		const known = seen.size;
		return seen.add(normalizeRecipient(address) ?? address).size > known;
	});
}

export function findChangedRules(before: RulesChange, after: RulesChange): string[] {
	const names = Object.keys({ ...before, ...after }).sort() as Array<keyof DrmRules>;
	return names.filter((name) => stringify(before[name]) !== stringify(after[name]));
}

/** The day on which a change moved the end of access into the past, and ended it so; null where none did. */
export function findEndedDay(
	known: string | null,
	{ before, after, today }: { before: DrmRules; after: DrmRules; today: string },
): string | null {
	const oldEnd = before.time?.end;
	const newEnd = after.time?.end;
	if (oldEnd === newEnd) return known;
	if (newEnd === undefined || newEnd >= today) return null;
	const wasOver = oldEnd !== undefined && oldEnd < today;
	return wasOver ? known : today;
}

/** Which rule refuses, with the day or the number that a visitor should know. */
export type Refusal =
	| { reason: 'recipient' }
	| { reason: 'closed' }
	| { reason: 'ip' }
	| { reason: 'geo' }
	| { reason: 'time'; starts: string }
	| { reason: 'time'; ended: string }
	| { reason: 'opens'; opens: number };

type Owner = Pick<UserRow, 'address' | 'disabled_date' | 'closed_date'>;

/** Whether an address is the one of an owner who can still sign in as such. */
export const isOwner = ({ disabled_date, address }: Owner, visitor: string) =>
	disabled_date === null && visitor === address;

interface Visitor {
	address: string;
	owner: Owner;
	ip: string;
	country?: string;
	today: string;
	/** Where the visitor is about to open the container: the openings before. */
	opensUsed?: number;
}

/** The first rule in the order of the contract that refuses; undefined where all let the visitor in. */
export function findRefusal(rules: DrmRules, visitor: Visitor): Refusal | undefined {
	const { address, owner, ip, country, today, opensUsed = 0 } = visitor;
	const { recipients = [], time: { start = today, end = today } = {}, opens = Infinity } = rules;
	// An address that can't be read could be one that is blocked.
	const isKnown = isIP(ip) !== 0 || !rules.ip?.block;
	const isInNetwork = isKnown && admits(rules.ip, (range) => parseRange(range)?.(ip));
	const isInCountry = admits(rules.geo, (entry) => entry.country === country);
	const checks: Array<[isAllowed: boolean, refusal: Refusal]> = [
		[isNamed(recipients, address), { reason: 'recipient' }],
		[owner.closed_date === null, { reason: 'closed' }],
		[today >= start, { reason: 'time', starts: start }],
		[today <= end, { reason: 'time', ended: end }],
		[isInNetwork, { reason: 'ip' }],
		[isInCountry, { reason: 'geo' }],
		[opensUsed < opens, { reason: 'opens', opens }],
	];
	if (isOwner(owner, address)) return undefined;
	return checks.find(([isAllowed]) => !isAllowed)?.[1];
}

function admits<Item>({ allow, block }: AccessList<Item> = {}, matches: (item: Item) => unknown) {
	return (allow?.some(matches) ?? true) && !block?.some(matches);
}

/** Writes the days of a time zone, such as 2026-12-31: the form of Sweden. @throws RangeError */
export const createCalendar = (timeZone = 'UTC') => new Intl.DateTimeFormat('sv-SE', { timeZone });
