import type { IBinaryData, IDataObject, INodeExecutionData } from 'n8n-workflow';
import { sequential, withOptions } from '../../support/operations.cts';
import {
	base,
	filesOf,
	inlineFile,
	sha256,
	storageModes,
	storedFile,
	uploadEnvironment,
	type CreateFile,
} from '../../support/uploads.cts';

const environment = uploadEnvironment();
const { uploads } = environment;

const encode = async (
	parameters: IDataObject,
	items: INodeExecutionData[] = [{ json: {} }],
	binaryMode?: 'combined',
) =>
	await environment.run(withOptions({ ...base, ...parameters }, sequential), { items, binaryMode });
const sentFiles = () =>
	uploads().map((request) =>
		filesOf(request).map(({ filename, sha256: hash }) => [filename, hash]),
	);
const hashOf = (text: string) => sha256(Buffer.from(text));
const filesNamed = (...names: string[]) => names.map((name) => [`${name}.pdf`, hashOf(name)]);
const named = (binaryPropertyName: string) => ({ fileSource: 'named', binaryPropertyName });

/** An item with a file in each of these fields, whose content is the name of the field. */
const itemWith = async (names: string[], create: CreateFile = storedFile) => ({
	json: { other: 1 },
	binary: Object.fromEntries(
		await Promise.all(
			names.map(async (name) => [name, await create(Buffer.from(name), `${name}.pdf`)]),
		),
	) as Record<string, IBinaryData>,
});

describe('a text file', () => {
	it('is sent with the type of its name, without the files of the item', async () => {
		const textContent = 'From: a@x.example\r\nContent-Type: text/plain\r\n\r\nHello\r\n';
		await encode({ fileSource: 'text', textContent, textFileName: 'readme.md' }, [
			await itemWith(['a']),
		]);

		const file = { filename: 'readme.md', type: 'text/markdown', sha256: hashOf(textContent) };
		expect(filesOf(uploads()[0])).toEqual([expect.objectContaining(file)]);
	});

	it('has a clean name, but that of the manifest stays as entered', async () => {
		const manifest = {
			container: { name: 'A', recipients: ['a@x.example'] },
			files: { 'a/b\u2028.txt': { hidden: true } },
		};
		await encode({
			fileSource: 'text',
			textContent: 'x',
			textFileName: 'folder/b.txt',
			specifyManifest: 'json',
			manifestJson: JSON.stringify(manifest),
		});

		expect(sentFiles()[0][0][0]).toBe('b.txt');
		const { container, files } = uploads()[0].manifest;
		expect({ container, files }).toEqual(manifest);
	});
});

describe.each(storageModes)('%s files of the item', (_storage, create) => {
	it.each([
		['one', named('a'), ['a']],
		['several, in the order of the names', named('b, a;a'), ['b', 'a']],
		['a list from an expression', named('={{ ["c", "7", "a"] }}'), ['c', '7', 'a']],
		['all fields, in the order of the item', { fileSource: 'all' }, ['7', 'a', 'b', 'c']],
		['one by reference', named("={{ $('Input').item.binary.a }}"), ['a']],
		['references and names', named("={{ ['c', $('Input').item.binary.a, 'b'] }}"), ['c', 'a', 'b']],
	])('are sent: %s', async (_what, parameters, names) => {
		const { error } = await encode(parameters, [await itemWith(['7', 'a', 'b', 'c'], create)]);

		expect(error).toBeUndefined();
		expect(sentFiles()).toEqual([filesNamed(...names)]);
	});

	it('are sent by reference with those of the other items, in one container', async () => {
		const item = await itemWith(['a', 'b'], create);
		const { error } = await encode(
			{ containerMode: 'allItems', ...named("={{ [$('Input').item.binary.a, 'b'] }}") },
			[item, item],
		);

		expect(error).toBeUndefined();
		expect(sentFiles()).toEqual([filesNamed('a', 'b', 'a', 'b')]);
	});
});

describe('files in the JSON of items (binaryMode combined)', () => {
	it.each([
		['by the name of the field', named('b'), ['b']],
		['by their path', named('_files.b, _files.a'), ['b', 'a']],
		['by an expression', named('={{ $json._files.b }}'), ['b']],
		['all of them', { fileSource: 'all' }, ['a', 'b']],
	])('are found %s', async (_how, parameters, names) => {
		const { error, execution } = await encode(parameters, [await itemWith(['a', 'b'])], 'combined');

		expect(error).toBeUndefined();
		const [input] = execution.data.resultData.runData.Input[0].data?.main[0] ?? [];
		expect(input.binary).toBeUndefined();
		expect(Object.keys(input.json._files as object)).toEqual(['a', 'b']);
		expect(sentFiles()).toEqual([filesNamed(...names)]);
	});

	it.each<[string, IDataObject, RegExp, 'combined'?]>([
		['as all files', { fileSource: 'all' }, /The input has no file/],
		['by their path', named('_files.data'), /The input has no file/],
		['by an expression', named('={{ $json._files.data }}'), /did not read/],
		['from elsewhere', named('body.data'), /The input has no file/, 'combined'],
	])('are never taken from JSON that n8n did not write: %s', async (...test) => {
		const [, parameters, message, binaryMode] = test;
		const data = await storedFile(Buffer.from('of another execution'), 'a.pdf');
		const json = binaryMode === undefined ? { _files: { data } } : { body: { data } };
		const { error } = await encode(parameters, [{ json: json as never }], binaryMode);

		expect(error?.message).toMatch(message);
		expect(environment.posts()).toEqual([]);
	});
});

describe('files that cannot be found', () => {
	const inline = async () => await itemWith(['data', 'terms'], inlineFile);

	it.each<[string, IDataObject, RegExp]>([
		['one missing field of two', named('data, b'), /no binary field "b"/],
		[
			'an object that is no file',
			named('={{ { name: "data" } }}'),
			/"Input Binary Field" is not text/,
		],
		[
			'a file as text',
			named('={{ JSON.stringify([{ mimeType: "a/b", data: "eA==" }]) }}'),
			/"Input Binary Field" is not text/,
		],
		['a file without its content', named('={{ $binary.data }}'), /holds no file content/],
	])('are an error before anything is sent: %s', async (_what, parameters, message) => {
		const { error } = await encode(parameters, [await inline()]);

		expect(error?.message).toMatch(message);
		expect(environment.posts()).toEqual([]);
	});

	it.each(['named', 'all'])('are an error for an item without files: %s', async (fileSource) => {
		const items = [await inline(), { json: {}, binary: null as never }];
		const { error } = await encode({ fileSource }, items);

		expect(error?.message).toMatch(/The input has no file \[item 1\]$/);
		expect(error?.description).toMatch(
			/Add a node that provides one, or set "File Source" to Text/,
		);
		expect(environment.posts()).toEqual([]);
	});
});
