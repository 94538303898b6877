import { contains, parseRange } from './addressRanges.mts';
import { isNamed } from './addresses.mts';
import type { AccessList, DrmRules } from './rules.mts';

export type RefusalReason = 'recipient' | 'time' | 'ip' | 'geo' | 'password' | 'opens';

/** Why somebody can't open a container. The sentence is for this person. */
export interface Refusal {
	reason: RefusalReason;
	sentence: string;
}

export interface Visit {
	/** The address that was proven, in its normal form. */
	address: string;
	ip?: string;
	country?: string;
	/** The day in the service's time zone, such as 2026-12-31. */
	today: string;
}

interface Opening {
	rules: DrmRules;
	/** The owner's address, in its normal form. */
	owner: string;
	visit: Visit;
}

const matchesIp = (visit: Visit) => (entry: string) => {
	const range = parseRange(entry);
	return visit.ip !== undefined && range !== undefined && contains(range, visit.ip);
};

const matchesCountry =
	(visit: Visit) =>
	({ country }: { country: string }) =>
		country === visit.country;

/** The first rule in the order of the contract that refuses; undefined where all let the visitor in. */
export function findRefusal({ rules, owner, visit }: Opening): Refusal | undefined {
	if (visit.address === owner) return undefined;
	const { recipients = [], time = {}, ip = {}, geo = {} } = rules;
	if (!isNamed(recipients, visit.address)) {
		return { reason: 'recipient', sentence: `This container isn't shared with ${visit.address}.` };
	}
	if (time.start !== undefined && visit.today < time.start) {
		return { reason: 'time', sentence: `Access starts on ${describeDay(time.start)}.` };
	}
	if (time.end !== undefined && visit.today > time.end) {
		return { reason: 'time', sentence: `Access ended on ${describeDay(time.end)}.` };
	}
	if (!admits(ip, matchesIp(visit))) {
		return { reason: 'ip', sentence: "This container can't be opened from your network." };
	}
	if (!admits(geo, matchesCountry(visit))) {
		return { reason: 'geo', sentence: "This container can't be opened from your country." };
	}
	return undefined;
}

/** Not for the owner, whose openings aren't counted. */
export function findOpensRefusal({ opens }: DrmRules, opensUsed: number): Refusal | undefined {
	if (opens === undefined || opensUsed < opens) return undefined;
	const often = opens === 1 ? 'once' : `${opens} times`;
	return {
		reason: 'opens',
		sentence: `This container has been opened ${often}, as often as allowed.`,
	};
}

function admits<Entry>({ allow, block }: AccessList<Entry>, matches: (entry: Entry) => boolean) {
	return (allow?.some(matches) ?? true) && !block?.some(matches);
}

/** @returns such as 31 December 2026 */
export function describeDay(day: string): string {
	const format = { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' } as const;
	return new Intl.DateTimeFormat('en-GB', format).format(new Date(day));
}

/** The day in a time zone, such as 2026-12-31. */
export function getToday(timeZone: string, now = new Date()): string {
	const format = { year: 'numeric', month: '2-digit', day: '2-digit', timeZone } as const;
	const parts = new Intl.DateTimeFormat('en-GB', format).formatToParts(now);
	const valueOf = (type: string) => parts.find((part) => part.type === type)?.value;
	return `${valueOf('year')}-${valueOf('month')}-${valueOf('day')}`;
}
