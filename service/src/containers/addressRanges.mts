import { isIP, isIPv4 } from 'node:net';
import ipaddr from 'ipaddr.js';

const MAX_LENGTH = 100;
const PREFIX_LENGTH = /^(?:0|[1-9]\d{0,2})$/;

/** The address of a client, in one form: IPv4 can come inside IPv6. */
export const getClientIp = ({ ip }: { ip: string }) =>
	isIP(ip) === 0 ? ip : ipaddr.process(ip).toString();

/** Whoever has one address of IPv6 has 2^64 of them. */
export const toNetwork = (ip: string) =>
	isIP(ip) === 6 ? ipaddr.parse(ip).toByteArray().slice(0, 8).join('.') : ip;

/** Reads an address, `address/prefix length`, `address/mask`, `192.168.*.1` or `first-last`. */
export function parseRange(text: string): ((ip: string) => boolean) | undefined {
	if (text.length > MAX_LENGTH) return undefined;
	// 192.168.*.1 is 192.168.0.1/255.255.0.255.
	const wildcards = text.replace(/[^.*]+/g, '255').replaceAll('*', '0');
	const plain = text.includes('*') ? `${text.replaceAll('*', '0')}/${wildcards}` : text;
	const [left, right, ...more] = plain.split(/[-/]/);
	const isSpan = text.includes('-');
	const first = parseAddress(left);
	const last = isSpan ? parseAddress(right) : first;
	const mask = isSpan ? -1n : parseMask(isIPv4(left) ? 32 : 128, right);
	if (first === undefined || last === undefined || mask === undefined) return undefined;
	if (more.length > 0 || last < first || isMapped(first) !== isMapped(last)) return undefined;
	// A range that begins in IPv4 has no other addresses.
	if (isMapped(first) && mask >> 32n !== -1n) return undefined;
	return (ip) => {
		const address = parseAddress(ip.replace(/%.*$/, ''));
		if (address === undefined || isMapped(address) !== isMapped(first)) return false;
		return (first & mask) <= (address & mask) && (address & mask) <= (last & mask);
	};
}

/** Its ones go on to the left without end. */
function parseMask(bits: 32 | 128, text = String(bits)): bigint | undefined {
	if (PREFIX_LENGTH.test(text)) {
		return Number(text) > bits ? undefined : -1n << BigInt(bits - Number(text));
	}
	const mask = isIPv4(text) === (bits === 32) ? parseAddress(text) : undefined;
	return mask === undefined ? undefined : mask | (-1n << BigInt(bits));
}

/** Only forms that everybody reads in the same way. IPv4 has its place in IPv6, ::ffff:0:0/96. */
function parseAddress(text = ''): bigint | undefined {
	// ipaddr.js reads ::1.2.3.4 as ::ffff:1.2.3.4, which is another address.
	if (isIP(text) === 0 || text.includes('%') || /^::\d+\./.test(text)) return undefined;
	const bytes = ipaddr.parse(isIPv4(text) ? `::ffff:${text}` : text).toByteArray();
	return BigInt(`0x${Buffer.from(bytes).toString('hex')}`);
}

const isMapped = (address: bigint) => address >> 32n === 0xffffn;
