import { UserError } from 'n8n-workflow';

import { parseList } from '../../shared/parameters/values';

const WITH_WILDCARDS = /^(\*|\d+)(\.(\*|\d+)){3}$/;

/** @throws UserError for an entry that is no address, network, address with wildcards or range */
export function parseIpRules(value: unknown, label: string): string[] {
	const entries = parseList(value, label).map(dropSpaces);
	const wrong = entries.find((entry) => !isIpRule(entry));
	if (wrong === undefined) return entries;
	throw new UserError(`"${wrong.slice(0, 100)}" in "${label}" is not an IP address`, {
		description: `Enter an address (203.0.113.7), a network (192.168.1.0/24 or 192.168.1.0/255.255.255.0), an address with wildcards (192.*.1.*) or a range (10.0.0.1-10.0.0.9) in "${label}". IPv6 has the same forms but wildcards.`,
	});
}

/** Around the sign of a network or a range. */
function dropSpaces(entry: string): string {
	const parts = entry.split(/([/-])/);
	return parts.map((part) => part.trim()).join('');
}

function isIpRule(entry: string): boolean {
	if (WITH_WILDCARDS.test(entry)) return isAddress(entry.replaceAll('*', '0'));
	const [, first = '', sign, second = ''] = /^([^/-]*)(?:([/-])([^/-]*))?$/.exec(entry) ?? [];
	if (!isAddress(first) || sign === undefined) return isAddress(first);
	const isV6 = first.includes(':');
	if (isAddress(second)) return isV6 === second.includes(':');
	return sign === '/' && /^(0|[1-9]\d{0,2})$/.test(second) && Number(second) <= (isV6 ? 128 : 32);
}

/** Only a URL knows all forms of IPv6; it writes a number of IPv4 with a leading zero anew. */
function isAddress(text: string): boolean {
	if (text.includes(':')) return /^[\da-f:.]+$/i.test(text) && URL.canParse(`http://[${text}]`);
	const url = `http://${text}`;
	return /^[\d.]+$/.test(text) && URL.canParse(url) && new URL(url).hostname === text;
}
