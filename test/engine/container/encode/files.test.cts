import { randomBytes } from 'node:crypto';
import type { IBinaryData, IDataObject, INodeExecutionData } from 'n8n-workflow';
import { never, tooManyRequests } from '../../../support/proxy.cts';
import { rowsOf } from '../../../support/texts.cts';
import {
	inlineFile,
	openFiles,
	sha256,
	storedFile,
	useUploads,
	type CreateFile,
} from '../../support/encode.cts';
import { expectRefusal, gather } from '../../support/operations.cts';

const { service, encode, stored, posts } = useUploads();

const named = (binaryPropertyName: string) => ({ fileSource: 'named', binaryPropertyName });
/** An item with these files, in fields with the names of the keys. */
const itemOf = async (
	contents: Record<string, Buffer>,
	create: CreateFile = storedFile,
	json: IDataObject = {},
): Promise<INodeExecutionData> => {
	const binary: Record<string, IBinaryData> = {};
	for (const [name, content] of Object.entries(contents)) {
		binary[name] = await create(content, `${name}.pdf`);
	}
	return { json, binary };
};
/** An item with a file in each of these fields, whose content is the name of the field. */
const itemWith = async (names: string[], create?: CreateFile, json?: IDataObject) =>
	await itemOf(Object.fromEntries(names.map((name) => [name, Buffer.from(name)])), create, json);
const filesNamed = (...names: string[]) =>
	names.map((name) => ({
		...{ name: `${name}.pdf`, type: 'application/pdf', size: name.length, sha256: sha256(name) },
		viewable: true,
	}));

describe.each([
	['stored', storedFile],
	['in-memory', inlineFile],
])('%s files', (_storage, create) => {
	it.each([0, 524_289, 3_000_001])('of %i bytes arrive byte for byte', async (size) => {
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
		['in the order of the names, each once', named('b, a;a, b'), ['b', 'a']],
		['of all fields, in the order of the item', {}, ['7', 'a', 'b', 'c']],
		[
			'by reference and by name',
			named("={{ ['c', $('Input').item.binary.a, 'b'] }}"),
			['c', 'a', 'b'],
		],
	])('are sent %s', async (_what, parameters, names) => {
		const { error } = await encode([await itemWith(['7', 'a', 'b', 'c'], create)], parameters);

		expect(error).toBeUndefined();
		expect(await stored()).toEqual(filesNamed(...names));
	});
});

describe('files in the JSON of items (binaryMode combined)', () => {
	const combined = { binaryMode: 'combined' } as const;

	it.each([
		['by their path', named('_files.b, _files.a'), ['b', 'a']],
		['by an expression', named('={{ $json._files.b }}'), ['b']],
		['all of them', {}, ['a', 'b']],
	])('are found %s', async (_how, parameters, names) => {
		const { error } = await encode([await itemWith(['a', 'b'])], parameters, combined);

		expect(error).toBeUndefined();
		expect(await stored()).toEqual(filesNamed(...names));
	});

	it.each<[string, IDataObject, RegExp, typeof combined | object]>([
		['by their path', named('_files.data'), /The input has no file/, {}],
		['by an expression', named('={{ $json._files.data }}'), /did not read/, {}],
		['from elsewhere', named('body.data'), /The input has no file/, combined],
		['as binary data', named('={{ $json.binary.data }}'), /did not read/, combined],
	])('are never taken from JSON that n8n did not write: %s', async (...test) => {
		const [, parameters, message, mode] = test;
		const data = await storedFile(Buffer.from('of another execution'), 'a.pdf');
		const elsewhere = { body: { data }, json: {}, binary: { data } };
		const json = mode === combined ? elsewhere : { _files: { data } };

		const { error } = await encode([{ json: json as never }], parameters, mode);

		expect(error?.message).toMatch(message);
		expect(posts()).toEqual([]);
	});
});

it.each<[string, IDataObject, RegExp]>([
	['one missing field of two', named('data, b'), /no binary field "b"/],
	['a file without its content', named('={{ $binary.data }}'), /holds no usable file content/],
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
});

/** No file stays open after any of these tests. */
describe('an upload that fails', () => {
	const large = async () => await itemOf({ large: randomBytes(4_000_000) });

	it('closes all files when many uploads are canceled while they wait', async () => {
		const three = gather(3);
		const stop = new AbortController();
		service.on({ method: 'POST', times: Infinity }, async (...request) => {
			await three.join();
			stop.abort();
			return await never(...request);
		});
		const items = await Promise.all(Array.from({ length: 20 }, large));

		const options = { maxConcurrent: 3 };
		const { status } = await encode(items, { options }, { signal: stop.signal });

		expect(status).toBe('canceled');
		expect(posts()).toHaveLength(3);
	});
});

