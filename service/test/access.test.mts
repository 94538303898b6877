import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isNamed, normalizeAddress, normalizeRecipient } from '../src/containers/addresses.mts';
import { parseRange } from '../src/containers/addressRanges.mts';
import { createCountryLookup, openCountryDatabase } from '../src/web/country.mts';
import {
	createCalendar,
	findEndedDay,
	findRefusal,
	mergeRules,
	type DrmRules,
	type Refusal,
} from '../src/containers/rules.mts';

describe('an email address', () => {
	it.each([
		['  Ada.Lovelace@Example.COM\n', 'ada.lovelace@example.com'],
		["o'brien+news@example.com", "o'brien+news@example.com"],
		['owner@localhost', 'owner@localhost'],
		['ada@BÜCHER.example', 'ada@xn--bcher-kva.example'],
		['JOSE\u0301@example.com', 'josé@example.com'],
		['\u212Aate@example.com', 'kate@example.com'],
		[`${'a'.repeat(242)}@example.com`, `${'a'.repeat(242)}@example.com`],
	])('%j is %j', (text, address) => {
		expect(normalizeAddress(text)).toBe(address);
		expect(normalizeAddress(address)).toBe(address);
	});

	it.each([
		...['', '@', 'ada', 'ada@', '@example.com', 'ada@@example.com', 'ada@b@example.com'],
		...['ada lovelace@example.com', 'ada\0@example.com', 'ada\r\nBcc: eve@example.com'],
		...['a,b@example.com', 'a;b@example.com', '"ada"@example.com', 'Ada <ada@example.com>'],
		...['ada(x)@example.com', 'a\\b@example.com', '*@example.com', 'ada@*', '.ada@example.com'],
		...['a..da@example.com', 'ada@example.com.', 'ada@exa..mple.com', 'ada@-example.com'],
		...['ada@example.com/x', 'ada@example.com:25', 'ada@ex%61mple.com', 'ada@example.com／x'],
		...['ada@127.0.0.1', 'ada@0x7f.1', 'ada@[127.0.0.1]', 'ada@xn--a', 'ada\u200B@example.com'],
		...['ada\uD800@example.com', `ada@${'a'.repeat(64)}.com`, `${'a'.repeat(243)}@example.com`],
	])('is not %j', (text) => {
		expect(normalizeAddress(text)).toBeUndefined();
	});
});

describe('recipients', () => {
	it.each([
		['ada@example.com', 'ada@example.com'],
		['*@BÜCHER.example', '*@xn--bcher-kva.example'],
		[' *@* ', '*@*'],
		...['', '*', '*@', '**@example.com', 'a*@example.com', '*@*.com', 'ada@*', '*@*@*'].map(
			(text) => [text, undefined],
		),
	])('%j: %j', (text, recipient) => {
		expect(normalizeRecipient(text!)).toBe(recipient);
	});

	it.each([
		[['grace@example.com', 'Ada@Example.com'], 'ada@example.com', true],
		[['grace@example.com'], 'ada@example.com', false],
		[['*@EXAMPLE.com'], 'ada@example.com', true],
		[['*@example.com'], 'ada@sub.example.com', false],
		[['*@example.com'], 'ada@badexample.com', false],
		[['a.b@example.com'], 'axb@example.com', false],
		[['*@bücher.example'], 'ada@xn--bcher-kva.example', true],
		[['*@*'], 'ada@example.com', true],
		[[], 'ada@example.com', false],
	])('%j name %s: %s', (recipients, address, named) => {
		expect(isNamed(recipients, address)).toBe(named);
	});
});

const isIn = (text: string, ip: string) => {
	const contains = parseRange(text);
	if (contains === undefined) throw new Error(`${text} is no range`);
	return contains(ip);
};

