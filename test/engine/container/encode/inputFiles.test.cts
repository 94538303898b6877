import type { IBinaryData, IDataObject, INodeExecutionData, INodeParameters } from 'n8n-workflow';
import { sequential } from '../../support/parameters.cts';
import {
	base,
	filesOf,
	inlineFile,
	sha256,
	storageModes,
	storedFile,
	uploadEnvironment,
} from '../../support/uploads.cts';

const environment = uploadEnvironment();
const { run, uploads } = environment;

const encode = async (
	parameters: IDataObject,
	items: INodeExecutionData[],
	binaryMode?: 'combined',
) =>
	await run({ ...base, ...parameters, options: sequential } as unknown as INodeParameters, {
		items,
		binaryMode,
	});
const sentFiles = () =>
	uploads().map((request) =>
		filesOf(request).map(({ filename, sha256: hash }) => [filename, hash]),
	);
const hashOf = (text: string) => sha256(Buffer.from(text));

describe.each(storageModes)('a %s file by reference', (_storage, create) => {
	const itemWith = async (...names: string[]): Promise<INodeExecutionData> => ({
		json: {},
		binary: Object.fromEntries(
			await Promise.all(
				names.map(async (name) => [name, await create(Buffer.from(name), `${name}.pdf`)]),
			),
		) as Record<string, IBinaryData>,
	});

	it.each([
		['one', "={{ $('Input').item.binary.a }}", ['a']],
		['several', "={{ [$('Input').item.binary.b, $('Input').item.binary.a] }}", ['b', 'a']],
		['mixed with names', "={{ ['c', $('Input').item.binary.a, 'b'] }}", ['c', 'a', 'b']],
	])('is sent: %s', async (_what, binaryPropertyName, names) => {
		const { error } = await encode({ fileSource: 'named', binaryPropertyName }, [
			await itemWith('a', 'b', 'c'),
		]);

		expect(error).toBeUndefined();
		expect(sentFiles()).toEqual([names.map((name) => [`${name}.pdf`, hashOf(name)])]);
	});

	it('is sent with those of the other items, in one container', async () => {
		const { error } = await encode(
			{
				containerMode: 'allItems',
				fileSource: 'named',
				binaryPropertyName: "={{ [$('Input').item.binary.a, 'b'] }}",
			},
			[await itemWith('a', 'b'), await itemWith('a', 'b')],
		);

		expect(error).toBeUndefined();
		expect(sentFiles()).toEqual([
			[
				['a.pdf', hashOf('a')],
				['b.pdf', hashOf('b')],
				['a (2).pdf', hashOf('a')],
				['b (2).pdf', hashOf('b')],
			],
		]);
	});
});

describe('an entry for a file', () => {
	const items = async () => [
		{ json: {}, binary: { data: await inlineFile(Buffer.from('x'), 'x') } },
	];

	it.each([
		['an object that is no file', '={{ { name: "data" } }}', /an entry that is not the name/],
		['true', '={{ [true] }}', /an entry that is not the name/],
		[
			'a file as text',
			'={{ JSON.stringify([{ mimeType: "a/b", data: "eA==" }]) }}',
			/an entry that is not the name/,
		],
		['nothing', '={{ $json.missing }}', /"Input Binary Field" is empty/],
		['an empty list', '={{ [] }}', /"Input Binary Field" is empty/],
		['a list of nothing', '={{ [""] }}', /"Input Binary Field" is empty/],
		['a list of null', '={{ [null] }}', /"Input Binary Field" is empty/],
	])('is refused by name when it is %s', async (_what, binaryPropertyName, message) => {
		const { error } = await encode({ fileSource: 'named', binaryPropertyName }, await items());

		expect(error?.message).toMatch(message);
		expect(error?.message).toContain('"Input Binary Field"');
		expect(environment.sandbox.requests).toEqual([]);
	});

	it.each([
		['a number', '={{ 7 }}', ['7.txt']],
		['numbers', '={{ [7, 8] }}', ['7.txt', '8.txt']],
		['JSON in text', '["8", "7"]', ['8.txt', '7.txt']],
	])('can name a field: %s', async (_what, binaryPropertyName, names) => {
		const { error } = await encode({ fileSource: 'named', binaryPropertyName }, [
			{
				json: {},
				binary: {
					7: await inlineFile(Buffer.from('7'), '7.txt'),
					8: await inlineFile(Buffer.from('8'), '8.txt'),
				},
			},
		]);

		expect(error).toBeUndefined();
		expect(sentFiles()[0].map(([name]) => name)).toEqual(names);
	});
});