describe('all items in one container', () => {
	const together = { containerMode: 'allItems', name: '={{ $input.first().json.id }}' };

	it('are one upload with all files, in order, and settings that mean the same', async () => {
		const items = [
			await itemWith(['a', 'b'], storedFile, { id: 'A', to: ['a@x.example', 'b@x.example'] }),
			await itemWith(['a', 'b'], inlineFile, { id: 'B', to: 'B@x.example; A@x.example' }),
		];
		const files = named("={{ [$('Input').item.binary.b, 'a'] }}");

		const parameters = { ...together, ...files, recipients: '={{ $json.to }}' };
		const result = await encode(items, parameters);

		expect(result.error).toBeUndefined();
		expect(posts()).toHaveLength(1);
		expect(await stored()).toEqual(filesNamed('b', 'a', 'b', 'a'));
		const [{ uuid, name }] = await service.getContainers();
		expect(name).toBe('A');
		expect(await service.getRules(uuid)).toMatchObject({ recipients: items[0].json.to });
		expect(result.items).toMatchObject([
			{ json: { containerId: uuid }, pairedItem: [{ item: 0 }, { item: 1 }] },
		]);
	});

	it.each(['continueRegularOutput', 'continueErrorOutput'] as const)(
		'are not sent when one item is invalid, and the error names it (%s)',
		async (onError) => {
			const others = await Promise.all(
				['A', 'C'].map(async (id) => await itemWith([id], storedFile, { id })),
			);
			const items = [others[0], { json: { id: 'B' } }, others[1]];

			const { error, ...outputs } = await encode(items, together, { onError });

			expect(error).toBeUndefined();
			expect(service.requests).toEqual([]);
			const message = expect.stringMatching(/The input has no file \[item 1\]/) as string;
			const isOutput = onError === 'continueErrorOutput';
			expect(isOutput ? outputs.errorItems : outputs.items).toMatchObject([
				{
					json: { name: 'A', error: message },
					pairedItem: [{ item: 0 }, { item: 1 }, { item: 2 }],
				},
			]);
		},
	);

	/** Parameters, what `$json.value` is in each item, and what the error says then. */
	const different = rowsOf<[IDataObject, unknown[], string]>(`
		names: [{ name: "={{ $json.value }}" }, [A, B], '"Container Name"']
		recipients: [{ recipients: "={{ $json.value }}" }, [a@x.example, b@x.example], '"Recipients"']
		ends: [{ accessEnds: "={{ $json.value }}", timeEnd: 2099-12-31 }, [never, onDate], '"Access Ends"']
		numbers of days: [{ accessEnds: afterDays, accessDays: "={{ $json.value }}" }, [7, 30], '"Days Until Access Ends"']
		last days: [{ accessEnds: onDate, timeEnd: "={{ $json.value }}" }, [2099-12-30, 2099-12-31], '"Available Until"']
		permissions to download: [{ downloadable: "={{ $json.value }}" }, [true, false], '"Downloadable"']
		permissions to change: [{ dynamic: "={{ $json.value }}" }, [true, false], '"Allow Changes Later"']
		first days: [{ drmRules: { timeStart: "={{ $json.value }}" } }, [2099-12-30, 2099-12-31], '"More Access Rules"']
		names in JSON: [{ specifyManifest: json, manifestJson: '={ "container": { "name": "{{ $json.value }}", "recipients": ["a@x.example"] } }' }, [A, B], '"Manifest (JSON)"']
		capitals in passwords: [{ drmRules: { password: "={{ $json.value }}" } }, [correct horse, Correct Horse], '"Password"']
		settings of files: [{ specifyManifest: json, manifestJson: '={ "container": { "name": "A", "recipients": ["a@x.example"] }, "files": { "a": {{ $json.value }} } }' }, [1, 2], '"Manifest (JSON)"']
		users: [{ options: { userId: "={{ $json.value }}" } }, [user-1, user-2], '"User ID"']
		containers to reuse: [{ options: { ifExists: "={{ $json.value }}" } }, [create, reuse], '"If Container Exists"']
		names of parts: [{ options: { partNames: "={{ $json.value }}" } }, [current, older], '"Part Names"']
		API keys: [{ ofCredential: true }, [a, b], '"Credential to connect with"']
	`);

	it.each(different)('are not sent when they have different %s', async (_what, row) => {
		const [{ ofCredential, ...parameters }, values, label] = row;
		const text = { fileSource: 'text', textContent: 'x', name: 'Documents' };
		const items = values.map((value) => ({ json: { value } as IDataObject }));
		const { apiKey, ...others } = service.credentials;
		const credentials = {
			...others,
			apiKey: ofCredential ? `=${apiKey}{{ $json.value }}` : apiKey,
		};

		const running = encode(items, { ...together, ...text, ...parameters }, { credentials });

		await expectRefusal(service, running, label, { item: 1 });
		expect(JSON.stringify((await running).error)).not.toMatch(/horse/);
	});
});

describe('files that recipients can not see while downloads are off', () => {
	const seen = { mimeType: 'application/pdf', data: 'JVBERi0=', fileName: 'report.pdf' };
	const unseen = { mimeType: 'application/zip', data: 'UEs=', fileName: 'plans.zip' };
	const items = [{ json: {}, binary: { seen, unseen } }];
	const message =
		'"Downloadable" is off, and recipients can\'t see files of this kind: "plans.zip". Send them as PDF, or turn "Downloadable" on.';
	const manifest = (container: IDataObject, files?: IDataObject) => ({
		specifyManifest: 'json',
		manifestJson: JSON.stringify({
			container: { name: 'Plans', recipients: ['anna@example.com'], ...container },
			files,
		}),
	});

	it.each([
		['are named in a hint', { downloadable: false }, [message]],
		['are fine with downloads on', { downloadable: true }, []],
		['are named for rules in JSON', manifest({ drm: { downloadable: false } }), [message]],
		['are fine without a rule', manifest({}), []],
		[
			'are fine where they are hidden',
			manifest({ downloadable: false }, { 'plans.zip': { hidden: true } }),
			[],
		],
	])('%s', async (_title, parameters, expected) => {
		const { run, error } = await encode(items, parameters);

		expect(error).toBeUndefined();
		expect((run.hints ?? []).map((hint) => hint.message)).toEqual(expected);
	});
});