describe('a range of IP addresses', () => {
	it.each([
		...['', 'x', '10', '10.1', '0x7f.1', '010.0.0.1', '256.0.0.1', '1.2.3.4.5', ' 10.0.0.1'],
		...['10.0.0.1,10.0.0.2', '[::1]', '1.2.3.4:80', '2130706433', '10.0.0.0/33', '10.0.0.0/08'],
		...['10.0.0.0/', '10.0.0.0/8/8', '/8', '10.0.0.0/1e1', '::/129', '::/255.0.0.0'],
		...['10.0.0.0/ffff::', '10.0.0.0/255.0', '10.*.0.0/16', '192.168.*', '*', '2001:db8::*'],
		...['10.0.0.9-10.0.0.1', '10.0.0.1-', '10.0.0.1-9', '10.0.0.1-10.0.0.2-10.0.0.3'],
		...['10.0.0.1-::1', '::1-::ffff:1.2.3.4', '10.0.0.1 - 10.0.0.9', 'fe80::1%eth0'],
		...['::1.2.3.4', '1::2::3'],
		...['::ffff:10.0.0.0/95', '::ffff:10.0.0.1/::ffff:255.0.0.0', '10.0.0.0\0/8', '１.2.3.4'],
	])('is not %j', (text) => {
		expect(parseRange(text)).toBeUndefined();
	});

	it.each([
		['192.0.2.1', ['192.0.2.1', '::ffff:192.0.2.1', '::FFFF:c000:201'], ['192.0.2.2', '::1', '']],
		['192.0.2.77/24', ['192.0.2.0', '192.0.2.255'], ['192.0.3.0', '192.0.1.255']],
		['0.0.0.0/0', ['255.255.255.255', '::ffff:1.2.3.4'], ['::', 'unknown', '010.0.0.1']],
		['192.168.*.1', ['192.168.0.1', '192.168.255.1'], ['192.168.0.2', '192.169.0.1']],
		['192.0.2.10-192.0.3.5', ['192.0.2.10', '192.0.3.5'], ['192.0.2.9', '192.0.3.6']],
		['10.0.0.0/255.0.0.0', ['10.1.2.3'], ['11.0.0.0']],
		['10.7.5.1/255.255.0.255', ['10.7.0.1', '10.7.9.1'], ['10.7.5.2', '10.8.5.1', '1.2.3.4']],
		['2001:DB8::/32', ['2001:db8::1', '2001:db8:ffff::'], ['2001:db9::', '10.0.0.1']],
		['::/0', ['::', 'ffff::'], ['1.2.3.4', '::ffff:1.2.3.4']],
		['2001:db8::5-2001:db8::1:0', ['2001:db8::5'], ['2001:db8::4', '2001:db8::1:1']],
		['2001:db8::1/ffff:ffff::ffff', ['2001:db8:9::1'], ['2001:db8:9::2', '2001:db9::1']],
		['::ffff:192.0.2.0/120', ['192.0.2.9', '::ffff:192.0.2.9'], ['192.0.3.0', '::c000:209']],
		['::ffff:192.0.2.1-192.0.2.5', ['192.0.2.3', '::ffff:192.0.2.3'], ['192.0.2.6']],
		['fe80::/10', ['fe80::1', 'fe80::1%eth0'], ['fec0::1']],
	])('%s', (text, inside, outside) => {
		expect(inside.filter((ip) => !isIn(text, ip))).toEqual([]);
		expect(outside.filter((ip) => isIn(text, ip))).toEqual([]);
	});
});

