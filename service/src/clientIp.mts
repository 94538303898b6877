import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** The address of a client, in one form: IPv4 can come inside IPv6. */
export function getClientIp({ ip }: { ip: string }): string {
	return isIP(ip) === 0 ? ip : ipaddr.process(ip).toString();
}
