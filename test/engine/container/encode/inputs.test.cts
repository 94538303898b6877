import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { mockService } from '../../../support/nock.cts';
import { encode, envelope, partsOf, path, uploadsTo } from '../../support/encode.cts';

const service = mockService();
const { uploads, containerSent } = uploadsTo(service);

type Field = [label: string, parameters: (value: string) => INodeParameters];

const drmRule = (name: string) => (value: string) => ({ drmRules: { [name]: value } });
const option = (name: string) => (value: string) => ({ options: { [name]: value } });
const fields: Record<string, Field> = {
	name: ['Container Name', (name) => ({ name })],
	recipients: [
		'Recipients',
		(recipients) => ({ recipients, options: { allowNoRecipients: false } }),
	],
	downloadable: ['Downloadable', (downloadable) => ({ downloadable })],
	password: ['Password', (password) => ({ drmRules: { password } })],
	fileName: ['File Name', (textFileName) => ({ textFileName })],
	dynamic: ['Allow Changes Later', (dynamic) => ({ dynamic })],
	accessEnds: ['Access Ends', (accessEnds) => ({ accessEnds })],
	timeStart: ['Available From', drmRule('timeStart')],
	timeEnd: ['Available Until', (timeEnd) => ({ accessEnds: 'onDate', timeEnd })],
	accessDays: ['Days Until Access Ends', (days) => ({ accessEnds: 'afterDays', accessDays: days })],
	opens: ['Maximum Opens', drmRule('opens')],
	geoAllow: ['Countries Allowed', drmRule('geoAllow')],
	ipBlock: ['IP Addresses Blocked', drmRule('ipBlock')],
	ifExists: ['If Container Exists', option('ifExists')],
	allowNoRecipients: ['Allow No Recipients', option('allowNoRecipients')],
	digests: ['Include File Digests', option('includeFileDigests')],
	partName: ['File Part Name', option('filePartName')],
	userId: ['User ID', option('userId')],
	maxRetries: ['Max Retries', option('maxRetries')],
	textContent: ['Text', (textContent) => ({ textContent })],
	containerMode: ['Container Mode', (containerMode) => ({ containerMode })],
	fileSource: ['File Source', (fileSource) => ({ fileSource })],
	specifyManifest: ['Specify Manifest', (specifyManifest) => ({ specifyManifest })],
};

const run = async (parameters: INodeParameters) => {
	const { options = {}, ...others } = parameters as INodeParameters & { options?: IDataObject };
	return await encode(others as INodeParameters, options as IDataObject);
};

describe.each(Object.values(fields))('%s', (label, parametersOf) => {
	const nothing = ['undefined', 'null', '""', 'NaN'];
	const objects = ['{ a: 1 }', '[{ a: 1 }]', '[]', '[""]', '[null]'];
	const isJsonText = label === 'Text';

	it.each([...nothing, ...(isJsonText ? [] : objects)])(
		'is refused by name before anything is sent when its expression returns %s',
		async (value) => {
			const { error, items } = await run(parametersOf(`={{ ${value} }}`));

			expect(error?.message).toContain(`"${label}"`);
			expect(error?.message).toMatch(/\[item 0\]$/);
			expect(error?.description).toMatch(/\w/);
			expect(items).toEqual([]);
			expect(service.requests).toEqual([]);
		},
	);
});

