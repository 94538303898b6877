import type { IDataObject } from 'n8n-workflow';
import { parseDrmRules } from '../../../../nodes/EncryptedContainers/parameters/drmRules';

const parse = (fields: IDataObject) => parseDrmRules(fields, 'Europe/Zurich');

it.each<[IDataObject, object]>([
	[{}, {}],
	[
		{ dynamic: true, downloadable: 'false' },
		{ dynamic: true, downloadable: false },
	],
	[{ geoAllow: ['CH', 'DE'] }, { geo: { allow: [{ country: 'CH' }, { country: 'DE' }] } }],
	[{ geoBlock: 'us, Ca' }, { geo: { block: [{ country: 'US' }, { country: 'CA' }] } }],
	[{ ipAllow: '192.*.1.*; 10.0.0.1' }, { ip: { allow: ['192.*.1.*', '10.0.0.1'] } }],
	[
		{ ipAllow: '192.0.2.1', ipBlock: ['192.0.2.0/24'] },
		{ ip: { allow: ['192.0.2.1'], block: ['192.0.2.0/24'] } },
	],
	[{ opens: '3' }, { opens: 3 }],
	[{ opens: 1 }, { opens: 1 }],
	[{ timeStart: '2099-12-31' }, { time: { start: '2099-12-31' } }],
	[{ timeEnd: '2099-12-31T00:00:00' }, { time: { end: '2099-12-31' } }],
	[
		{ timeStart: '2098-12-31T23:30:00Z', timeEnd: '2099-01-01' },
		{ time: { start: '2099-01-01', end: '2099-01-01' } },
	],
	[{ recipients: '*@x.example, a@m.x.example' }, { recipients: ['*@x.example', 'a@m.x.example'] }],
])('the fields %j become the rules %j', (fields, rules) => {
	expect(parse(fields)).toEqual(rules);
});

const all = '"Recipients: Replace All"';

it.each<[string | RegExp, ...IDataObject[]]>([
	['"Allow Changes Later" must be true or false', { dynamic: null }, { dynamic: undefined }],
	['"Downloadable" must be true or false', { downloadable: 1 }],
	['"Countries Allowed" is empty', { geoAllow: undefined }, { geoAllow: [] }],
	['"Countries Blocked" is empty', { geoBlock: '' }],
	['"Countries Allowed" is not text', { geoAllow: [{}] }],
	['"IP Addresses Allowed" is empty', { ipAllow: ' ' }],
	['"IP Addresses Blocked" is empty', { ipBlock: undefined }, { ipBlock: [] }],
	['"Maximum Opens" must be a whole number, 1 or more', { opens: 0 }, { opens: null }],
	['"Days Until Access Ends" must be a whole number, from 0 to 36500', { accessDays: undefined }],
	['"Available From" is empty', { timeStart: '' }],
	['"Available From" is not a date', { timeStart: '31.12.2099' }],
	['"Available Until" is empty', { timeEnd: undefined }],
	[
		`"Available Until" and "Days to Extend Access" can't be used together`,
		{ timeEnd: '2099-12-31', extendByDays: 1 },
	],
	['"Available Until" is not a date', { timeEnd: 'soon' }],
	['"Available Until" (2020-12-31) is in the past', { timeEnd: '2020-12-31' }],
	[
		'"Available Until" (2099-12-30) is before "Available From" (2099-12-31)',
		{ timeStart: '2099-12-31', timeEnd: '2099-12-30' },
	],
	[/^"Days Until Access Ends" \(.*\) is before/, { timeStart: '2099-12-31', accessDays: 0 }],
	[
		'"DE" is in "Countries Allowed" and in "Countries Blocked"',
		{ geoAllow: ['CH', 'DE'], geoBlock: 'us, de' },
	],
	[
		'"192.0.2.0/24" is in "IP Addresses Allowed" and in "IP Addresses Blocked"',
		{ ipAllow: '192.0.2.0/24', ipBlock: ['192.0.2.0/24'] },
	],
	['"anywhere" in "IP Addresses Allowed" is not an IP', { ipAllow: '192.0.2.1, anywhere' }],
	[`${all} is empty`, { recipients: undefined }, { recipients: [] }],
	[`"*@*" in ${all} stands for everybody`, { recipients: 'anna@example.com, *@*' }],
	...['anna', 'anna@example', 'anna@.example.com', 'anna@example.com.'].map(
		(address): [string, IDataObject] => [
			`"${address}" in ${all} is not an email address`,
			{ recipients: address },
		],
	),
])('an error says %s for %j', (message, ...rejected) => {
	for (const fields of rejected) expect(() => parse(fields)).toThrow(message);
});

it('access can end today, but not before', () => {
	expect(() => parse({ timeEnd: new Date() })).not.toThrow();
	expect(() => parse({ timeEnd: '2020-12-31' })).toThrow(
		expect.objectContaining({
			description: expect.stringMatching(
				/^Today is \d{4}-\d\d-\d\d in the time zone of the workflow \(Europe\/Zurich\)\. Pick today or a later day\. To end access to a container, use DRM > Revoke Access\.$/,
			),
		}),
	);
});