describe('files in the JSON of items (binaryMode combined)', () => {
	const item = async (...names: string[]): Promise<INodeExecutionData> => ({
		json: { other: 1 },
		binary: Object.fromEntries(
			await Promise.all(
				names.map(async (name) => [name, await storedFile(Buffer.from(name), `${name}.pdf`)]),
			),
		) as Record<string, IBinaryData>,
	});

	it.each([
		['by the name of the field', { fileSource: 'named', binaryPropertyName: 'b' }, ['b']],
		[
			'by their path',
			{ fileSource: 'named', binaryPropertyName: '_files.b, _files.a' },
			['b', 'a'],
		],
		[
			'by an expression',
			{ fileSource: 'named', binaryPropertyName: '={{ $json._files.b }}' },
			['b'],
		],
		['all of them', { fileSource: 'all' }, ['a', 'b']],
	])('are found %s', async (_how, parameters, names) => {
		const { error, execution } = await encode(parameters, [await item('a', 'b')], 'combined');

		expect(error).toBeUndefined();
		const [input] = execution.data.resultData.runData.Input[0].data?.main[0] ?? [];
		expect(input.binary).toBeUndefined();
		expect(Object.keys(input.json._files as object)).toEqual(['a', 'b']);
		expect(sentFiles()).toEqual([names.map((name) => [`${name}.pdf`, hashOf(name)])]);
	});

	it('are found for all items', async () => {
		const { error } = await encode(
			{ containerMode: 'allItems', fileSource: 'all' },
			[await item('a'), await item('b')],
			'combined',
		);

		expect(error).toBeUndefined();
		expect(sentFiles()).toEqual([
			[
				['a.pdf', hashOf('a')],
				['b.pdf', hashOf('b')],
			],
		]);
	});

	it('are listed in the error for a field that is missing', async () => {
		const { error } = await encode(
			{ fileSource: 'named', binaryPropertyName: 'data' },
			[await item('a', 'b')],
			'combined',
		);

		expect(error?.message).toMatch(/no binary field "data"/);
		expect(error?.description).toContain('"a", "b"');
	});

	it.each<[string, IDataObject, RegExp, 'combined'?]>([
		['as all files', { fileSource: 'all' }, /The input has no file/],
		['by their path', { binaryPropertyName: '_files.data' }, /The input has no file/],
		['by an expression', { binaryPropertyName: '={{ $json._files.data }}' }, /did not read/],
		['from elsewhere', { binaryPropertyName: 'body.data' }, /did not read/, 'combined'],
	])('are never taken from JSON that n8n did not write: %s', async (...test) => {
		const [, parameters, message, binaryMode] = test;
		const data = await storedFile(Buffer.from('of another execution'), 'a.pdf');
		const json = binaryMode === undefined ? { _files: { data } } : { body: { data } };
		const named = { fileSource: 'named', ...parameters };
		const { error } = await encode(named, [{ json: json as never }], binaryMode);

		expect(error?.message).toMatch(message);
		expect(environment.sandbox.requests).toEqual([]);
	});
});

describe('a file that another node created', () => {
	const withBinary = (data: unknown) => [
		{ json: {}, binary: { data } } as unknown as INodeExecutionData,
	];

	it('can be Base64 with line breaks', async () => {
		const content = Buffer.from('x'.repeat(1000));
		const lines = content.toString('base64').replace(/.{76}/g, '$&\r\n');
		const { error } = await encode(
			{},
			withBinary({ data: ` ${lines}\n`, mimeType: 'text/plain', fileName: 'a.txt' }),
		);

		expect(error).toBeUndefined();
		expect(sentFiles()).toEqual([[['a.txt', sha256(content)]]]);
	});

	it('is refused when an expression shows it without its content', async () => {
		const { error } = await encode(
			{ fileSource: 'named', binaryPropertyName: '={{ $binary.data }}' },
			withBinary({ data: 'eA==', mimeType: 'text/plain' }),
		);

		expect(error?.message).toMatch(/holds no file content/);
		expect(error?.description).toContain("$('Read').item.binary.data");
	});

	it('can have a number as its name', async () => {
		const { error } = await encode({}, withBinary({ data: 'eA==', mimeType: 5, fileName: 2026 }));

		expect(error).toBeUndefined();
		expect(sentFiles()).toEqual([[['2026', hashOf('x')]]]);
	});

	it.each<[string, unknown, RegExp]>([
		['no data', { mimeType: 'text/plain' }, /"data" holds no file content/],
		['null', null, /"data" holds no file content/],
		['data that is null', { data: null, mimeType: 'a/b' }, /"data" holds no file content/],
		['a lost reference', { data: 'filesystem-v2', mimeType: 'a/b' }, /holds no file content/],
		['no Base64', { data: 'Grüße', mimeType: 'a/b' }, /"data" is not Base64/],
		['a data URL', { data: 'data:a/b;base64,eA==', mimeType: 'a/b' }, /"data" is not Base64/],
		['Base64 that is cut off', { data: 'eHh4e', mimeType: 'a/b' }, /"data" is not Base64/],
	])('is refused before anything is sent when it has %s', async (_what, data, message) => {
		const { error } = await encode({}, withBinary(data));

		expect(error?.message).toMatch(message);
		expect(environment.sandbox.requests).toEqual([]);
	});

	it('is refused when the item has null in place of files', async () => {
		const { error } = await encode({}, [{ json: {}, binary: null } as never]);

		expect(error?.message).toMatch(/The input has no file/);
	});
});

describe('the type of a file', () => {
	it('of an email that is written as text is kept, and so is its content', async () => {
		const textContent = 'From: a@x.example\r\nContent-Type: text/plain\r\n\r\nHello\r\n';
		const { error } = await encode({ fileSource: 'text', textContent, textFileName: 'a.eml' }, [
			{ json: {} },
		]);

		expect(error).toBeUndefined();
		expect(filesOf(uploads()[0])).toEqual([
			expect.objectContaining({
				filename: 'a.eml',
				type: 'message/rfc822',
				sha256: hashOf(textContent),
			}),
		]);
	});
});

describe('the name of a file', () => {
	it('stays as entered in the manifest', async () => {
		const manifest = { container: { name: 'A' }, files: { 'a/b\u2028.txt': { hidden: true } } };
		const { error } = await encode(
			{
				fileSource: 'text',
				textContent: 'x',
				textFileName: 'folder/b.txt',
				specifyManifest: 'json',
				manifestJson: JSON.stringify(manifest),
			},
			[{ json: {} }],
		);

		expect(error).toBeUndefined();
		expect(sentFiles()[0][0][0]).toBe('b.txt');
		const { container, files } = uploads()[0].body as IDataObject;
		expect({ container, files }).toEqual(manifest);
	});
});
