import fc from 'fast-check';
import { parseRange } from '../src/containers/addressRanges.mts';

const isIn = (text: string, ip: string) => {
	const contains = parseRange(text);
	if (contains === undefined) throw new Error(`${text} is no range`);
	return contains(ip);
};

describe('parseRange', () => {
	it.each([
		...['', ' ', 'x', '10', '10.1', '0x7f.1', '010.0.0.1', '10.0.0.01', '256.0.0.1', '1.2.3.4.5'],
		...[' 10.0.0.1', '10.0.0.1 ', '10.0.0.1,10.0.0.2', '[::1]', '1.2.3.4:80', '2130706433'],
		...['10.0.0.0/33', '10.0.0.0/-1', '10.0.0.0/08', '10.0.0.0/', '10.0.0.0/8/8', '10.0.0.0/8.0'],
		...['/8', '10.0.0.0/ 8', '10.0.0.0/1e1', '::/129', '::/255.0.0.0', '10.0.0.0/ffff::'],
		...['10.0.0.0/255.0', '10.0.0.0/0377.0.0.0', '10.*.0.0/16', '192.168.*', '192.168.1*.1'],
		...['*', '*.*', '192.168.*.01', '192.168.*.*.1', '2001:db8::*', '192.168.*.1-192.168.*.9'],
		...['10.0.0.9-10.0.0.1', '10.0.0.1-', '-10.0.0.1', '10.0.0.1-10.0.0.2-10.0.0.3', '10.0.0.1-9'],
		...['10.0.0.1-::1', '::1-10.0.0.1', '::2-::1', '::1-::ffff:1.2.3.4', '10.0.0.1 - 10.0.0.9'],
		...['fe80::1%eth0', 'fe80::%1/64', 'fe80::1%1-fe80::9', '::1.2.3.4', '::ffff:010.0.0.1'],
		...['::ffff:10.0.0.0/8', '::ffff:10.0.0.0/95', '::ffff:10.0.0.1/::ffff:255.0.0.0', '1::2::3'],
		...['a-b', 'localhost', '10.0.0.0\0/8', '１.2.3.4', '10.0.0.1\n'],
	])('refuses %j', (text) => {
		expect(parseRange(text)).toBeUndefined();
	});

	it('refuses long text in little time', () => {
		const start = performance.now();
		for (const part of ['1', '1.', '*.', '-', '/', ':', '1:', '1-', '0.0.0.0-']) {
			expect(parseRange(part.repeat(1_000_000 / part.length))).toBeUndefined();
		}
		expect(performance.now() - start).toBeLessThan(500);
	});
});

describe('a range', () => {
	it.each([
		['192.0.2.1', ['192.0.2.1', '::ffff:192.0.2.1', '::FFFF:c000:201'], ['192.0.2.2', '::1', '']],
		['192.0.2.77/24', ['192.0.2.0', '192.0.2.255'], ['192.0.3.0', '192.0.1.255']],
		['0.0.0.0/0', ['1.2.3.4', '255.255.255.255', '::ffff:1.2.3.4'], ['::', '2001:db8::1']],
		['192.168.*.1', ['192.168.0.1', '192.168.255.1'], ['192.168.0.2', '192.169.0.1']],
		['*.*.*.*', ['0.0.0.0', '255.1.2.3'], ['::']],
		[
			'192.0.2.10-192.0.3.5',
			['192.0.2.10', '192.0.2.255', '192.0.3.5'],
			['192.0.2.9', '192.0.3.6'],
		],
		['10.0.0.0/255.0.0.0', ['10.1.2.3'], ['11.0.0.0']],
		['10.7.5.1/255.255.0.255', ['10.7.0.1', '10.7.9.1'], ['10.7.5.2', '10.8.5.1', '1.2.3.4']],
		['2001:DB8::/32', ['2001:db8::1', '2001:db8:ffff::'], ['2001:db9::', '10.0.0.1']],
		['::/0', ['::', 'ffff::', '2001:db8::1'], ['1.2.3.4', '::ffff:1.2.3.4']],
		[
			'2001:db8::5-2001:db8::1:0',
			['2001:db8::5', '2001:db8::ffff'],
			['2001:db8::4', '2001:db8::1:1'],
		],
		['2001:db8::1/ffff:ffff::ffff', ['2001:db8:9::1'], ['2001:db8:9::2', '2001:db9::1']],
		['::ffff:192.0.2.0/120', ['192.0.2.9', '::ffff:192.0.2.9'], ['192.0.3.0', '::c000:209']],
		['::ffff:0:0/96', ['1.2.3.4'], ['2001:db8::1']],
		['::ffff:192.0.2.1-192.0.2.5', ['192.0.2.3', '::ffff:192.0.2.3'], ['192.0.2.6']],
		['fe80::/10', ['fe80::1', 'fe80::1%eth0'], ['fec0::1']],
	])('%s', (text, inside, outside) => {
		expect(inside.filter((ip) => !isIn(text, ip))).toEqual([]);
		expect(outside.filter((ip) => isIn(text, ip))).toEqual([]);
	});

	it.each(['', 'unknown', '10.1', '010.0.0.1', '1.2.3.4, 5.6.7.8'])('no range has %j', (ip) => {
		expect(isIn('0.0.0.0/0', ip)).toBe(false);
		expect(isIn('::/0', ip)).toBe(false);
	});
});