describe('a country', () => {
	const bundled =
		require.resolve('@ip-location-db/geo-whois-asn-country-mmdb/geo-whois-asn-country.mmdb');
	const folder = mkdtempSync(join(tmpdir(), 'country-'));
	const file = join(folder, 'test.mmdb');
	afterAll(() => rmSync(folder, { recursive: true }));

	it.each([
		['8.8.8.8', 'US'],
		['::ffff:8.8.8.8', 'US'],
		['2001:4860:4860::8888', 'US'],
		['10.0.0.1', undefined],
		['fe80::1%eth0', undefined],
		['unknown', undefined],
	])('of %j: %s', (ip, country) => {
		expect(createCountryLookup()(ip)).toBe(country);
	});

	it('needs a file that is a database', () => {
		expect(() => openCountryDatabase(bundled)).not.toThrow();
		expect(() => openCountryDatabase(join(folder, 'missing'))).toThrow(join(folder, 'missing'));
		for (const content of ['', 'US,DE', readFileSync(bundled).subarray(0, 100_000)]) {
			writeFileSync(file, content);
			expect(() => openCountryDatabase(file)).toThrow();
		}
	});
});

const ADA = 'ada@example.com';
const owner = { address: 'olive@example.com', disabled_date: null, closed_date: null };
const SINCE = '2027-06-01T09:30:00.123Z';
const formerOwner = { ...owner, disabled_date: SINCE };
const ada = { address: ADA, owner, ip: '192.0.2.1', country: 'DE', today: '2027-06-15' };
const open: DrmRules = { dynamic: true, recipients: ['*@*'] };
const [DE, FR] = [{ country: 'DE' }, { country: 'FR' }];
const [OWN, OTHER] = ['192.0.2.0/24', '10.0.0.0/8'];

type Visitor = Parameters<typeof findRefusal>[1];
type Row = [rules: Partial<DrmRules>, visit: Partial<Visitor>];

describe('who is refused', () => {
	it.each<[...Row, Refusal]>([
		[{ recipients: undefined }, {}, { reason: 'recipient' }],
		[{ recipients: ['grace@example.com'] }, {}, { reason: 'recipient' }],
		// The owner has left.
		[{ recipients: [] }, { address: owner.address, owner: formerOwner }, { reason: 'recipient' }],
		[{}, { owner: { ...formerOwner, closed_date: SINCE } }, { reason: 'closed' }],
		[{ time: { start: '2027-06-16' } }, {}, { reason: 'time', starts: '2027-06-16' }],
		[{ time: { end: '2027-06-14' } }, {}, { reason: 'time', ended: '2027-06-14' }],
		[{ ip: { allow: [OTHER] } }, {}, { reason: 'ip' }],
		[{ ip: { allow: [] } }, {}, { reason: 'ip' }],
		[{ ip: { block: [OTHER, '::ffff:192.0.2.1'] } }, {}, { reason: 'ip' }],
		[{ ip: { allow: [OWN], block: [OWN] } }, {}, { reason: 'ip' }],
		// An address that can't be read could be one that is blocked.
		[{ ip: { block: [OTHER] } }, { ip: 'unknown' }, { reason: 'ip' }],
		[{ ip: { allow: [OWN] } }, { ip: 'unknown' }, { reason: 'ip' }],
		[{ geo: { allow: [FR] } }, {}, { reason: 'geo' }],
		[{ geo: { block: [DE] } }, {}, { reason: 'geo' }],
		[{ geo: { allow: [DE] } }, { country: undefined }, { reason: 'geo' }],
		[{ opens: 1 }, { opensUsed: 1 }, { reason: 'opens', opens: 1 }],
		[{ opens: 5 }, { opensUsed: 6 }, { reason: 'opens', opens: 5 }],
	])('%j, %j: %j', (rules, visit, refusal) => {
		expect(findRefusal({ ...open, ...rules }, { ...ada, ...visit })).toEqual(refusal);
	});

	it.each<Row>([
		[{ recipients: ['ADA@example.com'] }, {}],
		[{ time: { start: '2027-06-15', end: '2027-06-15' } }, {}],
		[{ ip: { allow: [OTHER, OWN], block: [OTHER] } }, {}],
		[{ ip: { block: [] } }, {}],
		[{ ip: {} }, { ip: 'unknown' }],
		[{ geo: { block: [FR] } }, { country: undefined }],
		[{ opens: 5 }, { opensUsed: 4 }],
		[{ opens: 1 }, {}],
		[{}, { owner: formerOwner }],
		[{}, { address: owner.address, owner: formerOwner }],
	])('nobody for %j, %j', (rules, visit) => {
		expect(findRefusal({ ...open, ...rules }, { ...ada, ...visit })).toBeUndefined();
	});

	it('is told the first reason in the order recipient, time, ip, geo; the owner none', () => {
		const refusing = {
			recipients: [],
			time: { end: '2020-01-01' },
			ip: { allow: [] },
			geo: { allow: [] },
		};
		const rules: DrmRules = { ...open, ...refusing };
		const visit = { ...ada, address: owner.address, ip: 'unknown', opensUsed: 1 };
		expect(findRefusal({ ...rules, opens: 1 }, visit)).toBeUndefined();
		const reasons = Object.keys(refusing).map((name) => {
			const reason = findRefusal(rules, ada)?.reason;
			Object.assign(rules, { [name]: open[name as 'recipients'] });
			return reason;
		});
		expect(reasons).toEqual(['recipient', 'time', 'ip', 'geo']);
	});

	it.each([
		['UTC', '2026-12-31T23:59:59.999Z', '2026-12-31'],
		['Europe/Berlin', '2026-12-31T23:00:00Z', '2027-01-01'],
		['Europe/Berlin', '2026-06-30T22:00:00Z', '2026-07-01'],
		['America/Los_Angeles', '2027-03-01T07:59:59Z', '2027-02-28'],
	])('by days in %s: %s is %s', (timeZone, now, today) => {
		expect(createCalendar(timeZone).format(new Date(now))).toBe(today);
	});
});

