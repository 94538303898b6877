import { cleanAddress } from './lists';
import { MAX_LENGTHS } from './values';
import { matchesWildcards } from './wildcards';

/** The usual form, of which there can be many: only capitals can differ. */
const USUAL = /^[\w.+*-]+@[\w*-]+(\.[\w*-]+)*$/;

/**
 * One text for one person: a name, capitals, spaces, invisible characters, the form of Unicode, and a domain in Unicode or
 * as `xn--` make no difference. Wildcards stay.
 */
export function toAddressKey(address: string): string {
	if (USUAL.test(address) || address.length > MAX_LENGTHS.address) return address.toLowerCase();
	const text = cleanAddress(address.normalize('NFKC')).toLowerCase();
	const at = text.lastIndexOf('@');
	return at === -1 ? text : `${text.slice(0, at)}@${toAsciiDomain(text.slice(at + 1))}`;
}

/** As DNS has it. Only a URL knows how: the `x` keeps it from reading a number as an IP address. */
function toAsciiDomain(domain: string): string {
	const url = `http://${encodeURIComponent(domain.replace(/[.。]$/, ''))}.x`;
	return URL.canParse(url) ? new URL(url).hostname.slice(0, -2) : domain;
}

export function omitRepeated(addresses: string[]): string[] {
	const keys = new Set<string>();
	return addresses.filter((address) => keys.size < keys.add(toAddressKey(address)).size);
}

export function isWildcard(address: string): boolean {
	return toAddressKey(address).includes('*');
}

/** Whether a recipient names nobody: `*`, `*@*`, `**@*.*`. */
export function isForEverybody(address: string): boolean {
	return isWildcard(address) && /^[*.@]+$/.test(toAddressKey(address));
}

/** A test for what is in a list, in any form, or covered by a wildcard in it: an address, or all that a wildcard covers. */
export function covers(list: string[]): (address: string) => boolean {
	const keys = new Set(list.map(toAddressKey));
	const wildcards = [...keys].filter((key) => key.includes('*'));
	return (address) => {
		const key = toAddressKey(address);
		return keys.has(key) || wildcards.some((wildcard) => matchesWildcards(key, wildcard));
	};
}

/** Whether there can be an address that both cover, such as `anna@*` and `*@example.com`. A domain alone is all in it. */
export function overlaps(one: string, other: string): boolean {
	const [[name, domain], [otherName, otherDomain]] = [one, other].map((address) => {
		const [last, ...before] = toAddressKey(address).split('@').reverse();
		return [before.reverse().join('@') || '*', last];
	});
	const meets = (text: string, pattern: string) =>
		matchesWildcards(text, pattern) || matchesWildcards(pattern, text);
	return meets(name, otherName) && meets(domain, otherDomain);
}
