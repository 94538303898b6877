import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { DateTime } from 'luxon';
import { mockService } from '../../../support/nock.cts';
import { uploadsTo, encode, envelope, partsOf, path } from '../../support/encode.cts';
import { inputItemId } from '../../support/parameters.cts';

const service = mockService();
const { uploads, manifests, containerSent } = uploadsTo(service);

describe('the body', () => {
	it('has a manifest and a file, each with name and type, and nothing else', async () => {
		service.scope().post(path).reply(200, envelope);

		await encode();

		expect(partsOf(uploads()[0].body)).toEqual([
			{
				head: expect.stringMatching(
					/^Content-Disposition: form-data; name="manifest\.json"; filename="manifest\.json"\r\nContent-Type: application\/json$/,
				),
				content: '{"container":{"name":"Invoice","downloadable":false,"drm":{"dynamic":true}}}',
			},
			{
				head: 'Content-Disposition: form-data; name="file"; filename="report.txt"\r\nContent-Type: text/plain',
				content: 'confidential',
			},
		]);
		expect(uploads()[0].headers['content-type']).toMatch(/^multipart\/form-data; boundary=/);
		expect(Number(uploads()[0].headers['content-length'])).toBe(
			Buffer.byteLength(String(uploads()[0].body)),
		);
	});

	it('can name its parts as older services do', async () => {
		service.scope().post(path).reply(200, envelope);

		await encode({}, { manifestPartName: 'manifest', filePartName: ' files ' });

		service.contract.depart({ manifestPart: 'manifest', filePart: 'files' });

		expect(partsOf(uploads()[0].body).map(({ head }) => /name="([^"]*)"/.exec(head)?.[1])).toEqual([
			'manifest',
			'files',
		]);
	});
});