describe('the day on which a sender ended access', () => {
	const [PAST, TODAY, LATER] = ['2027-06-01', '2027-06-15', '2027-12-31'];
	it.each([
		['moved into the past', LATER, PAST, null, TODAY],
		['set in the past', undefined, PAST, null, TODAY],
		['over anyway', PAST, '2027-05-01', null, null],
		['ended before', PAST, '2027-05-01', '2027-06-02', '2027-06-02'],
		['not touched', PAST, PAST, '2027-06-02', '2027-06-02'],
		['at the end of this day', LATER, TODAY, null, null],
		['extended again', PAST, LATER, '2027-06-02', null],
		['without an end again', PAST, undefined, '2027-06-02', null],
	])('%s', (_title, oldEnd, newEnd, known, expected) => {
		const before = { dynamic: true, time: { end: oldEnd } };
		const after = { dynamic: true, time: { end: newEnd } };
		expect(findEndedDay(known, { before, after, today: TODAY })).toBe(expected);
	});
});

const all: DrmRules = {
	dynamic: true,
	recipients: [ADA],
	downloadable: false,
	geo: { allow: [DE] },
	ip: { allow: ['10.0.0.0/8'], block: ['10.0.0.1'] },
	opens: 5,
	time: { start: '2027-01-01', end: '2027-12-31' },
};

describe('rules', () => {
	const replaced = { time: { end: '2028-01-01' }, ip: { block: ['10.0.0.2'] }, recipients: [] };
	const spelled = ['Ada@Example.com', ADA, '*@A.com', '*@a.com', '*@*', '*@*'];
	it.each<[string, Parameters<typeof mergeRules>[1], DrmRules]>([
		['stay where they are not sent', { opens: undefined }, all],
		['are sealed without dynamic', { dynamic: null }, { ...all, dynamic: false }],
		['are replaced as a whole', replaced, { ...all, ...replaced }],
		[
			'keep the first spelling of a recipient',
			{ recipients: spelled },
			{ ...all, recipients: [spelled[0], '*@A.com', '*@*'] },
		],
	])('%s', (_, change, expected) => {
		const before = structuredClone(all);
		expect(mergeRules(all, change)).toEqual(expected);
		expect(all).toEqual(before);
	});
});
