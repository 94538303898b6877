import { MAX_LENGTHS } from './values';
import { cleanEnteredAddress } from './lists';
import { matchesWildcards } from './wildcards';

/** The usual form, of which there can be many: only capitals can differ. */
const USUAL = /^[\w.+*-]+@[\w*-]+(\.[\w*-]+)*$/;

/**
 * One text for one person: a name, capitals, spaces, invisible characters, the form of Unicode, and a domain in Unicode or
 * as `xn--` make no difference. Wildcards stay.
 */
export function toAddressKey(address: string): string {
	const text = toPlain(address);
	const at = text.lastIndexOf('@');
	if (at === -1 || USUAL.test(text) || text.length > MAX_LENGTHS.address) return text;
	const labels = text
		.slice(at + 1)
		.replace(/[.。]$/, '')
		.split(/[.。]/);
	return `${text.slice(0, at)}@${labels.map(toAsciiLabel).join('.')}`;
}

export function omitRepeated(addresses: string[]): string[] {
	const keys = new Set<string>();
	return addresses.filter((address) => keys.size < keys.add(toAddressKey(address)).size);
}

export function isWildcard(address: string): boolean {
	return toPlain(address).includes('*');
}

/** Whether a recipient names nobody: `*`, `*@*`, `**@*.*`. */
export function isForEverybody(address: string): boolean {
	return isWildcard(address) && /^[*.@]+$/.test(toAddressKey(address));
}

/** A test for what is in a list, in any form, or covered by a wildcard in it: an address, or all that a wildcard covers. */
export function covers(list: string[]): (address: string) => boolean {
	const keys = new Set(list.map(toAddressKey));
	// A label of a domain that has a wildcard in it has no form as `xn--`.
	const toForms = (address: string) => [toAddressKey(address), toPlain(address)];
	const wildcards = list.filter(isWildcard).map(toForms);
	return (address) => {
		const forms = toForms(address);
		const isMatch = (pattern: string, at: number) => matchesWildcards(forms[at], pattern);
		return keys.has(forms[0]) || wildcards.some((patterns) => patterns.some(isMatch));
	};
}

/**
 * Whether there can be an address that both cover, such as `anna@*` and `*@example.com`. What has nothing before an @ is a
 * domain, and stands for all in it.
 */
export function overlaps(one: string, other: string): boolean {
	return [toAddressKey, toPlain].some((toText) => {
		const split = (address: string) => /^(?:(.*)@)?([^@]*)$/s.exec(toText(address)) ?? [];
		const [[, local, domain], [, otherLocal, otherDomain]] = [split(one), split(other)];
		const meets = (text: string, pattern: string) =>
			matchesWildcards(text, pattern) || matchesWildcards(pattern, text);
		return meets(local || '*', otherLocal || '*') && meets(domain, otherDomain);
	});
}

function toPlain(address: string): string {
	const isLong = address.length > MAX_LENGTHS.name;
	if (isLong || USUAL.test(address)) return address.toLowerCase();
	return cleanEnteredAddress(address.normalize('NFKC')).toLowerCase();
}

/** A label of a domain as DNS has it. Only a URL knows how: the `x` keeps it from reading a number as an IP address. */
function toAsciiLabel(label: string): string {
	try {
		const { hostname } = new URL(`http://${encodeURIComponent(label)}.x`);
		return label.includes('*') ? label : hostname.slice(0, -2);
	} catch {
		return label;
	}
}
