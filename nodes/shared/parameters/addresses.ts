import { cleanAddress } from './lists';
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
	if (at === -1 || USUAL.test(text)) return text;
	const labels = text.slice(at + 1).split(/[.。]/);
	return `${text.slice(0, at)}@${labels.map(toAsciiLabel).join('.').replace(/\.$/, '')}`;
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

/**
 * Whether there can be an address that both cover, such as `anna@*` and `*@example.com`. What has nothing before an @ is a
 * domain, and stands for all in it.
 */
export function overlaps(one: string, other: string): boolean {
	return [toAddressKey, toPlain].some((toText) => {
		const [[, local, domain], [, otherLocal, otherDomain]] = [one, other].map(
			(address) => /^(?:(.*)@)?([^@]*)$/s.exec(toText(address)) ?? [],
		);
		const meets = (text: string, pattern: string) =>
			matchesWildcards(text, pattern) || matchesWildcards(pattern, text);
		return meets(local || '*', otherLocal || '*') && meets(domain, otherDomain);
	});
}

function toPlain(address: string): string {
	if (USUAL.test(address)) return address.toLowerCase();
	return cleanAddress(address.normalize('NFKC').replace(/\p{Cf}/gu, '')).toLowerCase();
}

/** A label of a domain as DNS has it. Only a URL knows how: the last label keeps it from reading numbers as an IP address. */
function toAsciiLabel(label: string): string {
	const url = `http://${encodeURIComponent(label)}.x`;
	const isPlain = /^[\w*-]*$/.test(label);
	return isPlain || label.includes('*') || !URL.canParse(url)
		? label
		: new URL(url).hostname.slice(0, -2);
}
