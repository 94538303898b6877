import { contains, parseRange } from './addressRanges.mts';
import { isNamed } from './addresses.mts';
import type { AccessList, DrmRules } from './rules.mts';

/** Why somebody can't open a container. The sentence is for this person. */
export interface Refusal {
	reason: 'recipient' | 'time' | 'ip' | 'geo' | 'password' | 'opens';
	sentence: string;
}

interface Visit {
	/** The address that was proven, in its normal form. */
	address: string;
	ip?: string;
	country?: string;
	/** The day in the service's time zone, such as 2026-12-31. */
	today: string;
}

interface Attempt {
	rules: DrmRules;
	/** The owner's address, in its normal form. */
	owner: string;
	visit: Visit;
}

/** The first rule in the order of the contract that refuses; undefined where all let the visitor in. */
export function findRefusal({ rules, owner, visit }: Attempt): Refusal | undefined {
	if (visit.address === owner) return undefined;
	const { recipients = [], time: { start, end } = {}, ip = {}, geo = {} } = rules;
	if (!isNamed(recipients, visit.address)) {
		return { reason: 'recipient', sentence: `This container isn't shared with ${visit.address}.` };
	}
	if (start !== undefined && visit.today < start) {
		return { reason: 'time', sentence: `Access starts on ${describeDay(start)}.` };
	}
	if (end !== undefined && visit.today > end) {
		return { reason: 'time', sentence: `Access ended on ${describeDay(end)}.` };
	}
	if (!admits(ip, (range) => isInRange(range, visit.ip))) {
		return { reason: 'ip', sentence: "This container can't be opened from your network." };
	}
	if (!admits(geo, ({ country }) => country === visit.country)) {
		return { reason: 'geo', sentence: "This container can't be opened from your country." };
	}
	return undefined;
}

/** Not for the owner, whose openings aren't counted. */
export function findOpensRefusal({ opens }: DrmRules, opensUsed: number): Refusal | undefined {
	if (opens === undefined || opensUsed < opens) return undefined;
	const times = opens === 1 ? 'once' : `${opens} times`;
	const sentence = `This container has been opened ${times}, as often as allowed.`;
	return { reason: 'opens', sentence };
}

function admits<Entry>({ allow, block }: AccessList<Entry>, matches: (entry: Entry) => boolean) {
	return (allow?.some(matches) ?? true) && !block?.some(matches);
}

function isInRange(text: string, ip?: string): boolean {
	const range = parseRange(text);
	return range !== undefined && ip !== undefined && contains(range, ip);
}

/** @returns such as 31 December 2026 */
export const describeDay = (day: string) =>
	new Date(day).toLocaleDateString('en-GB', { dateStyle: 'long', timeZone: 'UTC' });

/** The day in a time zone, such as 2026-12-31: the form that Sweden writes. */
export const getToday = (timeZone: string, now = new Date()) =>
	now.toLocaleDateString('sv-SE', { timeZone });