describe('what is clear', () => {
	const anna = { recipients: ['anna@x.example'] };

	it.each<[string, INodeParameters, IDataObject]>([
		['a number as a name', { name: '={{ 2026 }}' }, { name: '2026' }],
		['a boolean as a name', { name: '={{ true }}' }, { name: 'true' }],
		[
			'a DateTime as a name',
			{ name: '={{ DateTime.fromISO("2026-12-31T00:00:00Z") }}' },
			{ name: '2026-12-31T00:00:00.000Z' },
		],
		['"True"', { downloadable: '={{ "True" }}' }, { downloadable: true }],
		['" false "', { dynamic: '={{ " false " }}' }, { drm: { dynamic: false } }],
		['a number in text', { drmRules: { opens: '={{ " 3 " }}' } }, { drm: { opens: 3 } }],
		[
			'a DateTime',
			{ accessEnds: 'onDate', timeEnd: '={{ DateTime.fromISO("2099-12-31T12:00:00Z") }}' },
			{ drm: { time: { end: '2099-12-31' } } },
		],
		[
			'a Date',
			{ accessEnds: 'onDate', timeEnd: '={{ new Date("2099-12-31T12:00:00Z") }}' },
			{ drm: { time: { end: '2099-12-31' } } },
		],
		[
			'the display name of a choice of the end',
			{ accessEnds: '={{ "On a Date" }}', timeEnd: '2099-12-31' },
			{ drm: { time: { end: '2099-12-31' } } },
		],
		['a JSON array in text', { recipients: '["anna@x.example"]' }, anna],
		[
			'a JSON array in text from an expression',
			{ recipients: '={{ JSON.stringify(["anna@x.example"]) }}' },
			anna,
		],
		['a quoted address', { recipients: '"anna@x.example"' }, anna],
		['mailto:', { recipients: 'mailto:anna@x.example' }, anna],
		['a trailing separator', { recipients: 'anna@x.example;' }, anna],
		['an object with email', { recipients: '={{ { email: "anna@x.example", id: 1 } }}' }, anna],
		['objects with email', { recipients: '={{ [{ email: "anna@x.example" }] }}' }, anna],
		[
			'countries in JSON',
			{ drmRules: { geoAllow: '={{ \'["CH"]\' }}' } },
			{ drm: { geo: { allow: [{ country: 'CH' }] } } },
		],
	])('is accepted: %s', async (_what, parameters, container) => {
		service.scope().post(path).reply(200, envelope);

		const { error } = await run(parameters);

		expect(error).toBeUndefined();
		expect(containerSent()).toMatchObject(container);
	});

	it.each([
		['the display name of a choice', '={{ "Create Another" }}'],
		['a choice in capitals', '={{ "CREATE" }}'],
	])('is accepted: %s', async (_what, ifExists) => {
		service.scope().post(path).reply(200, envelope);

		const { error } = await run({ options: { ifExists } });

		expect(error).toBeUndefined();
	});

	it.each([
		['a number', '={{ 5 }}', '5'],
		['a boolean', '={{ false }}', 'false'],
		['a Date', '={{ new Date("2026-12-31T12:00:00Z") }}', '2026-12-31T12:00:00.000Z'],
		['a list', '={{ [1] }}', '[\n  1\n]'],
	])('is accepted as the content of a file: %s', async (_what, textContent, content) => {
		service.scope().post(path).reply(200, envelope);

		const { error } = await run({ textContent });

		expect(error).toBeUndefined();
		expect(partsOf(uploads()[0].body)[1].content).toBe(content);
	});
});

describe('a password in Manifest (JSON)', () => {
	const json = (password: unknown): INodeParameters => ({
		specifyManifest: 'json',
		manifestJson: JSON.stringify({ container: { name: 'A', password } }),
	});

	it.each([
		['empty', '', '"Password" is empty'],
		['null', null, '"Password" is empty'],
		['an object', {}, '"Password" is not text'],
		['a list', [''], '"Password" is not text'],
		['true', true, '"Password" is not text'],
	])('is refused before anything is sent when it is %s', async (_what, password, message) => {
		const { error } = await run(json(password));

		expect(error?.message).toContain(message);
		expect(error?.description).toContain('"Manifest (JSON)"');
		expect(service.requests).toEqual([]);
	});

	it('is sent unchanged otherwise', async () => {
		service.scope().post(path).reply(200, envelope);

		const { error } = await run(json(' pass word '));

		expect(error).toBeUndefined();
		expect(containerSent()).toEqual({ name: 'A', password: ' pass word ' });
	});
});
