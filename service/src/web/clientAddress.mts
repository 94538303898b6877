import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Some proxies send 203.0.113.7:51234 or [2001:db8::1]:51234. */
const WITH_PORT = /^(?:\[(?<v6>[\da-f:.]+)\]|(?<v4>\d+(?:\.\d+){3}))(?::\d{1,5})?$/i;

export function withoutPort(address: string): string {
	const { v4, v6 } = WITH_PORT.exec(address)?.groups ?? {};
	return v4 ?? v6 ?? address;
}

/** The address of a client, in one form: IPv4 can come inside IPv6. */
export function getClientIp(request: { ip: string }): string {
	const ip = withoutPort(request.ip);
	return isIP(ip) === 6 ? ipaddr.process(ip).toString() : ip;
}

/** Whoever has one address of IPv6 has 2^64 of them. */
export const toNetwork = (ip: string) => getPrefix(ip, 64);

/** What one office or home is given: in IPv6, up to 65,536 networks. */
export const toSite = (ip: string) => getPrefix(ip, 48);

const getPrefix = (ip: string, bits: number) =>
	isIP(ip) === 6
		? ipaddr
				.parse(ip)
				.toByteArray()
				.slice(0, bits / 8)
				.join('.')
		: ip;
