import { UserError } from 'n8n-workflow';

import { parseList } from '../../shared/parameters/lists';

const WITH_WILDCARDS = /^(\*|\d+)(\.(\*|\d+)){3}$/;

/** @throws UserError for an entry that is no address, network, address with wildcards or range */
export function parseIpRules(value: unknown, label: string): string[] {
	const entries = parseList(value, label).map((entry) => {
		const parts = entry.split(/([/-])/);
		return parts.map((part) => part.trim()).join('');
	});
	const wrong = entries.find((entry) => {
		const address = WITH_WILDCARDS.test(entry) ? entry.replaceAll('*', '0') : entry;
		return toIpRange(address) === undefined;
	});
	if (wrong === undefined) return entries;
	throw new UserError(`"${wrong.slice(0, 100)}" in "${label}" is not an IP address`, {
		description: `Enter an address (203.0.113.7), a network (192.168.1.0/24 or 192.168.1.0/255.255.255.0), an address with wildcards (192.*.1.*) or a range (10.0.0.1-10.0.0.9) in "${label}". IPv6 has the same forms but wildcards.`,
	});
}

/** The first and the last address of an IP rule as bits, the same for all forms of it; undefined for what is none. */
export function toIpRange(entry: string): string | undefined {
	const [, first, sign, second = ''] = /^([^/-]*)(?:([/-])(.*))?$/.exec(entry) ?? [];
	const bits = toBits(first ?? '');
	const other = toBits(second);
	if (bits === undefined || sign === undefined) return bits && `${bits}-${bits}`;
	const isSameKind = other?.length === bits.length;
	if (sign === '-') return isSameKind && bits <= other ? `${bits}-${other}` : undefined;
	const isMask = isSameKind && /^1*0*$/.test(other);
	const prefix = /^(0|[1-9]\d{0,2})$/.test(second) ? Number(second) : Number.NaN;
	const length = isMask ? other.lastIndexOf('1') + 1 : prefix;
	if (!(length <= bits.length)) return undefined;
	const network = bits.slice(0, length);
	return ['0', '1'].map((bit) => network.padEnd(bits.length, bit)).join('-');
}

/** The 32 or 128 bits of an address. Only a URL knows all forms of IPv6, which can end with an IPv4 address. */
function toBits(address: string): string | undefined {
	const isV4 = /^\d+(\.\d+){3}$/.test(address);
	const url = `http://[${isV4 ? '::' : ''}${address}]`;
	if (!/^[\da-f:.]+$/i.test(address) || !URL.canParse(url)) return undefined;
	const [head, tail = []] = new URL(url).hostname
		.slice(1, -1)
		.split('::')
		.map((half) => half.split(':').filter(Boolean));
	const zeros = Array<string>(8 - head.length - tail.length).fill('0');
	const parts = [...head, ...zeros, ...tail].map((part) => Number.parseInt(part, 16));
	const bits = parts.map((part) => part.toString(2).padStart(16, '0')).join('');
	return isV4 ? bits.slice(-32) : bits;
}
