import { UserError } from 'n8n-workflow';

import { parseList } from '../../shared/parameters/lists';

/** Parts of an address from left to right: four of IPv4, eight of IPv6. A wildcard is undefined. */
type Address = Array<number | undefined>;

/**
 * Parses a list of IP rules.
 *
 * @throws UserError for an entry that is no address, network, address with wildcards or range
 */
export function parseIpRules(value: unknown, label: string): string[] {
	const entries = parseList(value, label).map((entry) =>
		entry
			.split(/([/-])/)
			.map((part) => part.trim())
			.join(''),
	);
	const wrong = entries.find((entry) => !isIpRule(entry));
	if (wrong === undefined) return entries;
	throw new UserError(`"${wrong.slice(0, 100)}" in "${label}" is not an IP address`, {
		description: `Enter an address (203.0.113.7), a network (192.168.1.0/24 or 192.168.1.0/255.255.255.0), an address with wildcards (192.*.1.*) or a range (10.0.0.1-10.0.0.9) in "${label}". IPv6 has the same forms.`,
	});
}

/**
 * The first and the last address of an IP rule as text, so that rules for the same addresses are equal: a mask in any form,
 * short and long IPv6, capitals, IPv4 within IPv6, bits beyond the mask.
 *
 * @returns undefined for what is no rule, and for one that is no range, such as `192.*.1.*`
 */
export function toIpRange(entry: string): string | undefined {
	if (!isIpRule(entry)) return undefined;
	const [first, second = ''] = entry.split(/[/-]/);
	const [address, other = []] = [parseAddress(first) ?? [], parseAddress(second)];
	const wildcard = address.indexOf(undefined);
	if (wildcard !== -1 && address.slice(wildcard).some((part) => part !== undefined))
		return undefined;
	const bits = toDigits(address, 2);
	const mask = other.length === 0 ? Number(second) : toDigits(other, 2).lastIndexOf('1') + 1;
	const known = wildcard === -1 ? bits.length : (wildcard * bits.length) / address.length;
	const network = bits.slice(0, entry.includes('/') ? mask : known);
	const range = entry.includes('-')
		? [bits, toDigits(other, 2)]
		: ['0', '1'].map((bit) => network.padEnd(bits.length, bit));
	const before = address.length === 4 ? '1'.repeat(16).padStart(96, '0') : '';
	return range.map((end) => before + end).join('-');
}

function isIpRule(entry: string): boolean {
	const [first, second, ...others] = entry.split(/[/-]/);
	const address = parseAddress(first);
	if (address === undefined || others.length > 0) return false;
	if (second === undefined) return true;
	const isPrefix = /^(0|[1-9]\d{0,2})$/.test(second) && entry.includes('/');
	if (isPrefix) return !hasWildcard(address) && Number(second) <= countBits(address);
	const other = parseAddress(second);
	if (other?.length !== address.length || hasWildcard(address) || hasWildcard(other)) return false;
	return entry.includes('/')
		? /^1*0*$/.test(toDigits(other, 2))
		: toDigits(address, 16) <= toDigits(other, 16);
}

function parseAddress(text: string): Address | undefined {
	return text.includes(':') ? parseIpV6(text) : parseIpV4(text);
}

function parseIpV4(text: string): Address | undefined {
	const parts = text.split('.');
	const isValid = parts.length === 4 && parts.every((part) => /^(\*|0|[1-9]\d{0,2})$/.test(part));
	if (!isValid) return undefined;
	const address = parts.map((part) => (part === '*' ? undefined : Number(part)));
	return address.every((part) => part === undefined || part <= 255) ? address : undefined;
}

function parseIpV6(text: string): Address | undefined {
	const [start, end, ...others] = withoutIpV4(text).split('::');
	if (others.length > 0) return undefined;
	const [head, tail] = [start, end ?? ''].map((part) => (part === '' ? [] : part.split(':')));
	const missing = 8 - head.length - tail.length;
	if (end === undefined ? missing !== 0 : missing < 1) return undefined;
	const parts = [...head, ...Array<string>(missing).fill('0'), ...tail];
	if (!parts.every((part) => /^(\*|[\da-f]{1,4})$/i.test(part))) return undefined;
	return parts.map((part) => (part === '*' ? undefined : Number.parseInt(part, 16)));
}

/** IPv6 can end in IPv4: `::ffff:192.0.2.1` is `::ffff:c000:201`. */
function withoutIpV4(text: string): string {
	const start = text.lastIndexOf(':') + 1;
	// A wildcard becomes NaN, which is no part of IPv6.
	const parts = parseIpV4(text.slice(start))?.map(Number);
	if (parts === undefined) return text;
	const [a, b, c, d] = parts;
	return `${text.slice(0, start)}${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
}

function hasWildcard(address: Address): boolean {
	return address.includes(undefined);
}

function countBits({ length }: Address): number {
	return length === 4 ? 32 : 128;
}

/** The whole address as digits, each part in the same number of them. */
function toDigits(address: Address, radix: 2 | 16): string {
	const width = countBits(address) / address.length;
	return address.map((part = 0) => part.toString(radix).padStart(width, '0')).join('');
}
