import { parseIpRules } from '../../../../nodes/EncryptedContainers/parameters/ipRules';

const parse = (value: unknown) => parseIpRules(value, 'IP Addresses Allowed');

describe('IP rules', () => {
	it.each([
		['addresses', '203.0.113.7 0.0.0.0 255.255.255.255 2001:db8::1 :: ::1 1:: ::ffff:192.0.2.1'],
		['long addresses', '2001:DB8:0:0:8:800:200C:417A 1:2:3:4:5:6:192.0.2.1 1:2:3:4:5:6:7::'],
		['networks', '192.168.1.0/24 10.0.0.1/32 0.0.0.0/0 2001:db8::/32 ::/0 ::1/128'],
		['masks', '192.168.1.0/255.255.255.0 10.0.0.0/255.0.0.0 2001:db8::/ffff:ffff::'],
		['wildcards', '192.*.1.* 10.0.0.* *.*.*.*'],
		['ranges', '10.0.0.1-10.0.0.9 10.0.0.1-10.0.0.1 9.0.0.1-16.0.0.1 2001:db8::9-2001:db8::a'],
	])('can be %s, which stay unchanged', (_form, text) => {
		const entries = text.split(' ');
		expect(parse(entries)).toEqual(entries);
		expect(parse(entries.join('; '))).toEqual(entries);
	});

	it('can have spaces around what connects two parts', () => {
		const entries = parse('10.0.0.1 - 10.0.0.9, 192.168.1.0 / 24');
		expect(entries).toEqual(['10.0.0.1-10.0.0.9', '192.168.1.0/24']);
	});

	it.each([
		...['10.0.0.1 10.0.0.2', '10.0.0.1/33', '10.0.0.1/024', '10.0.0.1/', '/24', '10.0.0.1/24/8'],
		...['10.0.0.*/24', '10.0.0.0/ffff::'],
		...['10.0.0.0/255.*.0.0', '10.0.0.1-9', '10.0.0.1-', '10.0.0.1-::1'],
		...['10.0.0.*-10.0.1.1', '10.0.0.1-10.0.0.2/24', '192.168.*', '192.168.1*.1', '*'],
		...['2001:db8::/129', '2001:db8::*/64', '2001:db8::*-2001:db8::9', 'fe80::1%eth0'],
		...['2001:db8::1-2001:db8::*', '[::1]', '::192.0.2.*'],
		...[
			'cafe',
			'ab.cd',
			'10.0',
			'1234',
			'x'.repeat(100),
			'10.0.0.01',
			'10.0.0.-1',
			'1::2::3',
			'1:2:3:4::5:6:7:8',
			'192.0.2.1::',
		],
	])('can not be %s', (entry) => {
		expect(() => parse(['203.0.113.7', entry])).toThrow(
			expect.objectContaining({
				message: `"${entry}" in "IP Addresses Allowed" is not an IP address`,
				description:
					'Enter an address (203.0.113.7), a network (192.168.1.0/24 or 192.168.1.0/255.255.255.0), an address with wildcards (192.*.1.*) or a range (10.0.0.1-10.0.0.9) in "IP Addresses Allowed". IPv6 has the same forms but wildcards.',
			}),
		);
	});
});