describe('the manifest from fields', () => {
	it.each<[string, INodeParameters, IDataObject]>([
		['only name and downloadable', {}, { name: 'Invoice', downloadable: false }],
		['a trimmed name', { name: '  Invoice 7 ' }, { name: 'Invoice 7', downloadable: false }],
		['a name that is a number', { name: '={{ 2026 }}' }, { name: '2026', downloadable: false }],
		[
			'recipients as text',
			{ recipients: 'anna@example.com; *@example.org,\nbob@example.com, anna@example.com' },
			{
				name: 'Invoice',
				downloadable: false,
				recipients: ['anna@example.com', '*@example.org', 'bob@example.com'],
			},
		],
		[
			'recipients as a list',
			{ recipients: '={{ ["anna@example.com", "bob@example.org"] }}', downloadable: true },
			{ name: 'Invoice', downloadable: true, recipients: ['anna@example.com', 'bob@example.org'] },
		],
		[
			'an unmodified password',
			{ drmRules: { password: ' pass word ' } },
			{ name: 'Invoice', downloadable: false, password: ' pass word ' },
		],
		[
			'a password that is a number',
			{ drmRules: { password: '={{ 12345678 }}' } },
			{ name: 'Invoice', downloadable: false, password: '12345678' },
		],
		[
			'every rule',
			{
				accessEnds: 'onDate',
				timeEnd: '2099-12-31',
				dynamic: true,
				drmRules: {
					geoAllow: ['CH', 'DE'],
					geoBlock: '={{ ["US"] }}',
					ipAllow: '192.168.1.0/24, 10.0.0.1-10.0.0.9',
					ipBlock: '192.*.1.*',
					opens: 3,
					timeStart: '2026-12-01T00:00:00',
				},
			},
			{
				name: 'Invoice',
				downloadable: false,
				drm: {
					dynamic: true,
					geo: { allow: [{ country: 'CH' }, { country: 'DE' }], block: [{ country: 'US' }] },
					ip: { allow: ['192.168.1.0/24', '10.0.0.1-10.0.0.9'], block: ['192.*.1.*'] },
					opens: 3,
					time: { start: '2026-12-01', end: '2099-12-31' },
				},
			},
		],
		[
			'one rule',
			{ drmRules: { opens: 1 } },
			{ name: 'Invoice', downloadable: false, drm: { dynamic: true, opens: 1 } },
		],
		[
			'rules that are sealed',
			{ dynamic: false },
			{ name: 'Invoice', downloadable: false, drm: { dynamic: false } },
		],
		[
			'no end that another choice left in its field',
			{ accessEnds: 'never', timeEnd: '2099-12-31', accessDays: 7 },
			{ name: 'Invoice', downloadable: false, drm: { dynamic: true } },
		],
	])('contains %s', async (_what, parameters, container) => {
		service.scope().post(path).reply(200, envelope);

		const { error } = await encode(parameters);

		expect(error).toBeUndefined();
		expect(manifests()).toEqual([{ container: { drm: { dynamic: true }, ...container } }]);
	});

	it.each([
		['Asia/Tokyo', '={{ DateTime.fromISO("2098-12-31T20:00:00Z") }}', '2099-01-01'],
		['America/Los_Angeles', '2099-12-31T02:00:00Z', '2099-12-30'],
		['Pacific/Auckland', '2099-12-31', '2099-12-31'],
	])('contains the day in %s for %s', async (timezone, timeEnd, day) => {
		service.scope().post(path).reply(200, envelope);

		await encode({ accessEnds: 'onDate', timeEnd }, {}, { timezone });

		expect(containerSent().drm).toEqual({ dynamic: true, time: { end: day } });
	});

	it.each(['Pacific/Kiritimati', 'Pacific/Pago_Pago'])(
		'contains the day that is a number of days from today in %s',
		async (timezone) => {
			service.scope().post(path).times(2).reply(200, envelope);

			for (const accessDays of [0, '={{ 30 }}']) {
				await encode({ accessEnds: 'afterDays', accessDays }, {}, { timezone });
			}

			expect(manifests().map(({ container }) => (container as IDataObject).drm)).toEqual(
				[0, 30].map((days) => ({
					dynamic: true,
					time: { end: DateTime.now().setZone(timezone).plus({ days }).toISODate() },
				})),
			);
		},
	);

	it.each<[string, INodeParameters, RegExp]>([
		[
			'a recipient without @',
			{ recipients: 'anna@example.com, bob' },
			/"bob" in "Recipients" is not an email address/,
		],
		[
			'a recipient that is a number',
			{ recipients: '={{ [5] }}' },
			/"Recipients" contains an entry that is not text/,
		],
		[
			'an expression for the recipients that returns nothing',
			{ recipients: '={{ $json.nobody }}', options: { allowNoRecipients: false } },
			/The expression in "Recipients" returned no address/,
		],
		[
			'an expression for the recipients that returns an empty list',
			{ recipients: '={{ [] }}', options: { allowNoRecipients: false } },
			/The expression in "Recipients" returned no address/,
		],
		[
			'an end before the start',
			{ accessEnds: 'onDate', timeEnd: '2099-12-30', drmRules: { timeStart: '2099-12-31' } },
			/"Available Until" \(2099-12-30\) is before "Available From" \(2099-12-31\)/,
		],
		[
			'a negative number of opens',
			{ drmRules: { opens: -1 } },
			/"Maximum Opens" must be a whole number, 1 or more/,
		],
		[
			'a fraction of opens',
			{ drmRules: { opens: 2.5 } },
			/"Maximum Opens" must be a whole number, 1 or more/,
		],
		[
			'an invalid date',
			{ accessEnds: 'onDate', timeEnd: 'next week' },
			/"Available Until" is not a date/,
		],
		[
			'a date that was not entered',
			{ accessEnds: 'onDate', timeEnd: '' },
			/"Available Until" is empty/,
		],
		[
			'a negative number of days',
			{ accessEnds: 'afterDays', accessDays: -1 },
			/"Days Until Access Ends" must be a whole number, from 0 to 36500/,
		],
		[
			'an unknown way to end access',
			{ accessEnds: '={{ "soon" }}' },
			/"Access Ends" has an unknown value/,
		],
		[
			'a day that does not exist',
			{ drmRules: { timeStart: '2026-02-29' } },
			/"Available From" is not a date/,
		],
		['an empty list of countries', { drmRules: { geoAllow: [] } }, /"Countries Allowed" is empty/],
		[
			'an empty list of IP addresses',
			{ drmRules: { ipAllow: '' } },
			/"IP Addresses Allowed" is empty/,
		],
		['an empty password', { drmRules: { password: '' } }, /"Password" is empty/],
		[
			'a missing password',
			{ drmRules: { password: '={{ $json.nothing }}' } },
			/"Password" is empty/,
		],
		[
			'a switch that is not a boolean',
			{ downloadable: '={{ "maybe" }}' },
			/"Downloadable" must be true or false/,
		],
		[
			'an invalid part name',
			{ options: { filePartName: 'a"b' } },
			/"File Part Name" is not a valid name/,
		],
		[
			'an empty part name',
			{ options: { manifestPartName: '' } },
			/"Manifest Part Name" is not a valid name/,
		],
		['a missing file name', { textFileName: ' ' }, /"File Name" is empty/],
		[
			'an unknown option value',
			{ options: { ifExists: '={{ "merge" }}' } },
			/"If Container Exists" has an unknown value/,
		],
		[
			'digests that are not a boolean',
			{ options: { includeFileDigests: '={{ 1 }}' } },
			/"Include File Digests" must be true or false/,
		],
	])('is rejected before anything is sent: %s', async (_what, parameters, message) => {
		const { options = {}, ...others } = parameters as INodeParameters & { options?: IDataObject };
		const { error, items } = await encode(others as INodeParameters, options as IDataObject);

		expect(error?.message).toMatch(message);
		expect(error?.message).toMatch(/\[item 0\]$/);
		expect(error?.description).toMatch(/\w/);
		expect(items).toEqual([]);
		expect(service.requests).toEqual([]);
	});

	it('of one invalid item stops all items before anything is sent, unless the workflow continues on errors', async () => {
		const items = ['anna@example.com', 'bob', 'carl@example.com'].map((to) => ({
			json: { id: `For ${to}`, to },
		}));
		const stopped = await encode({ recipients: '={{ $json.to }}' }, {}, { items });
		expect(stopped.error?.message).toMatch(/"bob" in "Recipients".*\[item 1\]/);
		expect(service.requests).toEqual([]);

		service.scope().post(path).times(2).reply(200, envelope);
		const continued = await encode(
			{ recipients: '={{ $json.to }}' },
			{},
			{ items, onError: 'continueErrorOutput', next: inputItemId },
		);
		expect(continued.next).toEqual([
			{ id: 'For anna@example.com' },
			{ id: 'For carl@example.com' },
		]);
		expect(continued.errorItems[0].json).toMatchObject({
			name: 'For bob',
			error: expect.stringContaining('"bob" in "Recipients"'),
		});
	});
});

