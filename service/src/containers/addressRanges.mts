import { isIP, isIPv4 } from 'node:net';
import ipaddr from 'ipaddr.js';

interface Address {
	bits: 32 | 128;
	value: bigint;
}

/** Has the addresses whose bits under the mask are from `first` to `last`. */
interface AddressRange {
	bits: 32 | 128;
	mask: bigint;
	first: bigint;
	last: bigint;
}

const MAX_LENGTH = 100;
const PREFIX_LENGTH = /^(?:0|[1-9]\d{0,2})$/;
const onesOf = (bits: number) => (1n << BigInt(bits)) - 1n;

/** Reads an address, `address/prefix length`, `address/mask`, `192.168.*.1` or `first-last`. */
export function parseRange(text: string): AddressRange | undefined {
	if (text.length > MAX_LENGTH) return undefined;
	if (text.includes('-')) return parseSpan(text);
	if (!text.includes('*')) return parseMasked(text);
	const parts = text.split('.');
	const write = (fixed: (part: string) => string) =>
		parts.map((part) => (part === '*' ? '0' : fixed(part))).join('.');
	return parseMasked(`${write((part) => part)}/${write(() => '255')}`);
}

/** @param ip the address of a connection, which can name its zone */
export function contains({ bits, mask, first, last }: AddressRange, ip: string): boolean {
	const address = toPlain(parseAddress(ip.replace(/%.*$/, '')));
	if (address?.bits !== bits) return false;
	const masked = address.value & mask;
	return first <= masked && masked <= last;
}

function parseSpan(text: string): AddressRange | undefined {
	const [first, last, ...more] = text.split('-').map((part) => toPlain(parseAddress(part)));
	if (first === undefined || last === undefined || more.length > 0) return undefined;
	if (first.bits !== last.bits || first.value > last.value) return undefined;
	return { bits: first.bits, mask: onesOf(first.bits), first: first.value, last: last.value };
}

function parseMasked(text: string): AddressRange | undefined {
	const [addressText, maskText, ...more] = text.split('/');
	const address = parseAddress(addressText);
	const plain = toPlain(address);
	if (address === undefined || plain === undefined || more.length > 0) return undefined;
	const mask = parseMask(address.bits, maskText);
	// An IPv4 address in the form of IPv6 needs a mask that leaves no other IPv6 address in the range.
	const excess = onesOf(address.bits - plain.bits);
	if (mask === undefined || mask >> BigInt(plain.bits) !== excess) return undefined;
	const plainMask = mask & onesOf(plain.bits);
	const value = plain.value & plainMask;
	return { bits: plain.bits, mask: plainMask, first: value, last: value };
}

function parseMask(bits: 32 | 128, text = String(bits)): bigint | undefined {
	if (!PREFIX_LENGTH.test(text)) {
		const mask = parseAddress(text);
		return mask?.bits === bits ? mask.value : undefined;
	}
	return Number(text) > bits ? undefined : onesOf(bits) ^ onesOf(bits - Number(text));
}

/** Only forms that everybody reads in the same way: no leading zeros, no `10.1`, no zone. */
function parseAddress(text: string): Address | undefined {
	// ipaddr.js reads ::1.2.3.4 as ::ffff:1.2.3.4, which is another address.
	if (isIP(text) === 0 || text.includes('%') || /^::\d+\./.test(text)) return undefined;
	const hex = Buffer.from(ipaddr.parse(text).toByteArray()).toString('hex');
	return { bits: isIPv4(text) ? 32 : 128, value: BigInt(`0x${hex}`) };
}

/** Makes an IPv4 address of one in the form of IPv6, such as ::ffff:1.2.3.4. */
function toPlain(address?: Address): Address | undefined {
	const isMapped = address?.bits === 128 && address.value >> 32n === 0xffffn;
	return isMapped ? { bits: 32, value: address.value & onesOf(32) } : address;
}
