import type { IDataObject } from 'n8n-workflow';
import { inlineBinary } from '../../../support/engine.cts';
import { mockService } from '../../../support/nock.cts';
import { encode, envelope, path, uploadsTo, withManifest } from '../../support/encode.cts';
import { expectRefusal, outputOf } from '../../support/operations.cts';
import { dayFromNow } from '../../support/polling.cts';

const service = mockService();
const { containerSent, sentFiles } = uploadsTo(service);

const until = (timeEnd: string): IDataObject => ({ accessEnds: 'onDate', timeEnd });
const drmRule = (name: string) => (value: string) => ({ drmRules: { [name]: value } });
const option = (name: string) => (value: string) => ({ options: { [name]: value } });

/** Each field by its label, and the parameters that set it. */
const fields: Array<[label: string, parameters: (value: string) => IDataObject]> = [
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
	['Allow No Recipients', option('allowNoRecipients')],
	['Include File Digests', option('includeFileDigests')],
	['File Part Name', option('filePartName')],
	['User ID', option('userId')],
	['Max Retries', option('maxRetries')],
	['Text', (textContent) => ({ textContent })],
	['Container Mode', (containerMode) => ({ containerMode })],
	['File Source', (fileSource) => ({ fileSource })],
	['Specify Manifest', (specifyManifest) => ({ specifyManifest })],
];

describe.each(fields)('%s', (label, parametersOf) => {
	// A text can be JSON.
	const objects = label === 'Text' ? [] : ['{ a: 1 }', '[{ a: 1 }]', '[]', '[""]', '[null]'];

	it.each(['undefined', 'null', '""', 'NaN', ...objects])(
		'is refused by name before anything is sent when its expression returns %s',
		async (value) => {
			await expectRefusal(service, encode(parametersOf(`={{ ${value} }}`)), `"${label}"`);
		},
	);
});

describe('what is clear', () => {
	const anna = { recipients: ['anna@x.example'] };

	it.each<[string, IDataObject, IDataObject]>([
		['a number as a name', { name: '={{ 2026 }}' }, { name: '2026' }],
		[
			'a DateTime as a name',
			{ name: '={{ DateTime.fromISO("2026-12-31T00:00:00Z") }}' },
			{ name: '2026-12-31T00:00:00.000Z' },
		],
		[
			'the display name of a choice of the end',
			{ ...until('2099-12-31'), accessEnds: '={{ "On a Date" }}' },
			{ drm: { time: { end: '2099-12-31' } } },
		],
		['another display name', { options: { ifExists: '={{ "Create Another" }}' } }, {}],
		['a JSON array in text', { recipients: '={{ JSON.stringify(["anna@x.example"]) }}' }, anna],
		['objects with email', { recipients: '={{ [{ email: "anna@x.example" }] }}' }, anna],
	])('is accepted: %s', async (_what, parameters, container) => {
		service.post(path).reply(200, envelope);

		await outputOf(encode(parameters));

		expect(containerSent()).toMatchObject(container);
	});

	it.each([
		['letters beyond ASCII', 'Grüße 📦', 'Grüße 📦'],
		['a number', '={{ 5 }}', '5'],
		['a Date', '={{ new Date("2026-12-31T12:00:00Z") }}', '2026-12-31T12:00:00.000Z'],
		['an object', '={{ { a: [1] } }}', '{\n  "a": [\n    1\n  ]\n}'],
		['an expression in text', '={{ $json.id }}: {{ 1 + 1 }}', 'Invoice: 2'],
		['what resembles a boundary', '--x\r\n\r\n--\r\n', '--x\r\n\r\n--\r\n'],
	])('is the content of a file: %s', async (_what, textContent, content) => {
		service.post(path).reply(200, envelope);

		await outputOf(encode({ textContent }));

		expect(sentFiles()).toEqual([['report.txt', content]]);
	});
});

const noPassword =
	'or remove it from "More Access Rules" to create a container without a password. If it comes from an expression, check that the field exists in the input item.';
const noRecipient =
	'Enter at least one address in "Recipients", and if it comes from an expression, check that the field exists in the input item. To create a container without recipients, turn on "Allow No Recipients" in the options.';
