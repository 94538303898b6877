import { randomBytes } from 'node:crypto';
import type { IBinaryData, IDataObject, INodeExecutionData } from 'n8n-workflow';
import { never, tooManyRequests } from '../../../support/proxy.cts';
import {
	inlineFile,
	openFiles,
	sha256,
	storedFile,
	useUploads,
	type CreateFile,
} from '../../support/uploads.cts';

const { service, encode, stored, posts } = useUploads();

const named = (binaryPropertyName: string) => ({ fileSource: 'named', binaryPropertyName });
/** An item with these files, in fields with the names of the keys. */
const itemOf = async (
	contents: Record<string, Buffer>,
	create: CreateFile = storedFile,
): Promise<INodeExecutionData> => {
	const binary: Record<string, IBinaryData> = {};
	for (const [name, content] of Object.entries(contents)) {
		binary[name] = await create(content, `${name}.pdf`);
	}
	return { json: { other: 1 }, binary };
};
/** An item with a file in each of these fields, whose content is the name of the field. */
const itemWith = async (names: string[], create?: CreateFile) =>
	await itemOf(Object.fromEntries(names.map((name) => [name, Buffer.from(name)])), create);
const filesNamed = (...names: string[]) =>
	names.map((name) => ({
		...{ name: `${name}.pdf`, type: 'application/pdf', size: name.length, sha256: sha256(name) },
	}));

describe.each([
	['stored', storedFile],
	['in-memory', inlineFile],
])('%s files', (_storage, create) => {
	it.each([0, 1, 65_536, 524_289, 3_000_001])('of %i bytes arrive byte for byte', async (size) => {
		const content = randomBytes(size);

		const { items, error } = await encode([await itemOf({ scan: content }, create)]);

		expect(error).toBeUndefined();
		expect(await stored()).toMatchObject([{ name: 'scan.pdf', size, sha256: sha256(content) }]);
		const [request] = posts();
		expect(request.headers['content-length']).toBe(String(request.bytes));
		expect(request.headers['transfer-encoding']).toBeUndefined();
		const [{ uuid, name }] = await service.getContainers();
		expect(items[0].json).toMatchObject({ containerId: uuid, container: { uuid, name } });
	});

	it('are sent again completely after a rate limit, and have digests', async () => {
		const contents = { a: randomBytes(600_000), b: Buffer.alloc(0), c: randomBytes(10) };
		service.on({ method: 'POST' }, tooManyRequests);

		const options = { maxRetries: 1, includeFileDigests: true };
		const { error, items } = await encode([await itemOf(contents, create)], { options });

		expect(error).toBeUndefined();
		expect(posts()).toHaveLength(2);
		const digests = Object.entries(contents).map(([name, content]) => ({
			...{ name: `${name}.pdf`, size: content.length, sha256: sha256(content) },
		}));
		expect(items[0].json.files).toEqual(digests);
		expect(await stored()).toMatchObject(digests);
	});

	it.each([
		['several, in the order of the names', named('b, a;a'), ['b', 'a']],
		['a list from an expression', named('={{ ["c", "7", "a"] }}'), ['c', '7', 'a']],
		['all fields, in the order of the item', {}, ['7', 'a', 'b', 'c']],
		['references and names', named("={{ ['c', $('Input').item.binary.a, 'b'] }}"), ['c', 'a', 'b']],
	])('are sent: %s', async (_what, parameters, names) => {
		const { error } = await encode([await itemWith(['7', 'a', 'b', 'c'], create)], parameters);

		expect(error).toBeUndefined();
		expect(await stored()).toEqual(filesNamed(...names));
	});
});

it('files of all items go into one container, also by reference', async () => {
	const item = await itemWith(['a', 'b']);
	const parameters = named("={{ [$('Input').item.binary.a, 'b'] }}");

	const { error } = await encode([item, item], { containerMode: 'allItems', ...parameters });

	expect(error).toBeUndefined();
	expect(await stored()).toEqual(filesNamed('a', 'b', 'a', 'b'));
});

