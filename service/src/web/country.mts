import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { isIP } from 'node:net';
import { Reader } from 'mmdb-lib';
import { getClientIp } from './clientAddress.mts';

const BUNDLED = '@ip-location-db/geo-whois-asn-country-mmdb/geo-whois-asn-country.mmdb';
type CountryRecord = { country_code?: string; country?: { iso_code?: string } } | null;

export const openCountryDatabase = (file: string) => new Reader(readFileSync(file));

/** Reads the database at the first call: most containers have no such rule. */
export function createCountryLookup(file = createRequire(import.meta.url).resolve(BUNDLED)) {
	let reader: ReturnType<typeof openCountryDatabase> | undefined;
	return (clientIp: string): string | undefined => {
		const ip = getClientIp({ ip: clientIp });
		if (isIP(ip) === 0) return undefined;
		reader ??= openCountryDatabase(file);
		// A database of IPv4 has no place for others.
		if (isIP(ip) > reader.metadata.ipVersion) return undefined;
		const record = reader.get(ip) as CountryRecord;
		return record?.country_code ?? record?.country?.iso_code;
	};
}
