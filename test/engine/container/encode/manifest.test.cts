import type { IDataObject } from 'n8n-workflow';
import { DateTime } from 'luxon';
import { mockService } from '../../../support/nock.cts';
import {
	encode,
	envelope,
	partsOf,
	path,
	uploadsTo,
	withManifest,
	withoutSettings,
} from '../../support/encode.cts';
import { outputOf } from '../../support/operations.cts';
import { invalidRecords } from '../../support/shapes.cts';

const service = mockService();
const { uploads, manifests, containerSent } = uploadsTo(service);

describe('the body', () => {
	it('has a manifest and a file, each with name and type, and nothing else', async () => {
		service.post(path).reply(200, envelope);

		await encode();

		expect(partsOf(uploads()[0].body)).toEqual([
			{
				head: 'Content-Disposition: form-data; name="manifest.json"; filename="manifest.json"\r\nContent-Type: application/json',
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
		service.post(path).reply(200, envelope);

		await encode({}, { manifestPartName: 'manifest', filePartName: ' files ' });

		service.contract.depart({ manifestPart: 'manifest', filePart: 'files' });
		const names = partsOf(uploads()[0].body).map(({ head }) => /name="([^"]*)"/.exec(head)?.[1]);
		expect(names).toEqual(['manifest', 'files']);
	});
});

describe('the manifest from fields', () => {
	it.each<[string, IDataObject, IDataObject]>([
		['a trimmed name', { name: '  Invoice 7 ' }, { name: 'Invoice 7' }],
		[
			'recipients as text',
			{ recipients: 'anna@example.com; *@example.org,\nbob@example.com, anna@example.com' },
			{ recipients: ['anna@example.com', '*@example.org', 'bob@example.com'] },
		],
		[
			'recipients as a list',
			{ recipients: '={{ ["anna@example.com", "bob@example.org"] }}', downloadable: true },
			{ downloadable: true, recipients: ['anna@example.com', 'bob@example.org'] },
		],
		[
			'an unmodified password',
			{ drmRules: { password: ' pass word ' } },
			{ password: ' pass word ' },
		],
		[
			'a password that is a number',
			{ drmRules: { password: '={{ 12345678 }}' } },
			{ password: '12345678' },
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
				drm: {
					dynamic: true,
					geo: { allow: [{ country: 'CH' }, { country: 'DE' }], block: [{ country: 'US' }] },
					ip: { allow: ['192.168.1.0/24', '10.0.0.1-10.0.0.9'], block: ['192.*.1.*'] },
					opens: 3,
					time: { start: '2026-12-01', end: '2099-12-31' },
				},
			},
		],
		['rules that are sealed', { dynamic: false }, { drm: { dynamic: false } }],
		[
			'no end that another choice left in its field',
			{ accessEnds: 'never', timeEnd: '2099-12-31', accessDays: 7 },
			{},
		],
	])('contains %s', async (_what, parameters, container) => {
		service.post(path).reply(200, envelope);

		await outputOf(encode(parameters));

		const usual = { name: 'Invoice', downloadable: false, drm: { dynamic: true } };
		expect(manifests()).toEqual([{ container: { ...usual, ...container } }]);
	});

	it.each([
		['Asia/Tokyo', '={{ DateTime.fromISO("2098-12-31T20:00:00Z") }}', '2099-01-01'],
		['America/Los_Angeles', '2099-12-31T02:00:00Z', '2099-12-30'],
		['Pacific/Auckland', '2099-12-31', '2099-12-31'],
	])('contains the day in %s for %s', async (timezone, timeEnd, day) => {
		service.post(path).reply(200, envelope);

		await encode({ accessEnds: 'onDate', timeEnd }, {}, { timezone });

		expect(containerSent().drm).toEqual({ dynamic: true, time: { end: day } });
	});

	it.each(['Pacific/Kiritimati', 'Pacific/Pago_Pago'])(
		'contains the day that is a number of days from today in %s',
		async (timezone) => {
			service.post(path).times(2).reply(200, envelope);

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
});

describe('the manifest from JSON', () => {
	const manifest = {
		container: {
			name: 'Invoice',
			password: 'hunter2-hunter2',
			drm: { geo: { allow: [{ city: 'Bern' }] } },
		},
		files: { 'report.txt': { hidden: true } },
		future: [1, null],
	};
	beforeEach(() => service.contract.skipBodies('JSON is sent as the user enters it'));

	it.each([
		['text', JSON.stringify(manifest, null, 2)],
		['an object', `={{ ${JSON.stringify(manifest).replaceAll('}', '} ')} }}`],
		[
			'text with an expression',
			`=${JSON.stringify(manifest).replace('"Invoice"', '{{ JSON.stringify($json.id) }}')}`,
		],
	])('is sent unchanged, from %s', async (_form, text) => {
		service.post(path).reply(200, envelope);

		await outputOf(encode({ ...withManifest(text), name: '', recipients: 'not read' }));

		expect(manifests()).toEqual([manifest]);
	});

	it('can have a number as its password, which is shown nowhere', async () => {
		const container = { name: 'Invoice', password: 471100 };
		service.post(path).reply(200, { uuid: 'c-1', echo: 'It is 471100.', password: 471100 });

		expect(await outputOf(encode(withManifest({ container })))).toEqual([
			{
				uuid: 'c-1',
				echo: 'It is [hidden].',
				password: '[hidden]',
				settings: { name: 'Invoice', recipients: [], emailTo: '', endsOn: null },
			},
		]);
		expect(containerSent()).toEqual(container);
	});

	it.each<[string, unknown]>([
		['text', 'pw-4711'],
		['a list', ['pw-4711']],
		['an object', { value: 'pw-4711' }],
	])('is in the settings of the output without a password anywhere: %s', async (_form, secret) => {
		service.post(path).reply(200, envelope);
		const container = {
			name: 'Invoice',
			password: 'correct horse',
			drm: { Password: secret, geo: { allow: [{ city: 'Bern', passphrase: secret }] } },
		};

		const [{ settings }] = await outputOf(encode(withManifest({ container })));

		expect(containerSent()).toEqual(container);
		expect(settings).toEqual({
			name: 'Invoice',
			drm: { geo: { allow: [{ city: 'Bern' }] } },
			recipients: [],
			emailTo: '',
			endsOn: null,
		});
	});
});

describe('the output', () => {
	it.each([
		['an envelope', 200, envelope],
		['a plain record with status 201', 201, { uuid: 'c-1', name: 'Invoice' }],
		['a record without a name', 200, { uuid: 7 }],
	])('is what the service returned: %s', async (_what, status, body) => {
		service.post(path).reply(status, body);

		const { items } = await encode();

		expect(withoutSettings(items)).toEqual([body]);
	});

	it('has the settings that were sent beside it, from fields, without the password', async () => {
		service.post(path).reply(200, envelope);

		const output = await outputOf(
			encode({
				recipients: 'anna@example.com',
				accessEnds: 'onDate',
				timeEnd: '2099-12-31',
				drmRules: { opens: 3, password: 'pw-4711' },
			}),
		);

		const { password, ...settings } = containerSent();
		expect(password).toBe('pw-4711');
		expect(output).toEqual([
			{
				...envelope,
				settings: { ...settings, emailTo: 'anna@example.com', endsOn: '2099-12-31' },
			},
		]);
		expect(settings).toEqual({
			name: 'Invoice',
			recipients: ['anna@example.com'],
			downloadable: false,
			drm: { dynamic: true, opens: 3, time: { end: '2099-12-31' } },
		});
	});

	it.each(invalidRecords)(
		'is an error which says that a container might exist, without a record: $shape',
		async (shape) => {
			service.post(path).reply(...shape.reply);

			const { error } = await encode();

			expect(`${error?.message} ${error?.description}`).toMatch(shape.message);
			expect(error?.description).toMatch(/[Ll]ook for "Invoice"/);
			expect(uploads()).toHaveLength(1);
		},
	);

	it.each([
		['an empty JSON object', {}],
		['a JSON object with the fields org_id, container', { ...envelope, container: { name: 'A' } }],
		['a JSON object with the fields container', { container: [{ uuid: 'c-1' }] }],
		['a JSON object with the fields uuid', { uuid: '' }],
	])('is an error which says that, without a uuid: %s', async (received, body) => {
		service.post(path).reply(200, body);

		const { error } = await encode({}, { maxRetries: 3 });

		expect(error?.message).toBe(
			`The service returned ${received} instead of a container with a uuid for the request to encode the files [item 0]`,
		);
		expect(error?.description).toMatch(/might have been created: look for "Invoice"/);
		expect(uploads()).toHaveLength(1);
	});
});

describe('a retry', () => {
	it.each([
		[500, /status 500/],
		[504, /status 504/],
		['a broken connection', /closed the connection during the upload \(\d+ kB in total\)/],
	])('never follows after %s: the error says that it might exist', async (failure, message) => {
		if (typeof failure === 'number') service.post(path).reply(failure, '', { 'retry-after': '0' });
		else service.post(path).replyWithError(Object.assign(new Error('x'), { code: 'ECONNRESET' }));

		const { error } = await encode({}, { maxRetries: 5 });

		expect(uploads()).toHaveLength(1);
		expect(error?.message).toMatch(message);
		expect(error?.description).toMatch(/might have been created: look for "Invoice".*Get Many/);
	});
});
