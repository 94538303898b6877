import type { IDataObject } from 'n8n-workflow';
import { parseDrmRules } from '../../../../nodes/EncryptedContainers/parameters/drmRules';

const parse = (fields: IDataObject) => parseDrmRules(fields, 'Europe/Zurich');

describe('rule fields', () => {
	it.each<[IDataObject, object]>([
		[{}, {}],
		[{ dynamic: true }, { dynamic: true }],
		[{ dynamic: 'false' }, { dynamic: false }],
		[{ geoAllow: ['CH', 'DE'] }, { geo: { allow: [{ country: 'CH' }, { country: 'DE' }] } }],
		[{ geoBlock: 'US, CA' }, { geo: { block: [{ country: 'US' }, { country: 'CA' }] } }],
		[
			{ ipAllow: '192.*.1.*; 10.0.0.1-10.0.0.9' },
			{ ip: { allow: ['192.*.1.*', '10.0.0.1-10.0.0.9'] } },
		],
		[
			{ ipAllow: '192.0.2.1', ipBlock: ['192.0.2.0/24'] },
			{ ip: { allow: ['192.0.2.1'], block: ['192.0.2.0/24'] } },
		],
		[{ opens: 1 }, { opens: 1 }],
		[{ opens: '3' }, { opens: 3 }],
		[{ timeStart: '2099-12-31' }, { time: { start: '2099-12-31' } }],
		[{ timeEnd: '2099-12-31T00:00:00' }, { time: { end: '2099-12-31' } }],
		[
			{ timeStart: '2098-12-31T23:30:00Z', timeEnd: '2099-01-01' },
			{ time: { start: '2099-01-01', end: '2099-01-01' } },
		],
		[{ downloadable: false }, { downloadable: false }],
		[
			{ recipients: '*@example.com, anna@example.com' },
			{ recipients: ['*@example.com', 'anna@example.com'] },
		],
		[{ recipients: 'anna@mail.example.com' }, { recipients: ['anna@mail.example.com'] }],
	])('%j become the rules %j', (fields, rules) => {
		expect(parse(fields)).toEqual(rules);
	});

	it.each<[IDataObject, string | RegExp]>([
		[{ dynamic: 'maybe' }, '"Allow Changes Later" must be true or false'],
		[{ dynamic: null }, '"Allow Changes Later" must be true or false'],
		[{ dynamic: undefined }, '"Allow Changes Later" must be true or false'],
		[{ geoAllow: undefined }, '"Countries Allowed" is empty'],
		[{ ipBlock: undefined }, '"IP Addresses Blocked" is empty'],
		[{ opens: undefined }, '"Maximum Opens" must be a whole number'],
		[{ accessDays: undefined }, '"Days Until Access Ends" must be a whole number, from 0 to 36500'],
		[{ timeEnd: undefined }, '"Available Until" is empty'],
		[{ recipients: undefined }, '"Recipients: Replace All" is empty'],
		[{ geoAllow: [] }, '"Countries Allowed" is empty'],
		[{ geoBlock: '' }, '"Countries Blocked" is empty'],
		[{ geoAllow: [7] }, '"Countries Allowed" contains an entry that is not text'],
		[{ ipAllow: ' ' }, '"IP Addresses Allowed" is empty'],
		[{ ipBlock: [] }, '"IP Addresses Blocked" is empty'],
		[{ opens: 0 }, '"Maximum Opens" must be a whole number, 1 or more'],
		[{ opens: -1 }, '"Maximum Opens" must be a whole number'],
		[{ opens: 1.5 }, '"Maximum Opens" must be a whole number'],
		[{ opens: null }, '"Maximum Opens" must be a whole number'],
		[{ timeStart: '' }, '"Available From" is empty'],
		[{ timeStart: '31.12.2099' }, '"Available From" is not written as YYYY-MM-DD'],
		[
			{ recipients: 'anna@example.com, *@*' },
			'"*@*" in "Recipients: Replace All" stands for everybody',
		],
		[{ timeEnd: 'soon' }, '"Available Until" is not a date'],
		[
			{ timeStart: '2099-12-31', timeEnd: '2099-12-30' },
			'"Available Until" (2099-12-30) is before "Available From" (2099-12-31)',
		],
		[{ timeStart: '2099-12-31', accessDays: 0 }, /^"Days Until Access Ends" \(.*\) is before/],
		[{ timeEnd: '2020-12-31' }, '"Available Until" (2020-12-31) is in the past'],
		[
			{ geoAllow: ['CH', 'DE'], geoBlock: 'us, de' },
			'"DE" is in "Countries Allowed" and in "Countries Blocked"',
		],
		[
			{ ipAllow: '192.0.2.0/24', ipBlock: ['192.0.2.0/24'] },
			'"192.0.2.0/24" is in "IP Addresses Allowed" and in "IP Addresses Blocked"',
		],
		[
			{ ipAllow: '192.0.2.1, anywhere' },
			'"anywhere" in "IP Addresses Allowed" is not an IP address',
		],
		[{ recipients: 'anna@example' }, '"anna@example" in "Recipients: Replace All" is not an email'],
		[
			{ recipients: 'anna@.example.com' },
			'"anna@.example.com" in "Recipients: Replace All" is not',
		],
		[
			{ recipients: 'anna@example.com.' },
			'"anna@example.com." in "Recipients: Replace All" is not',
		],
		[{ downloadable: 1 }, '"Downloadable" must be true or false'],
		[{ recipients: [] }, '"Recipients: Replace All" is empty'],
		[{ recipients: 'anna' }, '"anna" in "Recipients: Replace All" is not an email address'],
	])('%j are rejected: %s', (fields, message) => {
		expect(() => parse(fields)).toThrow(message);
	});

	it('can end access today, but not before', () => {
		expect(() => parse({ timeEnd: new Date() })).not.toThrow();
		expect(() => parse({ timeEnd: '2020-12-31' })).toThrow(
			expect.objectContaining({
				description: expect.stringMatching(
					/^Today is \d{4}-\d\d-\d\d in the time zone of the workflow \(Europe\/Zurich\)\. Pick today or a later day\. To end access to a container, use DRM > Revoke Access\.$/,
				),
			}),
		);
	});
});
