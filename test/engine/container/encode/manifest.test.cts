import type { IDataObject } from 'n8n-workflow';
import { mockService } from '../../../support/nock.cts';
import { rowsOf } from '../../../support/texts.cts';
import { encode, envelope, partsOf, path, uploadsTo, withManifest } from '../../support/encode.cts';
import { dayFromNow, expectRefusal, newKey, outputOf } from '../../support/operations.cts';

const service = mockService();
const { uploads, manifests, containerSent, sentFiles } = uploadsTo(service);
const until = (timeEnd: string): IDataObject => ({ accessEnds: 'onDate', timeEnd });

describe('the body', () => {
	it('has a manifest and a file, each with name and type, and nothing else', async () => {
		service.post(path).reply(200, envelope);

		await encode({ textFileName: 'folder/report.md' });

		expect(partsOf(uploads()[0].body)).toEqual([
			{
				head: 'Content-Disposition: form-data; name="manifest.json"; filename="manifest.json"\r\nContent-Type: application/json',
				content: '{"container":{"name":"Invoice","downloadable":false,"drm":{"dynamic":true}}}',
			},
			{
				head: 'Content-Disposition: form-data; name="file"; filename="report.md"\r\nContent-Type: text/markdown',
				content: 'confidential',
			},
		]);
	});

	it('can name its parts as older services do', async () => {
		service.post(path).reply(200, envelope);

		await encode({}, { partNames: 'older' });

		const names = partsOf(uploads()[0].body).map(({ head }) => /name="([^"]*)"/.exec(head)?.[1]);
		expect(names).toEqual(['manifest', 'files']);
	});

	it.each([
		['a Date', '={{ new Date("2026-12-31T12:00:00Z") }}', '2026-12-31T12:00:00.000Z'],
		['an object', '={{ { a: [1] } }}', '{\n  "a": [\n    1\n  ]\n}'],
	])('can have %s as its text', async (_what, textContent, content) => {
		service.post(path).reply(200, envelope);

		await outputOf(encode({ textContent }));

		expect(sentFiles()).toEqual([['report.txt', content]]);
	});
});

describe('the manifest from fields', () => {
	/** What the fields of rules become is in the unit tests. */
	const rows = rowsOf<[parameters: IDataObject, container: IDataObject]>(`
		a trimmed name: [{ name: "  Invoice 7 " }, { name: Invoice 7 }]
		a line break or a tab in its name as a space: [{ name: "Invoice\\t7\\r\\nof May " }, { name: Invoice 7 of May }]
		the name of its first file: [{ name: "" }, { name: report.txt }]
		recipients and download: [{ recipients: "anna@example.com; *@example.org", downloadable: true }, { recipients: [anna@example.com, "*@example.org"], downloadable: true }]
		an unmodified password: [{ drmRules: { password: " pass word " } }, { password: " pass word " }]
		rules that are sealed: [{ dynamic: false }, { drm: { dynamic: false } }]
		no end that another choice left in its field: [{ accessEnds: never, timeEnd: 2099-12-31, accessDays: 7 }, {}]
	`);

	it.each(rows)('contains %s', async (_what, [parameters, container]) => {
		service.post(path).reply(200, envelope);

		await outputOf(encode(parameters));

		const usual = { name: 'Invoice', downloadable: false, drm: { dynamic: true } };
		expect(manifests()).toEqual([{ container: { ...usual, ...container } }]);
	});

	it('refuses an end that is over in the time zone of the workflow, and only there', async () => {
		const [east, west] = ['Pacific/Kiritimati', 'Pacific/Pago_Pago'];
		const today = dayFromNow(0, west);
		service.post(path).reply(200, envelope);

		expect((await encode(until(today), {}, { timezone: west })).error).toBeUndefined();
		expect(containerSent().drm).toMatchObject({ time: { end: today } });
		const { error } = await encode(until(today), {}, { timezone: east });
		expect(error?.message).toContain(`"Available Until" (${today}) is in the past`);
	});

	const drmRule = (name: string) => (value: string) => ({ drmRules: { [name]: value } });
	const option = (name: string) => (value: string) => ({ options: { [name]: value } });
	/** n8n itself refuses an empty field that is required, but not an expression. */
	const nobody: IDataObject = { recipients: '={{ "" }}' };

	/** Each field by its label. What each kind of field accepts is in the unit tests. */
	it.each<[label: string, parameters: (value: string) => IDataObject]>([
		['Container Name', (name) => ({ name })],
		['Recipients', (recipients) => ({ recipients, options: { allowNoRecipients: false } })],
		['Downloadable', (downloadable) => ({ downloadable })],
		['Password', drmRule('password')],
		['File Name', (textFileName) => ({ textFileName })],
		['Allow Changes Later', (dynamic) => ({ dynamic })],
		['Access Ends', (accessEnds) => ({ accessEnds })],
		['Available From', drmRule('timeStart')],
		['Available Until', until],
		['Days Until Access Ends', (days) => ({ accessEnds: 'afterDays', accessDays: days })],
		['Max Opens', drmRule('opens')],
		['Countries Allowed', drmRule('geoAllow')],
		['IP Addresses Blocked', drmRule('ipBlock')],
		['If Container Exists', option('ifExists')],
		['Allow No Recipients', (value) => ({ ...nobody, options: { allowNoRecipients: value } })],
		['Include File Digests', option('includeFileDigests')],
		['Part Names', option('partNames')],
		['Max Retries', option('maxRetries')],
		['Text', (textContent) => ({ textContent })],
		['Container Mode', (containerMode) => ({ containerMode })],
		['File Source', (fileSource) => ({ fileSource })],
		['Specify Manifest', (specifyManifest) => ({ specifyManifest })],
	])('refuses %s by name before anything is sent', async (label, parametersOf) => {
		await expectRefusal(service, encode(parametersOf('={{ undefined }}')), `"${label}"`);
	});
});