it('a text file has the type of its name, and a name without a path', async () => {
	const textContent = 'From: a@x.example\r\nContent-Type: text/plain\r\n\r\nHello\r\n';
	const text = { fileSource: 'text', textContent, textFileName: 'folder/readme.md' };

	await encode([await itemWith(['a'])], text);

	expect(await stored()).toMatchObject([
		{ name: 'readme.md', type: 'text/markdown', sha256: sha256(textContent) },
	]);
});

describe('files in the JSON of items (binaryMode combined)', () => {
	const combined = { binaryMode: 'combined' } as const;

	it.each([
		['by the name of the field', named('b'), ['b']],
		['by their path', named('_files.b, _files.a'), ['b', 'a']],
		['by an expression', named('={{ $json._files.b }}'), ['b']],
		['all of them', {}, ['a', 'b']],
	])('are found %s', async (_how, parameters, names) => {
		const { error } = await encode([await itemWith(['a', 'b'])], parameters, combined);

		expect(error).toBeUndefined();
		expect(await stored()).toEqual(filesNamed(...names));
	});

	it.each<[string, IDataObject, RegExp, typeof combined | object]>([
		['as all files', {}, /The input has no file/, {}],
		['by their path', named('_files.data'), /The input has no file/, {}],
		['by an expression', named('={{ $json._files.data }}'), /did not read/, {}],
		['from elsewhere', named('body.data'), /The input has no file/, combined],
	])('are never taken from JSON that n8n did not write: %s', async (...test) => {
		const [, parameters, message, mode] = test;
		const data = await storedFile(Buffer.from('of another execution'), 'a.pdf');
		const json = mode === combined ? { body: { data } } : { _files: { data } };

		const { error } = await encode([{ json: json as never }], parameters, mode);

		expect(error?.message).toMatch(message);
		expect(posts()).toEqual([]);
	});
});

it.each<[string, IDataObject, RegExp]>([
	['one missing field of two', named('data, b'), /no binary field "b"/],
	['an object', named('={{ { name: "data" } }}'), /"Input Binary Field" is not text/],
	['a file without its content', named('={{ $binary.data }}'), /holds no file content/],
	['none in an item', {}, /The input has no file \[item 1\]$/],
])('an error before anything is sent: %s', async (_what, parameters, message) => {
	const items = [await itemWith(['data'], inlineFile), { json: {}, binary: null as never }];

	const { error } = await encode(items, parameters);

	expect(error?.message).toMatch(message);
	expect(posts()).toEqual([]);
});

it('250 files of an item are sent, and at most one is open at a time', async () => {
	const contents = Array.from({ length: 250 }, () => randomBytes(2_000));
	const item = await itemOf(Object.fromEntries(contents.map((one, index) => [`f${index}`, one])));
	let peak = 0;
	const watch = setInterval(() => (peak = Math.max(peak, openFiles().length)), 1);

	const { error } = await encode([item]).finally(() => clearInterval(watch));

	expect(error).toBeUndefined();
	expect((await stored()).map((file) => file.sha256)).toEqual(contents.map(sha256));
	expect(peak).toBeLessThanOrEqual(2);
	if (process.platform === 'linux') expect(peak).toBeGreaterThan(0);
}, 60_000);

/** No file stays open after any of these tests. */
describe('an upload that fails', () => {
	const large = async () => await itemOf({ large: randomBytes(4_000_000) });

	it('follows no redirect', async () => {
		const location = 'https://elsewhere.example.com/login';
		service.on({ method: 'POST' }, async () => ({ status: 307, headers: { location } }));

		const { error } = await encode([await large()]);

		expect(error?.message).toMatch(/redirected the request to another URL/);
		expect(error?.description).toContain(location);
		expect(posts()).toHaveLength(1);
	});

	it('closes all files when many uploads are cancelled while they wait', async () => {
		service.on({ method: 'POST', times: Infinity }, never);
		const items = await Promise.all(Array.from({ length: 20 }, large));

		const options = { maxConcurrent: 3 };
		const { status } = await encode(items, { options }, { cancelAfterMs: 500 });

		expect(status).toBe('canceled');
		expect(posts().length).toBeLessThanOrEqual(3);
	}, 30_000);
});