describe('the manifest from JSON', () => {
	const json = (manifestJson: unknown) =>
		({ specifyManifest: 'json', manifestJson }) as INodeParameters;
	const manifest = {
		container: {
			name: 'Invoice',
			password: 'hunter2-hunter2',
			drm: { geo: { allow: [{ city: 'Bern' }] } },
		},
		files: { 'report.txt': { hidden: true } },
		future: [1, null],
	};

	it.each([
		['text', JSON.stringify(manifest, null, 2)],
		['an object', `={{ ${JSON.stringify(manifest).replaceAll('}', '} ')} }}`],
		[
			'text with an expression',
			`=${JSON.stringify(manifest).replace('"Invoice"', '{{ JSON.stringify($json.id) }}')}`,
		],
	])('is sent unchanged, from %s', async (_form, text) => {
		service.contract.skipBodies('JSON is sent as the user enters it');
		service.scope().post(path).reply(200, envelope);

		const { error } = await encode({ ...json(text), name: '', recipients: 'not read' });

		expect(error).toBeUndefined();
		expect(manifests()).toEqual([manifest]);
	});

	it.each([
		[
			'{ "container": { "name": "x", } }',
			/"Manifest \(JSON\)" is not valid JSON at line 1, column 31/,
		],
		[
			'{\n\t"container": {\n\t\t"name" 5\n\t}\n}',
			/"Manifest \(JSON\)" is not valid JSON at line 3, column 10/,
		],
		['{ "container": {', /"Manifest \(JSON\)" is not valid JSON: it ends too early/],
		['', /"Manifest \(JSON\)" is empty/],
		['[]', /"Manifest \(JSON\)" is not a JSON object/],
		['{}', /"Manifest \(JSON\)" contains no "container" object/],
		['{ "container": [] }', /"Manifest \(JSON\)" contains no "container" object/],
		['{ "container": null }', /"Manifest \(JSON\)" contains no "container" object/],
	])('is rejected before anything is sent: %j', async (text, message) => {
		const { error } = await encode(json(text));

		expect(error?.message).toMatch(message);
		expect(service.requests).toEqual([]);
	});

	it('can have a number as its password, which is shown nowhere', async () => {
		service.contract.skipBodies('JSON is sent as the user enters it');
		const container = { name: 'Invoice', password: 471100 };
		service.scope().post(path).reply(200, { uuid: 'c-1', echo: 'It is 471100.', password: 471100 });

		const { items } = await encode(json(JSON.stringify({ container })));

		expect(containerSent()).toEqual(container);
		expect(items[0].json).toEqual({
			uuid: 'c-1',
			echo: 'It is [hidden].',
			password: '[hidden]',
			settings: { name: 'Invoice', recipients: [], emailTo: '', endsOn: null },
		});
	});

	it.each([['""'], ['null'], ['true'], ['{}'], ['[]']])(
		'is rejected with a password that is none: %s',
		async (password) => {
			const { error } = await encode(
				json(`{ "container": { "name": "x", "password": ${password} } }`),
			);

			expect(error?.message).toMatch(/"Password" is (empty|not text)/);
			expect(error?.description).toContain('"Manifest (JSON)"');
			expect(service.requests).toEqual([]);
		},
	);

	it('gives an error item no name that n8n hides', async () => {
		const { items } = await encode(
			{ ...json('{'), name: 'Hidden' },
			{},
			{ onError: 'continueRegularOutput' },
		);

		expect(items[0].json).toMatchObject({ name: '', error: expect.any(String) });
	});

	it('is rejected without quoting its content', async () => {
		const { error } = await encode(json('{ "container": { "password": "hunter2-hunter2", } }'));

		expect(`${error?.message} ${error?.description}`).not.toContain('hunter2');
	});
});