const partNames = 'Use at most 100 letters, digits, dots, hyphens and underscores in';
const recipientsNeeded = { options: { allowNoRecipients: false } };
const named = (binaryPropertyName: string) => ({ fileSource: 'named', binaryPropertyName });

it.each<[what: string, parameters: IDataObject, message: string, advice: string]>([
	[
		'the name of a part',
		{ options: { filePartName: 'a b' } },
		'"File Part Name" is not a valid name for a part of the request',
		`${partNames} "File Part Name". The default is file.`,
	],
	[
		'the name of the other part',
		{ options: { manifestPartName: 5 } },
		'"Manifest Part Name" is not a valid name for a part of the request',
		`${partNames} "Manifest Part Name". The default is manifest.json.`,
	],
	[
		'a manifest without a container',
		withManifest({}),
		'"Manifest (JSON)" contains no "container" object',
		'Enter the manifest in "Manifest (JSON)" in the format { "container": { "name": "…", … } }.',
	],
	[
		'a manifest whose field n8n hides, because the choice is spelled in another way',
		{ ...withManifest({ container: {} }), specifyManifest: 'JSON' },
		'"Manifest (JSON)" is empty',
		'Enter a JSON object in "Manifest (JSON)", or use the fields instead of JSON.',
	],
	[
		'a manifest without a name that is looked for',
		{ ...withManifest({ container: {} }), options: { ifExists: 'fail' } },
		'The manifest contains no container name',
		'"If Container Exists" finds containers by name. Add "name" to "container" in "Manifest (JSON)", or set "If Container Exists" to Create Another.',
	],
	[
		'no name',
		{ name: ' ' },
		'"Container Name" is empty',
		'Enter a name in "Container Name". If it comes from an expression, check that the field exists in the input item.',
	],
	[
		'no recipient from an expression',
		{ recipients: '={{ "" }}', ...recipientsNeeded },
		'"Recipients" contains no address',
		noRecipient,
	],
	['no recipient', recipientsNeeded, '"Recipients" contains no address', noRecipient],
	[
		'an empty password',
		{ drmRules: { password: '' } },
		'"Password" is empty',
		`Enter a password, ${noPassword}`,
	],
	[
		'no file name',
		{ textFileName: '/' },
		'"File Name" is empty',
		'Enter a file name with an extension in "File Name", for example report.txt.',
	],
	[
		'no text',
		{ textContent: '={{ "" }}' },
		'"Text" is empty',
		'Enter the content of the file in "Text". If it comes from an expression, check that the field exists in the input item.',
	],
	[
		'nothing as text',
		{ textContent: '={{ $json.missing }}' },
		'"Text" is empty',
		'The expression returned nothing. Enter text in "Text". If it comes from an expression, check that the field exists in the input item.',
	],
	[
		'no file and no name: the file comes first',
		{ ...named('invoice'), name: ' ', recipients: 'nobody' },
		'The input item has no binary field "invoice"',
		'Enter one of the item\'s binary fields in "Input Binary Field": "data".',
	],
	[
		'an entry that is no file',
		named('={{ [true] }}'),
		'"Input Binary Field" contains an entry that is not text',
		'The value is true. Enter text separated by commas in "Input Binary Field", or use an expression that returns a list of strings.',
	],
	[
		'a field without content',
		named('={{ { mimeType: "a/b" } }}'),
		'The binary field "file" holds no file content',
		"The node that created the field set neither the content nor a reference to a stored file. Check that node, or choose another field. In an expression, use $('Read').item.binary.data, because $binary.data has no content.",
	],
	[
		'content that is not Base64',
		named('={{ { mimeType: "a/b", data: "ü" } }}'),
		'The content of the binary field "file" is not Base64',
		'The node that created the field has to encode the content as Base64, without a prefix such as data:application/pdf;base64.',
	],
])('an error says what to do: %s', async (_what, parameters, message, advice) => {
	const data = inlineBinary(Buffer.from('x'), { fileName: 'x', mimeType: 'text/plain' });
	const items = [{ json: { id: 'Invoice' }, binary: { data } }];

	const { error } = await encode(parameters, {}, { items });

	expect(error?.message).toBe(`${message} [item 0]`);
	expect(error?.description).toBe(advice);
	expect(service.requests).toEqual([]);
});