describe('the manifest from JSON', () => {
	it('is sent unchanged, and no field beside it is read', async () => {
		service.contract.skipBodies('JSON is sent as the user enters it');
		const manifest = {
			container: {
				...{ name: null, password: 'hunter2-hunter2', recipients: ['anna@x.example'] },
				drm: {
					geo: { allow: [{ city: 'Bern' }] },
					time: { start: '2020-12-31', end: '2020-01-01' },
				},
			},
			files: { 'a/report.txt': { hidden: true } },
			future: [1, null],
		};
		service.post(path).reply(200, envelope);

		const text = JSON.stringify(manifest, null, 2);
		await outputOf(encode({ ...withManifest(text), name: '', recipients: 'not read' }));

		expect(manifests()).toEqual([manifest]);
	});

	it('is sent with a name of one line', async () => {
		service.post(path).reply(200, envelope);

		await outputOf(encode(withManifest({ container: { name: 'Invoice\r\n7\tof May' } })));

		expect(containerSent()).toEqual({ name: 'Invoice 7 of May' });
	});

	it('is sent with bare addresses, without null', async () => {
		service.post(path).reply(200, envelope);
		const recipients = ['Anna Berg <anna@x.example>', null, { email: 'bob@x.example' }];
		const container = { name: 'A', recipients, drm: { recipients: ['c@x.example', null] } };

		await outputOf(encode(withManifest({ container })));

		expect(containerSent()).toEqual({
			...{ name: 'A', recipients: ['anna@x.example', 'bob@x.example'] },
			drm: { recipients: ['c@x.example'] },
		});
	});

	it('is sent with the codes of countries in capitals', async () => {
		service.post(path).reply(200, envelope);
		const inCountry = (country: string) => ({ name: 'A', drm: { geo: { allow: [{ country }] } } });

		await outputOf(encode(withManifest({ container: inCountry('ch') })));

		expect(containerSent()).toEqual(inCountry('CH'));
	});

	const long = (length: number) => 'x'.repeat(length);
	const passwordInJson = (password: unknown) =>
		withManifest({ container: { name: 'A', password } });
	const inUk = { name: 'A', drm: { geo: { block: [{ country: 'UK' }] } } };
	const unnamed = withManifest({ container: { name: long(2001) } });
	it.each<[message: string, parameters: IDataObject]>([
		['"container.name" has a value of more than 2000', unnamed],
		['"Password" is empty', passwordInJson('')],
		['"Password" has a value of more than 2000', passwordInJson(long(2001))],
		['"password" in "Manifest (JSON)" is', passwordInJson('[hidden]')],
		['"UK" in "Manifest (JSON)" is not the code of a country', withManifest({ container: inUk })],
		['"Manifest (JSON)" contains no "container" object', withManifest({ container: [] })],
	])('is refused before anything is sent: %s', async (message, parameters) => {
		await expectRefusal(service, encode(parameters), message);
	});
});

describe('the output', () => {
	it.each<[IDataObject, string]>([
		[{ url: 'https://share.example.com/c/1' }, 'https://share.example.com/c/1'],
		[{}, 'https://x.example/c%2F1?of=c%2F1'],
	])('has the link that the service returned, or that of the credential: %j', async (...row) => {
		const [container, link] = row;
		service.post(path).reply(201, { container: { uuid: 'c/1', ...container } });
		const containerUrl = 'https://x.example/{containerId}?of={containerId}';

		const credentials = { ...newKey(), containerUrl };
		const output = await outputOf(encode({}, {}, { credentials }));

		expect(output).toMatchObject([{ settings: { link } }]);
	});

	it('is an error before anything is sent, where the link of the credential is none', async () => {
		const credentials = { ...newKey(), containerUrl: 'https://x.example/c/' };
		await expectRefusal(service, encode({}, {}, { credentials }), 'Link to a Container');
	});

	it('has the settings that were sent beside it, from fields, without the password', async () => {
		service.post(path).reply(200, envelope);
		const recipients = 'anna@example.com, *@example.org, Anna Berg <ANNA@Example.com>';
		const drmRules = { opens: 3, password: 'pw-4711' };

		const output = await outputOf(encode({ recipients, ...until('2099-12-31'), drmRules }));

		const settings = {
			...{
				name: 'Invoice',
				recipients: ['anna@example.com', '*@example.org'],
				downloadable: false,
			},
			drm: { dynamic: true, opens: 3, time: { end: '2099-12-31' } },
		};
		expect(containerSent()).toEqual({ ...settings, password: 'pw-4711' });
		const more = { emailTo: 'anna@example.com', endsOn: '2099-12-31', link: null };
		expect(output).toEqual([
			{ containerId: 'c-1', link: null, ...envelope, settings: { ...settings, ...more } },
		]);
	});

	it('is an error which says what was received, without a uuid, and is not sent again', async () => {
		service.post(path).reply(200, { ...envelope, container: { name: 'A' } });

		const { error } = await encode({}, { maxRetries: 3 });

		expect(error?.message).toMatch(
			/a JSON object with the fields org_id, container instead of a container with a uuid/,
		);
		expect(error?.description).toMatch(/might have been created: look for "Invoice"/);
		expect(uploads()).toHaveLength(1);
	});
});
