import { isIP, isIPv4 } from 'node:net';
import ipaddr from 'ipaddr.js';

/** An IP address is in a range when its bits under the mask are from `first` to `last`. */
export interface AddressRange {
	bits: 32 | 128;
	mask: bigint;
	first: bigint;
	last: bigint;
}

interface Address {
	bits: 32 | 128;
	value: bigint;
}

const PREFIX_LENGTH = /^(?:0|[1-9]\d{0,2})$/;
const onesOf = (bits: number) => (1n << BigInt(bits)) - 1n;

/** Reads an address, `address/prefix length`, `address/mask`, `192.168.*.1` or `first-last`; undefined for all else. */
export function parseRange(text: string): AddressRange | undefined {
	if (text.includes('-')) return parseSpan(text);
	if (text.includes('*')) return parseWildcards(text);
	return parseMasked(text);
}

/** @param ip an address of a connection, which can name its zone */
export function contains({ bits, mask, first, last }: AddressRange, ip: string): boolean {
	const address = toPlain(parseAddress(ip.replace(/%.*$/, '')));
	if (address === undefined || address.bits !== bits) return false;
	const masked = address.value & mask;
	return first <= masked && masked <= last;
}

function parseSpan(text: string): AddressRange | undefined {
	const [first, last, ...more] = text.split('-').map((part) => toPlain(parseAddress(part)));
	if (first === undefined || last === undefined || more.length > 0) return undefined;
	if (first.bits !== last.bits || first.value > last.value) return undefined;
	return { bits: first.bits, mask: onesOf(first.bits), first: first.value, last: last.value };
}

function parseWildcards(text: string): AddressRange | undefined {
	const parts = text.split('.');
	const address = parseAddress(parts.map((part) => (part === '*' ? '0' : part)).join('.'));
	const mask = parseAddress(parts.map((part) => (part === '*' ? '0' : '255')).join('.'));
	return address && mask && toMaskedRange(address, mask.value);
}

function parseMasked(text: string): AddressRange | undefined {
	const [addressText, maskText, ...more] = text.split('/');
	const address = parseAddress(addressText);
	if (address === undefined || more.length > 0) return undefined;
	if (maskText === undefined) return toMaskedRange(address, onesOf(address.bits));
	if (PREFIX_LENGTH.test(maskText)) {
		const free = address.bits - Number(maskText);
		return free < 0 ? undefined : toMaskedRange(address, onesOf(address.bits) ^ onesOf(free));
	}
	const mask = parseAddress(maskText);
	return mask?.bits === address.bits ? toMaskedRange(address, mask.value) : undefined;
}

/** An IPv4 address that is written as IPv6 needs a mask that leaves no other IPv6 address in the range. */
function toMaskedRange(address: Address, mask: bigint): AddressRange | undefined {
	const plain = toPlain(address);
	if (plain === undefined) return undefined;
	if (plain.bits !== address.bits && mask >> 32n !== onesOf(96)) return undefined;
	const plainMask = mask & onesOf(plain.bits);
	const value = plain.value & plainMask;
	return { bits: plain.bits, mask: plainMask, first: value, last: value };
}

/** Only forms that can be read in one way: no leading zeros, no `10.1`, no zone. */
function parseAddress(text: string): Address | undefined {
	// ipaddr.js reads ::1.2.3.4 as ::ffff:1.2.3.4, which is another address.
	if (isIP(text) === 0 || text.includes('%') || /^::\d+\./.test(text)) return undefined;
	const bytes = ipaddr.parse(text).toByteArray();
	return {
		bits: isIPv4(text) ? 32 : 128,
		value: bytes.reduce((value, byte) => (value << 8n) | BigInt(byte), 0n),
	};
}

/** Makes an IPv4 address of one that is written as IPv6, such as ::ffff:1.2.3.4. */
function toPlain(address?: Address): Address | undefined {
	const isMapped = address?.bits === 128 && address.value >> 32n === 0xffffn;
	return isMapped ? { bits: 32, value: address.value & onesOf(32) } : address;
}