/** Addresses as lists of numbers, bits as text: slow and plain. */
describe('compared with a plain model', () => {
	const RUNS = { numRuns: 500 };
	/** Few values, so that addresses often match. */
	const byte = fc.constantFrom(0, 1, 2, 9, 10, 127, 128, 192, 254, 255);
	const families = [
		{
			part: byte,
			size: 8,
			count: 4,
			write: (parts: number[]) => parts.join('.'),
		},
		{
			part: fc.tuple(byte, byte).map(([high, low]) => high * 256 + low),
			size: 16,
			count: 8,
			write: (parts: number[]) => parts.map((part) => part.toString(16)).join(':'),
		},
	];

	describe.each(families)('with $count parts', ({ part, size, count, write }) => {
		const toBits = (parts: number[]) =>
			parts.map((value) => value.toString(2).padStart(size, '0')).join('');
		const address = fc
			.array(part, { minLength: count, maxLength: count })
			.filter((parts) => !toBits(parts).startsWith(`${'0'.repeat(80)}${'1'.repeat(16)}`));
		/** A pair that differs in few parts. */
		const pair = fc
			.tuple(address, address, fc.array(fc.boolean(), { minLength: count, maxLength: count }))
			.map(([a, other, same]) => [a, a.map((value, n) => (same[n] ? value : other[n]))]);

		it('address', () => {
			fc.assert(
				fc.property(pair, ([a, b]) => {
					expect(isIn(write(a), write(b))).toBe(write(a) === write(b));
				}),
				RUNS,
			);
		});

		it('prefix', () => {
			fc.assert(
				fc.property(pair, fc.nat(size * count), ([a, b], length) => {
					const expected = toBits(a).slice(0, length) === toBits(b).slice(0, length);
					expect(isIn(`${write(a)}/${length}`, write(b))).toBe(expected);
				}),
				RUNS,
			);
		});

		it('mask', () => {
			fc.assert(
				fc.property(pair, address, ([a, b], mask) => {
					const maskBits = toBits(mask);
					const pick = (parts: number[]) =>
						[...toBits(parts)].filter((_, index) => maskBits[index] === '1').join('');
					expect(isIn(`${write(a)}/${write(mask)}`, write(b))).toBe(pick(a) === pick(b));
				}),
				RUNS,
			);
		});

		it('first and last', () => {
			fc.assert(
				fc.property(pair, address, ([a, b], c) => {
					const [first, last] = [a, c].sort((x, y) => (toBits(x) < toBits(y) ? -1 : 1));
					const expected = toBits(first) <= toBits(b) && toBits(b) <= toBits(last);
					expect(isIn(`${write(first)}-${write(last)}`, write(b))).toBe(expected);
				}),
				RUNS,
			);
		});
	});

	it('wildcards', () => {
		const quad = fc.array(byte, { minLength: 4, maxLength: 4 });
		const holes = fc.array(fc.boolean(), { minLength: 4, maxLength: 4 });
		fc.assert(
			fc.property(quad, quad, holes, (a, b, isWild) => {
				fc.pre(isWild.includes(true));
				const text = a.map((value, index) => (isWild[index] ? '*' : value)).join('.');
				const expected = a.every((value, index) => isWild[index] || value === b[index]);
				expect(isIn(text, b.join('.'))).toBe(expected);
				expect(isIn(text, `::ffff:${b.join('.')}`)).toBe(expected);
			}),
			RUNS,
		);
	});

	it('every spelling of an IPv6 address is the same address', () => {
		fc.assert(
			fc.property(fc.ipV6(), (text) => {
				fc.pre(!/^::\d+\./.test(text));
				const { hostname } = new URL(`http://[${text}]/`);
				expect(isIn(text, hostname.slice(1, -1))).toBe(true);
			}),
			RUNS,
		);
	});

	it('any text is a range or refused, and never an exception', () => {
		const text = fc.string({ unit: fc.constantFrom(...'0129abf.:*-/%'), maxLength: 20 });
		fc.assert(
			fc.property(text, fc.oneof(fc.ipV4(), fc.ipV6(), text), (rangeText, ip) => {
				parseRange(rangeText)?.(ip);
			}),
			{ numRuns: 20_000 },
		);
	});
});
