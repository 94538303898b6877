import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createCountryLookup, openCountryDatabase } from '../src/containers/country.mts';

const bundled = (name = '') =>
	require.resolve(`@ip-location-db/geo-whois-asn-country-mmdb/geo-whois-asn-country${name}.mmdb`);

let folder: string;
beforeAll(() => {
	folder = mkdtempSync(join(tmpdir(), 'country-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const write = (content: Buffer | string) => {
	const file = join(folder, 'test.mmdb');
	writeFileSync(file, content);
	return file;
};

/** Text, a map, and an unsigned number in the mmdb format. */
const text = (value: string) => Buffer.from([0x40 | value.length, ...Buffer.from(value)]);
const map = (values: Record<string, Buffer>) => {
	const entries = Object.entries(values);
	const parts = entries.flatMap(([key, value]) => [text(key), value]);
	return Buffer.concat([Buffer.from([0xe0 | entries.length]), ...parts]);
};
const number = (value: number) => Buffer.from([0xa1, value]);

/** All addresses have the same record. */
function createDatabase(record: Buffer): Buffer {
	const [nodeCount, separator] = [1, 16];
	const pointer = nodeCount + separator;
	const node = [0, 0, pointer, 0, 0, pointer];
	const metadata = map({
		binary_format_major_version: number(2),
		binary_format_minor_version: number(0),
		build_epoch: number(1),
		database_type: text('Test'),
		ip_version: number(4),
		node_count: number(nodeCount),
		record_size: number(24),
	});
	const marker = Buffer.from('\xab\xcd\xefMaxMind.com', 'latin1');
	return Buffer.concat([Buffer.from(node), Buffer.alloc(separator), record, marker, metadata]);
}

describe('createCountryLookup', () => {
	it.each([
		['8.8.8.8', 'US'],
		['::ffff:8.8.8.8', 'US'],
		['::ffff:808:808', 'US'],
		['194.25.0.68', 'DE'],
		['2001:4860:4860::8888', 'US'],
		['127.0.0.1', undefined],
		['10.0.0.1', undefined],
		['::1', undefined],
		['fe80::1%eth0', undefined],
		['', undefined],
		['unknown', undefined],
	])('finds for %j: %s', (ip, country) => {
		expect(createCountryLookup()(ip)).toBe(country);
	});

	it('reads the form of MaxMind, and a database of IPv4 alone', () => {
		const record = map({ country: map({ iso_code: text('NZ') }) });
		const lookup = createCountryLookup(write(createDatabase(record)));
		expect(lookup('192.0.2.1')).toBe('NZ');
		expect(lookup('::ffff:192.0.2.1')).toBe('NZ');
		expect(lookup('2001:db8::1')).toBeUndefined();
	});

	it('finds nothing in records without a country', () => {
		const lookup = createCountryLookup(write(createDatabase(map({ city: text('Nowhere') }))));
		expect(lookup('192.0.2.1')).toBeUndefined();
	});

	it('reads the file at the first address, once', () => {
		const file = join(folder, 'later.mmdb');
		const lookup = createCountryLookup(file);
		expect(lookup('not an address')).toBeUndefined();
		writeFileSync(file, createDatabase(map({ country_code: text('FR') })));
		expect(lookup('192.0.2.1')).toBe('FR');
		rmSync(file);
		expect(lookup('192.0.2.2')).toBe('FR');
	});
});

describe('openCountryDatabase', () => {
	it('accepts databases', () => {
		expect(() => openCountryDatabase(bundled())).not.toThrow();
		expect(() => openCountryDatabase(bundled('-ipv4'))).not.toThrow();
	});

	it('names a file that is missing', () => {
		const file = join(folder, 'missing.mmdb');
		expect(() => openCountryDatabase(file)).toThrow(file);
	});

	it.each([
		['empty', ''],
		['text', 'US,DE'],
		['binary', Buffer.alloc(10_000, 7)],
		['cut', readFileSync(bundled()).subarray(0, 100_000)],
	])('refuses a file that is no database: %s', (_kind, content) => {
		const file = write(content);
		expect(() => openCountryDatabase(file)).toThrow();
	});
});
