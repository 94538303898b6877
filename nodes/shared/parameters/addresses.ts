import { cleanAddress } from './lists';
import { matchesWildcards } from './wildcards';

/** The usual form, of which there can be many: only capitals can differ. */
const USUAL = /^[\w.+*-]+@[\w*-]+(\.[\w*-]+)*$/;

/**
 * One text for one person: a name, capitals, spaces, invisible characters, the form of Unicode, and a domain in Unicode or
 * as `xn--` make no difference.
 *
 * @param address may hold wildcards, also in full width
 */
export function toAddressKey(address: string): string {
	const text = toPlain(address);
	if (USUAL.test(text)) return text;
	const [domain = '', ...before] = text.split('@').reverse();
	if (before.length === 0) return text;
	const labels = domain.split(/[.。]/).map(toAsciiLabel).join('.');
	return `${before.reverse().join('@')}@${labels.replace(/\.$/, '')}`;
}

/** Whether an address stands for more than one person. */
export function isWildcard(address: string): boolean {
	return toPlain(address).includes('*');
}

/** Whether a recipient names nobody: `*`, `*@*`, `**@*.*`. */
export function isForEverybody(address: string): boolean {
	return isWildcard(address) && /^[*.@]+$/.test(toAddressKey(address));
}

/** Whether an address, or a wildcard, covers an address, or all that another wildcard covers. */
export function coversAddress(wildcard: string, address: string): boolean {
	// A label of a domain that has a wildcard in it has no form as `xn--`.
	return [toAddressKey, toPlain].some((toText) =>
		matchesWildcards(toText(address), toText(wildcard)),
	);
}

/** A test for what is in a list, in any form, or covered by a wildcard in it. */
export function covers(list: string[]): (address: string) => boolean {
	const keys = new Set(list.map(toAddressKey));
	const wildcards = list.filter(isWildcard);
	return (address) =>
		keys.has(toAddressKey(address)) ||
		wildcards.some((wildcard) => coversAddress(wildcard, address));
}

/** Whether there can be an address that both cover. What has nothing before an @ is a domain, and stands for all in it. */
export function overlaps(one: string, other: string): boolean {
	return [toAddressKey, toPlain].some((toText) => {
		const [[, local, domain], [, otherLocal, otherDomain]] = [one, other].map(
			(address) => /^(?:(.*)@)?([^@]*)$/s.exec(toText(address)) ?? [],
		);
		return overlapsText(local || '*', otherLocal || '*') && overlapsText(domain, otherDomain);
	});
}

/** Whether a text can match two patterns with `*`. */
function overlapsText(one: string, other: string): boolean {
	/** Whether what is left of `one` overlaps what is left of `other`, by the position in `other`. */
	let rest: boolean[] = [];
	for (let at = one.length; at >= 0; at -= 1) {
		const row: boolean[] = [];
		for (let to = other.length; to >= 0; to -= 1) {
			const [a, b] = [one.charAt(at), other.charAt(to)];
			if (a === '' && b === '') row[to] = true;
			else if (a === '*' || b === '*') row[to] = Boolean(rest[to]) || Boolean(row[to + 1]);
			else row[to] = a === b && rest[to + 1];
		}
		rest = row;
	}
	return rest[0];
}

function toPlain(address: string): string {
	if (USUAL.test(address)) return address.toLowerCase();
	return cleanAddress(address.normalize('NFKC').replace(/\p{Cf}/gu, '')).toLowerCase();
}

/** A label of a domain as DNS has it. Only a URL knows how: the last label keeps it from reading numbers as an IP address. */
function toAsciiLabel(label: string): string {
	if (/^[\w*-]*$/.test(label)) return label;
	const url = label.includes('*') ? undefined : `http://${encodeURIComponent(label)}.x`;
	return url !== undefined && URL.canParse(url) ? new URL(url).hostname.slice(0, -2) : label;
}
