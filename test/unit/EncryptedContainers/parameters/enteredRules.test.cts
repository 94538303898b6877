import type { IDataObject } from 'n8n-workflow';
import { parseEnteredRules } from '../../../../nodes/EncryptedContainers/parameters/enteredRules';
import { Calendar } from '../../../../nodes/shared/parameters/calendar';
import { getDateInDays } from '../../../../nodes/shared/parameters/dates';

const timeZone = 'Europe/Zurich';
const getCalendar = async () => await Promise.resolve(new Calendar(timeZone));
const parse = async (fields: IDataObject) =>
	await parseEnteredRules(fields, { timeZone, getCalendar });
const countries = (...codes: string[]) => codes.map((country) => ({ country }));

it.each<[IDataObject, object]>([
	[{}, {}],
	[
		{ dynamic: true, downloadable: 'false', opens: '3' },
		{ dynamic: true, downloadable: false, opens: 3 },
	],
	[{ geoAllow: ['CH', 'DE'] }, { geo: { allow: countries('CH', 'DE') } }],
	[{ geoBlock: 'us, Ca' }, { geo: { block: countries('US', 'CA') } }],
	[
		{ ipAllow: '192.0.2.1; 10.0.0.*', ipBlock: ['192.0.2.0 / 24'] },
		{ ip: { allow: ['192.0.2.1', '10.0.0.*'], block: ['192.0.2.0/24'] } },
	],
	[{ timeEnd: '2099-12-31T00:00:00' }, { time: { end: '2099-12-31' } }],
	[
		{ timeStart: '2098-12-31T23:30:00Z', timeEnd: '2099-01-01' },
		{ time: { start: '2099-01-01', end: '2099-01-01' } },
	],
	[{ recipients: '*@x.example, a@m.x.example' }, { recipients: ['*@x.example', 'a@m.x.example'] }],
])('the fields %j become the rules %j', async (fields, rules) => {
	expect(await parse(fields)).toEqual(rules);
});

const all = '"Recipients: Replace All"';
const together = `"Available Until" and "Days to Extend Access" can't be used together`;
const late = '2099-12-31';

it.each<[string | RegExp, ...IDataObject[]]>([
	['"Allow Changes Later" must be true or false', { dynamic: null }, { dynamic: undefined }],
	['"Countries Allowed" is empty', { geoAllow: undefined }, { geoAllow: [] }],
	['"Countries Blocked" is empty', { geoBlock: '' }],
	['"IP Addresses Allowed" is empty', { ipAllow: ' ' }],
	['"Max Opens" must be a whole number, 1 or more', { opens: 0 }, { opens: null }],
	['"Days Until Access Ends" must be a whole number, from 0 to 36500', { accessDays: undefined }],
	['"Available From" is not a date', { timeStart: '31.12.2099' }],
	['"Available Until" is empty', { timeEnd: undefined }],
	[together, { timeEnd: late, extendByDays: 1 }],
	[`is before "Available From" (${late})`, { timeStart: late, timeEnd: '2099-12-30' }],
	[/^"Days Until Access Ends" \(.*\) is before/, { timeStart: late, accessDays: 0 }],
	['"DE" is in "Countries Allowed" and in "Countries', { geoAllow: ['CH', 'DE'], geoBlock: 'de' }],
	[`${all} is empty`, { recipients: undefined }, { recipients: [] }],
	[`"*@*" in ${all} stands for everybody`, { recipients: 'anna@example.com, *@*' }],
	[`"anna@example" in ${all} is not an email address`, { recipients: 'anna@example' }],
])('an error says %s for %j', async (message, ...rejected) => {
	for (const fields of rejected) await expect(parse(fields)).rejects.toThrow(message);
});

it.each([
	['UK', 'GB for United Kingdom'],
	['germany', 'DE for Germany'],
	['Ivory Coast', "CI for Côte d'Ivoire / Ivory Coast"],
	['USA', 'codes such as DE'],
])('%s is no country, and the error says which code is', async (entry, meant) => {
	await expect(parse({ geoBlock: ['CH', entry] })).rejects.toMatchObject({
		message: `"${entry.toUpperCase()}" in "Countries Blocked" is not the code of a country`,
		description: expect.stringContaining(`Enter ${meant} in "Countries Blocked".`),
	});
});

