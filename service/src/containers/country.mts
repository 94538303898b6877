import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { isIP, isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';
import { Reader } from 'mmdb-lib';

const BUNDLED = '@ip-location-db/geo-whois-asn-country-mmdb/geo-whois-asn-country.mmdb';

/** In the bundled database, and in those of MaxMind. */
type CountryRecord = { country_code?: string; country?: { iso_code?: string } } | null;

/** Gives the code of ISO 3166-1. Reads the database at the first call: most containers have no such rule. */
export function createCountryLookup(file?: string): (ip: string) => string | undefined {
	let reader: ReturnType<typeof checkCountryDatabase> | undefined;
	return (ip) => {
		if (isIP(ip) === 0) return undefined;
		reader ??= checkCountryDatabase(file ?? createRequire(import.meta.url).resolve(BUNDLED));
		const plain = ipaddr.process(ip).toString();
		if (isIPv6(plain) && reader.metadata.ipVersion === 4) return undefined;
		const record = reader.get(plain) as CountryRecord;
		return record?.country_code ?? record?.country?.iso_code;
	};
}

/** @throws Error where the file can't be read, or isn't such a database */
export function checkCountryDatabase(file: string) {
	const content = readFileSync(file);
	try {
		return new Reader(content);
	} catch (cause) {
		throw new Error(`${file} isn't an mmdb database`, { cause });
	}
}
