import type { IDataObject } from 'n8n-workflow';
import { mockService } from '../../../support/nock.cts';
import { encode, envelope, path, uploadsTo, withManifest } from '../../support/encode.cts';
import { expectRefusal, outputOf } from '../../support/operations.cts';
import { dayFromNow } from '../../support/polling.cts';

const service = mockService();
const { containerSent, sentFiles } = uploadsTo(service);

const until = (timeEnd: string): IDataObject => ({ accessEnds: 'onDate', timeEnd });
/** n8n itself refuses an empty field that is required, but not an expression. */
const nobody: IDataObject = { recipients: '={{ "" }}' };
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
	['Allow No Recipients', (value) => ({ ...nobody, options: { allowNoRecipients: value } })],
	['Include File Digests', option('includeFileDigests')],
	['Part Names', option('partNames')],
	['User ID', option('userId')],
	['Max Retries', option('maxRetries')],
	['Text', (textContent) => ({ textContent })],
	['Container Mode', (containerMode) => ({ containerMode })],
	['File Source', (fileSource) => ({ fileSource })],
	['Specify Manifest', (specifyManifest) => ({ specifyManifest })],
];

/** What each kind of field accepts is in the unit tests. */
it.each(fields)('%s is refused by name before anything is sent', async (label, parametersOf) => {
	// A text can be JSON.
	for (const value of label === 'Text' ? ['null'] : ['undefined', '{ a: 1 }', '[""]']) {
		await expectRefusal(service, encode(parametersOf(`={{ ${value} }}`)), `"${label}"`);
	}
});

it.each([
	['a Date', '={{ new Date("2026-12-31T12:00:00Z") }}', '2026-12-31T12:00:00.000Z'],
	['an object', '={{ { a: [1] } }}', '{\n  "a": [\n    1\n  ]\n}'],
	['an expression in text', '={{ $json.id }}: {{ 1 + 1 }}', 'Invoice: 2'],
])('the content of a file can be %s', async (_what, textContent, content) => {
	service.post(path).reply(200, envelope);

	await outputOf(encode({ textContent }));

	expect(sentFiles()).toEqual([['report.txt', content]]);
});

const long = (length: number) => 'x'.repeat(length);
const passwordInJson = (password: unknown) => withManifest({ container: { name: 'A', password } });

describe('rules and values that nobody can mean', () => {
	it.each<[message: string, parameters: IDataObject]>([
		[
			'"container.name" has a value of more than 1000 characters',
			withManifest({ container: { name: long(1001) } }),
		],
		['"container.name" is not text', withManifest({ container: { name: [long(1001)] } })],
		['"Password" is empty', passwordInJson('')],
		['"Password" is not text', passwordInJson([''])],
		['"Manifest (JSON)" contains no "container" object', withManifest({ container: [] })],
		['"Password" has a value of more than 200', passwordInJson(long(201))],
		['"Manifest (JSON)" is not valid JSON', withManifest('{ "container": {')],
	])('are refused before anything is sent: %s', async (message, parameters) => {
		await expectRefusal(service, encode(parameters), message);
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
	])('are sent unchanged from JSON: %s', async (_what, container) => {
		service.contract.skipBodies('JSON is sent as the user enters it');
		service.post(path).reply(200, envelope);

		await outputOf(encode(withManifest({ container })));

		expect(containerSent()).toEqual(container);
	});

	it('name the container after its first file where no name is entered', async () => {
		service.post(path).reply(200, envelope);

		await outputOf(encode({ name: '' }));

		expect(containerSent()).toMatchObject({ name: 'report.txt' });
	});
});
