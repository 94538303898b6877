import { isIP, isIPv4 } from 'node:net';
import ipaddr from 'ipaddr.js';

const MAX_LENGTH = 100;
const PREFIX_LENGTH = /^(?:0|[1-9]\d{0,2})$/;

/** Reads an address, `address/prefix length`, `address/mask`, `192.168.*.1` or `first-last`. */
export function parseRange(text: string): ((ip: string) => boolean) | undefined {
	if (text.length > MAX_LENGTH) return undefined;
	const range = parseSingle(text) ?? parseSubnet(text) ?? parseWildcards(text) ?? parseSpan(text);
	if (range === undefined || !isOfOneFamily(range)) return undefined;
	return (ip) => isWithin(range, ip);
}

/** What each form becomes: the bits of an address under the mask are from those of `first` to those of `last`. */
interface AddressRange {
	first: bigint;
	last: bigint;
	/** Its ones go on to the left without end. */
	mask: bigint;
}

const ALL_BITS = -1n;

function parseSingle(text: string): AddressRange | undefined {
	const address = parseIp(text);
	return address === undefined ? undefined : { first: address, last: address, mask: ALL_BITS };
}

function parseSubnet(text: string): AddressRange | undefined {
	const [, base, size] = /^([^/]+)\/([^/]+)$/.exec(text) ?? [];
	if (base === undefined) return undefined;
	const address = parseIp(base);
	const mask = isIPv4(base) ? parseMask(size, 32) : parseMask(size, 128);
	if (address === undefined || mask === undefined) return undefined;
	return { first: address, last: address, mask };
}

/** 192.168.*.1 is 192.168.0.1/255.255.0.255. */
function parseWildcards(text: string): AddressRange | undefined {
	if (!/^[\d.*]+$/.test(text)) return undefined;
	const mask = text.replace(/\d+/g, '255').replaceAll('*', '0');
	return parseSubnet(`${text.replaceAll('*', '0')}/${mask}`);
}

function parseSpan(text: string): AddressRange | undefined {
	const [, from, to] = /^([^-]+)-([^-]+)$/.exec(text) ?? [];
	if (from === undefined) return undefined;
	const first = parseIp(from);
	const last = parseIp(to);
	if (first === undefined || last === undefined || last < first) return undefined;
	return { first, last, mask: ALL_BITS };
}

function parseMask(text: string, bits: 32 | 128): bigint | undefined {
	if (PREFIX_LENGTH.test(text)) {
		return Number(text) > bits ? undefined : ALL_BITS << BigInt(bits - Number(text));
	}
	const mask = isIPv4(text) === (bits === 32) ? parseIp(text) : undefined;
	return mask === undefined ? undefined : mask | (ALL_BITS << BigInt(bits));
}

/** Only forms that everybody reads in the same way. IPv4 has its place in IPv6, ::ffff:0:0/96. */
function parseIp(text: string): bigint | undefined {
	// ipaddr.js reads ::1.2.3.4 as ::ffff:1.2.3.4, which is another address.
	if (isIP(text) === 0 || text.includes('%') || /^::\d+\./.test(text)) return undefined;
	const bytes = ipaddr.parse(isIPv4(text) ? `::ffff:${text}` : text).toByteArray();
	return BigInt(`0x${Buffer.from(bytes).toString('hex')}`);
}

const isMapped = (address: bigint) => address >> 32n === 0xffffn;

/** A range that begins in IPv4 has no other addresses, and one that begins in IPv6 none of IPv4. */
function isOfOneFamily({ first, last, mask }: AddressRange): boolean {
	if (isMapped(first) !== isMapped(last)) return false;
	return !isMapped(first) || mask >> 32n === ALL_BITS;
}

function isWithin({ first, last, mask }: AddressRange, ip: string): boolean {
	const address = parseIp(ip.replace(/%.*$/, ''));
	if (address === undefined || isMapped(address) !== isMapped(first)) return false;
	const compared = address & mask;
	return (first & mask) <= compared && compared <= (last & mask);
}
