import type { IDataObject } from 'n8n-workflow';
import { mockService } from '../../../support/nock.cts';
import { rowsOf } from '../../../support/texts.cts';
import {
	encode,
	envelope,
	partsOf,
	path,
	settingsOf,
	uploadsTo,
	withManifest,
} from '../../support/encode.cts';
import { expectRefusal, newKey, outputOf } from '../../support/operations.cts';
import { dayFromNow } from '../../support/polling.cts';

const service = mockService();
const { uploads, manifests, containerSent, sentFiles } = uploadsTo(service);
const until = (timeEnd: string): IDataObject => ({ accessEnds: 'onDate', timeEnd });

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
		['an expression in text', '={{ $json.id }}: {{ 1 + 1 }}', 'Invoice: 2'],
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
		the name of its first file: [{ name: "" }, { name: report.txt }]
		recipients: [{ recipients: "anna@example.com; *@example.org", downloadable: true }, { recipients: [anna@example.com, "*@example.org"], downloadable: true }]
		an unmodified password: [{ drmRules: { password: " pass word " } }, { password: " pass word " }]
		a password that is a number: [{ drmRules: { password: "={{ 12345678 }}" } }, { password: "12345678" }]
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
		['Maximum Opens', drmRule('opens')],
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
		// A text can be JSON.
		for (const value of label === 'Text' ? ['null'] : ['undefined', '{ a: 1 }']) {
			await expectRefusal(service, encode(parametersOf(`={{ ${value} }}`)), `"${label}"`);
		}
	});
});

describe('the manifest from JSON', () => {
	const manifest = {
		container: {
			...{ name: null, password: 'hunter2-hunter2', recipients: ['anna@x.example'] },
			drm: { geo: { allow: [{ city: 'Bern' }] }, time: { start: '2020-12-31', end: '2020-01-01' } },
		},
		files: { 'a/report.txt': { hidden: true } },
		future: [1, null],
	};
	beforeEach(() => service.contract.skipBodies('JSON is sent as the user enters it'));

	it.each([
		['text', JSON.stringify(manifest, null, 2)],
		['an object', `={{ ${JSON.stringify(manifest).replaceAll('}', '} ')} }}`],
		[
			'text with an expression',
			`=${JSON.stringify(manifest).replace('"Bern"', '{{ JSON.stringify("Bern") }}')}`,
		],
	])('is sent unchanged, from %s', async (_form, text) => {
		service.post(path).reply(200, envelope);

		await outputOf(encode({ ...withManifest(text), name: '', recipients: 'not read' }));

		expect(manifests()).toEqual([manifest]);
	});

	const long = (length: number) => 'x'.repeat(length);
	const passwordInJson = (password: unknown) =>
		withManifest({ container: { name: 'A', password } });
	it.each<[message: string, parameters: IDataObject]>([
		[
			'"container.name" has a value of more than 1000',
			withManifest({ container: { name: long(1001) } }),
		],
		['"Password" is empty', passwordInJson('')],
		['"Password" is not text', passwordInJson([''])],
		['"Password" has a value of more than 200', passwordInJson(long(201))],
		['"password" in "Manifest (JSON)" is', passwordInJson('[hidden]')],
		['"Manifest (JSON)" contains no "container" object', withManifest({ container: [] })],
		['"Manifest (JSON)" is not valid JSON', withManifest('{ "container": {')],
	])('is refused before anything is sent: %s', async (message, parameters) => {
		await expectRefusal(service, encode(parameters), message);
	});
});

describe('the output', () => {
	it.each<[number, IDataObject]>([
		[201, { uuid: 7 }],
		[202, { uuid: '7', status: 'processing' }],
		[200, { data: { container: { id: '7' } }, errors: ['No preview'] }],
	])('is what the service returned with an ID: %i %j', async (status, record) => {
		service.post(path).reply(status, record);

		expect(await outputOf(encode())).toEqual([
			{ containerId: '7', ...record, settings: settingsOf('Invoice') },
		]);
	});

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

	it('has whatever many recipients were sent', async () => {
		service.contract.skipBodies('The service documents at most 10,000 recipients');
		const many = `={{ Array.from({ length: 10001 }, (_, n) => 'p' + n + '@x.example') }}`;
		service.post(path).reply(201, { container: { uuid: 'c-1' } });

		const [{ settings }] = await outputOf(encode({ recipients: many }));

		expect((settings as IDataObject).recipients).toHaveLength(10_001);
	});

	it('has the settings that were sent beside it, from fields, without the password', async () => {
		service.post(path).reply(200, envelope);
		const recipients = 'anna@example.com, Anna Berg <ANNA@Example.com>';
		const drmRules = { opens: 3, password: 'pw-4711' };

		const output = await outputOf(encode({ recipients, ...until('2099-12-31'), drmRules }));

		const settings = {
			...{ name: 'Invoice', recipients: ['anna@example.com'], downloadable: false },
			drm: { dynamic: true, opens: 3, time: { end: '2099-12-31' } },
		};
		expect(containerSent()).toEqual({ ...settings, password: 'pw-4711' });
		const more = { emailTo: 'anna@example.com', endsOn: '2099-12-31', link: null };
		expect(output).toEqual([
			{ containerId: 'c-1', ...envelope, settings: { ...settings, ...more } },
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

it.each([
	[500, /status 500/],
	['a broken connection', /closed the connection during the upload/],
])('no retry follows after %s: the error says that it might exist', async (failure, message) => {
	if (typeof failure === 'number') service.post(path).reply(failure, '', { 'retry-after': '0' });
	else service.post(path).replyWithError(Object.assign(new Error('x'), { code: 'ECONNRESET' }));

	const { error } = await encode({}, { maxRetries: 5 });

	expect(uploads()).toHaveLength(1);
	expect(error?.message).toMatch(message);
	expect(error?.description).toMatch(/might have been created: look for "Invoice".*Get Many/);
});
