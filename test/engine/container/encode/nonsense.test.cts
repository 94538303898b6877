import type { INodeParameters } from 'n8n-workflow';
import { mockService } from '../../../support/nock.cts';
import { encode, envelope, path, uploadsTo } from '../../support/encode.cts';
import { dayFromNow } from '../../support/polling.cts';

const service = mockService();
const { containerSent } = uploadsTo(service);

const FAR_EAST = 'Pacific/Kiritimati';
const FAR_WEST = 'Pacific/Pago_Pago';
const until = (timeEnd: string): INodeParameters => ({ accessEnds: 'onDate', timeEnd });

describe('rules that nobody can mean', () => {
	it.each<[string, INodeParameters, string]>([
		['an end in the past', until('2020-12-31'), '"Available Until" (2020-12-31) is in the past'],
		['no opens', { drmRules: { opens: 0 } }, '"Maximum Opens" must be a whole number, 1 or more'],
		[
			'an IP rule that is none',
			{ drmRules: { ipBlock: '198.51.100.0/24, office' } },
			'"office" in "IP Addresses Blocked" is not an IP address',
		],
		[
			'a country both allowed and blocked',
			{ drmRules: { geoAllow: ['AT', 'CH'], geoBlock: ['CH'] } },
			'"CH" is in "Countries Allowed" and in "Countries Blocked"',
		],
		[
			'an address without a domain',
			{ recipients: '*@example.com, anna@example' },
			'"anna@example" in "Recipients" is not an email address',
		],
		[
			'a window of days that ends before it starts',
			{ accessEnds: 'afterDays', accessDays: 7, drmRules: { timeStart: '2099-12-31' } },
			'"Days Until Access Ends" (',
		],
	])('are refused before anything is sent: %s', async (_what, parameters, message) => {
		const { error } = await encode(parameters);

		expect(error?.message).toContain(message);
		expect(error?.message).toMatch(/\[item 0\]$/);
		expect(error?.description).toMatch(/\w/);
		expect(service.requests).toEqual([]);
	});

	it('include an end that is over in the time zone of the workflow, and only there', async () => {
		const today = dayFromNow(0, FAR_WEST);
		service.scope().post(path).reply(200, envelope);

		const inWest = await encode(until(today), {}, { timezone: FAR_WEST });
		const inEast = await encode(until(today), {}, { timezone: FAR_EAST });

		expect(inWest.error).toBeUndefined();
		expect(containerSent().drm).toMatchObject({ time: { end: today } });
		expect(inEast.error?.message).toContain(`"Available Until" (${today}) is in the past`);
		expect(inEast.error?.description).toContain(
			`Today is ${dayFromNow(0, FAR_EAST)} in the time zone of the workflow (${FAR_EAST})`,
		);
		expect(service.requests).toHaveLength(1);
	});

	it.each([{}, { name: null }])('are sent from JSON without a name: %j', async (container) => {
		service.contract.skipBodies('JSON is sent as the user enters it');
		service.scope().post(path).reply(200, envelope);

		const { error } = await encode({
			specifyManifest: 'json',
			manifestJson: JSON.stringify({ container }),
		});

		expect(error).toBeUndefined();
		expect(containerSent()).toEqual(container);
	});

	it('are sent unchanged from JSON', async () => {
		const container = {
			name: 'Invoice',
			recipients: ['anna@example'],
			drm: {
				opens: 0,
				geo: { allow: [{ country: 'CH' }], block: [{ country: 'CH' }] },
				ip: { allow: ['office'] },
				time: { start: '2020-12-31', end: '2020-01-01' },
			},
		};
		service.scope().post(path).reply(200, envelope);

		const { error } = await encode({
			specifyManifest: 'json',
			manifestJson: JSON.stringify({ container }),
		});

		expect(error).toBeUndefined();
		expect(containerSent()).toEqual(container);
	});
});