it.each(['Etc/GMT+12', 'Etc/GMT-14'])(
	'days are counted in the time zone of the service: %s',
	async (serviceZone) => {
		const calendar = new Calendar(timeZone, serviceZone);
		const days = { timeZone, getCalendar: async () => await Promise.resolve(calendar) };

		const rules = await parseEnteredRules({ accessDays: 30 }, days);

		expect(rules).toEqual({ time: { end: getDateInDays(30, serviceZone) } });
		const yesterday = getDateInDays(-1, serviceZone);
		await expect(parseEnteredRules({ timeEnd: yesterday }, days)).rejects.toMatchObject({
			description: expect.stringContaining(`in the time zone of the service (${serviceZone})`),
		});
	},
);

it('asks for no time zone where no days are counted', async () => {
	const getCalendar = jest.fn();
	await parseEnteredRules({ timeStart: '2099-01-01', opens: 1 }, { timeZone, getCalendar });
	expect(getCalendar).not.toHaveBeenCalled();
});

it('access can end today, but not before', async () => {
	expect(await parse({ timeEnd: new Date() })).toHaveProperty('time.end');
	await expect(parse({ timeEnd: '2020-12-31' })).rejects.toThrow(
		expect.objectContaining({
			message: '"Available Until" (2020-12-31) is in the past',
			description: expect.stringMatching(/^Today is .*\(Europe\/Zurich\).*> Revoke Access\.$/),
		}),
	);
});

const ipRules = {
	addresses: '203.0.113.7 0.0.0.0 255.255.255.255 2001:db8::1 :: ::1 1:: ::ffff:192.0.2.1',
	'long addresses': '2001:DB8:0:0:8:800:200C:417A 1:2:3:4:5:6:192.0.2.1 1:2:3:4:5:6:7::',
	networks: '192.168.1.0/24 10.0.0.1/32 0.0.0.0/0 2001:db8::/32 ::/0 ::1/128',
	masks: '192.168.1.0/255.255.255.0 10.0.0.0/255.0.0.0 2001:db8::/ffff:ffff::',
	wildcards: '192.*.1.* 10.0.0.* *.*.*.*',
	ranges: '10.0.0.1-10.0.0.9 10.0.0.1-10.0.0.1 9.0.0.1-16.0.0.1 2001:db8::9-2001:db8::a',
};

it.each(Object.entries(ipRules))('IP rules can be %s', async (_form, text) => {
	const entries = text.split(' ');
	expect(await parse({ ipBlock: entries.join('; ') })).toEqual({ ip: { block: entries } });
});

it.each(
	[
		'10.0.0.1/33 10.0.0.1/024 10.0.0.1/ /24 10.0.0.1/24/8 10.0.0.*/24 10.0.0.0/ffff::',
		'10.0.0.0/255.*.0.0 10.0.0.1-9 10.0.0.1- 10.0.0.1-::1 10.0.0.*-10.0.1.1 192.168.* 192.168.1*.1',
		'10.0.0.1-10.0.0.2/24 * 10.0 1234 10.0.0.01 10.0.0.-1 cafe ab.cd [::1] ::192.0.2.* fe80::1%eth0',
		'2001:db8::/129 2001:db8::*/64 2001:db8::*-2001:db8::9 1::2::3 1:2:3:4::5:6:7:8 192.0.2.1::',
	].flatMap((text) => text.split(' ')),
)('IP rules can not be %s', async (entry) => {
	await expect(parse({ ipAllow: ['203.0.113.7', entry] })).rejects.toThrow(
		expect.objectContaining({
			message: `"${entry}" in "IP Addresses Allowed" is not an IP address`,
			description: expect.stringMatching(/^Enter an address \(203\.0\.113\.7\), a network/),
		}),
	);
});