const long = (length: number) => 'x'.repeat(length);
const passwordInJson = (password: unknown) => withManifest({ container: { name: 'A', password } });

describe('rules and values that nobody can mean', () => {
	it.each<[string, IDataObject, string]>([
		[
			'a long name in JSON',
			withManifest({ container: { name: long(1001) } }),
			'"container.name" is longer than 1000 characters',
		],
		[
			'a long password in JSON',
			withManifest({ container: { name: 'x' }, files: [{ pin: long(201) }] }),
			'A password in "Manifest (JSON)" is longer than 200 characters',
		],
		[
			'a list as a name in JSON',
			withManifest({ container: { name: [long(1001)] } }),
			'"container.name" is not text',
		],
		[
			'a long recipient in JSON',
			withManifest({ container: { name: 'x', recipients: [`${long(320)}@x.example`] } }),
			'An address in "Manifest (JSON)" is longer than 320 characters',
		],
		[
			'a long name of a part',
			{ options: { filePartName: long(101) } },
			'"File Part Name" is not a valid name',
		],
		['an empty password in JSON', passwordInJson(''), '"Password" is empty'],
		['a list as a password in JSON', passwordInJson(['']), '"Password" is not text'],
		['JSON that is cut off', withManifest('{ "container": {'), 'is not valid JSON: it ends too'],
		[
			'JSON with a comma too many',
			withManifest('{ "container": { "password": "hunter2-hunter2", } }'),
			'"Manifest (JSON)" is not valid JSON at line 1, column 49',
		],
		['a list as JSON', withManifest('[]'), '"Manifest (JSON)" is not a JSON object'],
		['a list as a container', withManifest({ container: [] }), 'no "container" object'],
	])('are refused before anything is sent: %s', async (_what, parameters, message) => {
		const escaped = message.replace(/[()[\].*+?]/g, '\\$&');
		const { error } = await encode(parameters);
		expect(`${error?.message} ${error?.description}`).not.toContain('hunter2');

		await expectRefusal(service, encode(parameters), new RegExp(escaped));
	});

	it('include an end that is over in the time zone of the workflow, and only there', async () => {
		const [east, west] = ['Pacific/Kiritimati', 'Pacific/Pago_Pago'];
		const today = dayFromNow(0, west);
		service.post(path).reply(200, envelope);

		const inWest = await encode(until(today), {}, { timezone: west });
		const inEast = await encode(until(today), {}, { timezone: east });

		expect(inWest.error).toBeUndefined();
		expect(containerSent().drm).toMatchObject({ time: { end: today } });
		expect(inEast.error?.message).toContain(`"Available Until" (${today}) is in the past`);
		expect(inEast.error?.description).toContain(
			`Today is ${dayFromNow(0, east)} in the time zone of the workflow (${east})`,
		);
		expect(service.requests).toHaveLength(1);
	});

	it.each<[string, IDataObject]>([
		['no name', {}],
		['null as a name', { name: null }],
		[
			'rules that contradict each other',
			{
				name: 'Invoice',
				recipients: ['anna@example'],
				drm: {
					opens: 0,
					geo: { allow: [{ country: 'CH' }], block: [{ country: 'CH' }] },
					ip: { allow: ['office'] },
					time: { start: '2020-12-31', end: '2020-01-01' },
				},
			},
		],
		['a password with spaces', { name: 'A', password: ' pass word ' }],
	])('are sent unchanged from JSON: %s', async (_what, container) => {
		service.contract.skipBodies('JSON is sent as the user enters it');
		service.post(path).reply(200, envelope);

		await outputOf(encode(withManifest({ container })));

		expect(containerSent()).toEqual(container);
	});

	it('give an error item no name that n8n hides', async () => {
		const { items } = await encode(
			{ ...withManifest('{'), name: 'Hidden' },
			{},
			{ onError: 'continueRegularOutput' },
		);

		expect(items[0].json).toMatchObject({ name: '', error: expect.any(String) });
	});
});
