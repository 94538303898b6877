import { createHash, randomBytes } from 'node:crypto';
import { readdirSync, readlinkSync } from 'node:fs';
import { readdir, rm, stat, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import type { IBinaryData, IDataObject, INodeExecutionData, INodeParameters } from 'n8n-workflow';
import { startSandbox, type ReceivedRequest, type Sandbox } from '../../../sandbox/index.cts';
import { inlineBinary, runNode, storeBinary, type RunNodeOptions } from '../../support/engine.cts';
import { userFolder } from '../../support/environment.cts';
import { trustCertificateAuthority } from '../../support/trust.cts';
import { containerId, oneByOne } from '../support/parameters.cts';

let sandbox: Sandbox;
let distrust = () => {};

beforeAll(async () => {
	sandbox = await startSandbox();
	distrust = trustCertificateAuthority(sandbox.ca);
});

beforeEach(() => sandbox.reset());

afterAll(async () => {
	distrust();
	await sandbox.stop();
});

const base: INodeParameters = {
	resource: 'container',
	operation: 'encode',
	containerMode: 'perItem',
	fileSource: 'all',
	binaryPropertyName: 'data',
	specifyManifest: 'fields',
	name: 'Invoice',
};
const run = async (parameters: INodeParameters, more: Partial<RunNodeOptions> = {}) =>
	await runNode({
		...more,
		parameters,
		credentials: { baseUrl: sandbox.url, apiKey: sandbox.apiKey },
	});
const encode = async (
	binary: INodeExecutionData['binary'],
	parameters: INodeParameters = {},
	options: IDataObject = {},
	more: Partial<RunNodeOptions> = {},
) =>
	await run({ ...base, ...parameters, options: { ...oneByOne, ...options } } as INodeParameters, {
		items: [{ json: {}, binary }],
		...more,
	});

const sha256 = (content: Buffer) => createHash('sha256').update(content).digest('hex');
const uploads = (): ReceivedRequest[] =>
	sandbox.requests.filter(
		({ endpoint, path }) => endpoint === 'encode' || path.endsWith('/encode'),
	);
const filesOf = (request: ReceivedRequest) => (request.parts ?? []).slice(1);

type Keep = (content: Buffer, fileName: string, mimeType?: string) => Promise<IBinaryData>;
const stored: Keep = async (content, fileName, mimeType = 'application/pdf') =>
	await storeBinary(content, { fileName, mimeType });
const inMemory: Keep = async (content, fileName, mimeType = 'application/pdf') =>
	inlineBinary(content, { fileName, mimeType });
const kept: Array<[string, Keep]> = [
	['stored', stored],
	['in-memory', inMemory],
];

const storeFolder = join(userFolder, 'binary-data');

/** Files of n8n's store that this process holds open. */
function openFiles(): string[] {
	return readdirSync('/proc/self/fd').flatMap((descriptor) => {
		try {
			const target = readlinkSync(`/proc/self/fd/${descriptor}`);
			return target.startsWith(storeFolder) ? [target] : [];
		} catch {
			return [];
		}
	});
}

async function expectAllClosed(): Promise<void> {
	for (let tries = 0; tries < 50 && openFiles().length > 0; tries += 1) {
		await new Promise((resolve) => setTimeout(resolve, 20));
	}
	expect(openFiles()).toEqual([]);
}

/** Where n8n keeps the bytes of a stored file. */
async function pathOf(file: IBinaryData): Promise<string> {
	const entries = await readdir(storeFolder, { recursive: true, withFileTypes: true });
	const id = String(file.id).split('/').at(-1) ?? '';
	const entry = entries.find(({ name }) => name === id);
	if (entry === undefined) throw new Error(`${String(file.id)} is not in the store`);
	return join(entry.parentPath, entry.name);
}

afterEach(expectAllClosed);

describe.each(kept)('a %s file', (_where, keep) => {
	it.each([0, 1, 3, 65_536, 524_287, 524_288, 524_289, 3_000_001])(
		'of %i bytes arrives byte for byte, its length told before',
		async (size) => {
			const content = randomBytes(size);

			const { items, error } = await encode({ data: await keep(content, 'scan.pdf') });

			expect(error).toBeUndefined();
			const [request] = uploads();
			expect(request.parts).toHaveLength(2);
			expect(filesOf(request)).toEqual([
				expect.objectContaining({
					name: 'file',
					filename: 'scan.pdf',
					type: 'application/pdf',
					size,
					sha256: sha256(content),
				}),
			]);
			expect(request.headers['content-length']).toBe(String(request.bytes));
			expect(request.headers['transfer-encoding']).toBeUndefined();
			expect(request.headers['content-type']).toMatch(/^multipart\/form-data; boundary=/);
			expect(request.headers.authorization).toBe(`Bearer ${sandbox.apiKey}`);
			const [container] = sandbox.state.containers.values();
			expect(items[0].json).toMatchObject({
				org_id: sandbox.user.id,
				container: { uuid: container.uuid, name: 'Invoice' },
			});
		},
	);

	it.each([
		['letters beyond ASCII', 'Grüße €.pdf'],
		['other scripts', '請求書 счёт.pdf'],
		['beyond the basic plane', '📦.pdf'],
		['quotes', 'the "final" one.pdf'],
		['an apostrophe', "it's.pdf"],
		['line ends', 'a\r\nContent-Type: text/html\r\n\r\nb.pdf'],
		['a line end at the end', 'a.pdf\n'],
		['a backslash', 'C:\\temp\\a.pdf'],
		['percent signs', '100%22 %0D.pdf'],
		['semicolons', 'a; filename="b".pdf'],
		['steps in a path', '../../etc/passwd'],
		['blanks', ' a  b .pdf'],
		['2,000 characters', `${'a'.repeat(2000)}.pdf`],
	])('keeps its name, and the body its parts: %s', async (_what, fileName) => {
		const content = randomBytes(100);

		const { error } = await encode({ data: await keep(content, fileName) });

		expect(error).toBeUndefined();
		const [request] = uploads();
		expect(request.parts).toHaveLength(2);
		const [file] = filesOf(request);
		// A quote and line ends can only be sent as %22, %0D and %0A: those a name holds itself look the same.
		const decoded = fileName.replaceAll('%22', '"').replaceAll('%0D', '\r');
		expect(file.filename).toBe(decoded);
		expect(file).toMatchObject({ type: 'application/pdf', sha256: sha256(content) });
	});

	it.each([
		['text/html; charset=utf-8', 'text/html; charset=utf-8'],
		['image/svg+xml', 'image/svg+xml'],
		['text/html\r\nX-Injected: 1', 'application/octet-stream'],
		['text/html\r\n\r\n<script>', 'application/octet-stream'],
		['not a type', 'application/octet-stream'],
		['', 'application/octet-stream'],
	])('of the media type %j is sent as %s', async (mimeType, type) => {
		const file = { ...(await keep(Buffer.from('x'), 'a.bin')), mimeType };

		const { error } = await encode({ data: file });

		expect(error).toBeUndefined();
		expect(filesOf(uploads()[0])).toEqual([expect.objectContaining({ type, size: 1 })]);
	});

	it('is named after its field where it has no name', async () => {
		const file = { ...(await keep(Buffer.from('x'), 'a.pdf')), fileName: undefined };

		await encode({ attachment_0: file });

		expect(filesOf(uploads()[0])[0].filename).toBe('attachment_0.pdf');
	});

	it('is proved by its digest, in the order of the files', async () => {
		const contents = [randomBytes(10), Buffer.alloc(0), randomBytes(700_000)];
		const binary = Object.fromEntries(
			await Promise.all(
				contents.map(async (content, index) => [`f${index}`, await keep(content, `${index}.pdf`)]),
			),
		) as INodeExecutionData['binary'];

		const { items } = await encode(binary, {}, { includeFileDigests: true });

		const digests = contents.map((content, index) => ({
			name: `${index}.pdf`,
			size: content.length,
			sha256: sha256(content),
		}));
		expect(items[0].json.files).toEqual(digests);
		expect(
			filesOf(uploads()[0]).map(({ filename, size, sha256: hash }) => ({
				name: filename,
				size,
				sha256: hash,
			})),
		).toEqual(digests);
	});

	it('is sent whole again after a limit', async () => {
		const content = randomBytes(600_000);
		sandbox.faults.add({
			kind: 'status',
			status: 429,
			method: 'POST',
			headers: { 'retry-after': '0' },
		});

		const { error, items } = await encode(
			{ data: await keep(content, 'a.pdf') },
			{},
			{ maxRetries: 1, includeFileDigests: true },
		);

		expect(error).toBeUndefined();
		expect(uploads().map((request) => filesOf(request)[0].sha256)).toEqual([
			sha256(content),
			sha256(content),
		]);
		expect(items[0].json.files).toEqual([
			{ name: 'a.pdf', size: 600_000, sha256: sha256(content) },
		]);
	});
});

describe('several files of an item', () => {
	it('of the same name are all sent, in their order', async () => {
		const contents = [1, 2, 3].map(() => randomBytes(50));
		const binary = Object.fromEntries(
			await Promise.all(
				contents.map(async (content, index) => [`f${index}`, await stored(content, 'scan.pdf')]),
			),
		) as INodeExecutionData['binary'];

		await encode(binary);

		expect(filesOf(uploads()[0]).map(({ filename, sha256: hash }) => [filename, hash])).toEqual(
			contents.map((content) => ['scan.pdf', sha256(content)]),
		);
	});

	it('may be 250, of which no more than one is open at a time', async () => {
		const contents = Array.from({ length: 250 }, () => randomBytes(2_000));
		const binary: Record<string, IBinaryData> = {};
		for (const [index, content] of contents.entries()) {
			binary[`f${index}`] = await stored(content, `${index}.pdf`);
		}
		let most = 0;
		const watch = setInterval(() => (most = Math.max(most, openFiles().length)), 1);

		const { error } = await encode(binary).finally(() => clearInterval(watch));

		expect(error).toBeUndefined();
		expect(filesOf(uploads()[0]).map(({ sha256: hash }) => hash)).toEqual(contents.map(sha256));
		expect(most).toBeLessThanOrEqual(2);
	}, 30_000);
});

describe('a stored file', () => {
	it('that vanished is named, and nothing is sent', async () => {
		const file = await stored(Buffer.from('x'), 'gone.pdf');
		const path = await pathOf(file);
		await rm(path);
		await rm(`${path}.metadata`, { force: true });

		const { error } = await encode({ data: { ...file, bytes: undefined } });

		expect(error?.message).toMatch(/The file "gone\.pdf" can no longer be read .*\[item 0\]/);
		expect(uploads()).toEqual([]);
	});

	it('that vanishes before it is read is named, and no container is made', async () => {
		const file = await stored(randomBytes(1000), 'gone.pdf');
		await rm(await pathOf(file));

		const { error } = await encode({ data: file });

		expect(error?.message).toMatch(/The file "gone\.pdf" can no longer be read/);
		expect(sandbox.state.containers.size).toBe(0);
	});

	it('that became shorter is named, and no container is made', async () => {
		const file = await stored(randomBytes(10_000), 'changed.pdf');
		await truncate(await pathOf(file), 5_000);

		const { error } = await encode({ data: file });

		expect(error?.message).toMatch(/"changed\.pdf" has another size than n8n noted/);
		expect(sandbox.state.containers.size).toBe(0);
	});

	it('that vanished fails its own item only, in a Continue mode', async () => {
		const gone = await stored(Buffer.from('x'), 'gone.pdf');
		await rm(await pathOf(gone));
		const items = [
			{ json: {}, binary: { data: await stored(Buffer.from('1'), '1.pdf') } },
			{ json: {}, binary: { data: gone } },
			{ json: {}, binary: { data: await stored(Buffer.from('3'), '3.pdf') } },
		];

		const { items: made, errorItems } = await encode(
			undefined,
			{},
			{},
			{ items, onError: 'continueErrorOutput' },
		);

		expect(made.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }, { item: 2 }]);
		expect(errorItems[0]).toMatchObject({
			json: { name: 'Invoice', error: expect.stringContaining('gone.pdf') },
			pairedItem: { item: 1 },
		});
		expect(sandbox.state.containers.size).toBe(2);
	});
});

describe('an upload that does not end well', () => {
	const large = async () => ({ data: await stored(randomBytes(4_000_000), 'large.pdf') });

	it.each([
		['on the same origin', (): string => `${sandbox.origin}/elsewhere`],
		['on another origin', (): string => 'https://elsewhere.example.com/login'],
	])('follows no redirect %s, and closes its file', async (_where, location) => {
		sandbox.faults.add({ kind: 'redirect', location: location(), status: 307, method: 'POST' });

		const { error } = await encode(await large());

		expect(error?.message).toMatch(/redirects to another address/);
		expect(error?.description).toContain(location());
		expect(sandbox.requests.filter(({ method }) => method === 'POST')).toHaveLength(1);
		await expectAllClosed();
	});

	it('closes its file when the connection breaks, and says what was to be sent', async () => {
		sandbox.faults.add({ kind: 'reset', afterBytes: 100_000, method: 'POST' });

		const { error } = await encode(await large());

		expect(error?.message).toMatch(/closed the connection during the upload \(4\.0 MB in all\)/);
		expect(error?.description).toMatch(/may exist all the same: look for "Invoice"/);
		await expectAllClosed();
	});

	it('closes its file when the service has enough', async () => {
		sandbox.settings.maxBodyBytes = 1_000_000;

		const { error } = await encode(await large());

		expect(error?.message).toMatch(/larger than the service takes|closed the connection/);
		expect(error?.message).toContain('4.0 MB in all');
		await expectAllClosed();
	});

	it('ends at once when it is cancelled, and closes its file', async () => {
		sandbox.faults.add({ kind: 'never', method: 'POST', when: 'arrival' });
		const startedAt = Date.now();

		const { status } = await encode(await large(), {}, {}, { cancelAfterMs: 300 });

		expect(status).toBe('canceled');
		expect(Date.now() - startedAt).toBeLessThan(10_000);
		await expectAllClosed();
	}, 20_000);

	it('leaves nothing open when many are cancelled while they wait for their turn', async () => {
		sandbox.faults.add({ kind: 'never', method: 'POST', when: 'arrival', times: Infinity });
		const items = await Promise.all(
			Array.from({ length: 20 }, async () => ({ json: {}, binary: await large() })),
		);

		const { status } = await encode(
			undefined,
			{},
			{ maxConcurrent: 3 },
			{ items, cancelAfterMs: 500 },
		);

		expect(status).toBe('canceled');
		expect(uploads().length).toBeLessThanOrEqual(3);
		await expectAllClosed();
	}, 30_000);
});

describe('many items', () => {
	it.each([1, 3])(
		'have at most %i uploads under way, and come out in their order',
		async (most) => {
			// What the test before it canceled may not have ended at the service yet.
			while (sandbox.counts.inFlight > 0) await new Promise((go) => setTimeout(go, 10));
			sandbox.clearRequests();
			sandbox.settings.latency = 60;
			const contents = Array.from({ length: 12 }, () => randomBytes(20_000));
			const items = await Promise.all(
				contents.map(async (content, index) => ({
					json: { index },
					binary: { data: await stored(content, `${index}.pdf`) },
				})),
			);

			const { items: made, next } = await encode(
				undefined,
				{ name: '=Invoice {{ $json.index }}' },
				{ maxConcurrent: most, includeFileDigests: true },
				{ items, next: { index: "={{ $('Input').item.json.index }}" } },
			);

			expect(sandbox.counts.peakInFlight).toBeLessThanOrEqual(most);
			expect(sandbox.counts.peakInFlight).toBeGreaterThanOrEqual(Math.min(2, most));
			expect(made.map(({ json }) => (json.files as IDataObject[])[0].sha256)).toEqual(
				contents.map(sha256),
			);
			expect(made.map(({ json }) => (json.container as IDataObject).name)).toEqual(
				contents.map((_content, index) => `Invoice ${index}`),
			);
			expect(next.map(({ index }) => index)).toEqual(contents.map((_content, index) => index));
			expect(sandbox.counts.endpoints.getMe ?? 0).toBeLessThanOrEqual(1);
		},
		30_000,
	);

	it('in one container are one upload with every byte of every item', async () => {
		const contents = Array.from({ length: 40 }, () => randomBytes(5_000));
		const items: INodeExecutionData[] = await Promise.all(
			contents.map(async (content, index) => ({
				json: {},
				binary: {
					data: await (index % 2 === 0 ? stored : inMemory)(content, 'scan.pdf'),
				},
			})),
		);

		const { items: made } = await encode(
			undefined,
			{ containerMode: 'allItems' },
			{ includeFileDigests: true },
			{ items },
		);

		expect(uploads()).toHaveLength(1);
		const files = filesOf(uploads()[0]);
		expect(files.map(({ sha256: hash }) => hash)).toEqual(contents.map(sha256));
		expect(new Set(files.map(({ filename }) => filename)).size).toBe(40);
		expect(made[0].json.files).toEqual(
			files.map(({ filename, size, sha256: hash }) => ({ name: filename, size, sha256: hash })),
		);
		expect(made[0].pairedItem).toHaveLength(40);
	}, 30_000);
});

describe('the life of a container', () => {
	const container = (operation: string, resource = 'container', more: INodeParameters = {}) =>
		({
			resource,
			operation,
			containerId: containerId('={{ $json.id }}'),
			...more,
		}) as INodeParameters;

	it('is one that a strict service takes: made, read, changed, revoked, deleted', async () => {
		const content = randomBytes(1_000);
		const { items } = await encode(
			{ data: await stored(content, 'invoice.pdf') },
			{
				recipients: 'anna@example.com, *@example.org',
				downloadable: true,
				additionalFields: { password: 'correct horse' },
				drmRules: {
					dynamic: true,
					geoAllow: ['CH'],
					geoBlock: ['KP'],
					ipAllow: '192.0.2.0/24',
					ipBlock: '198.51.100.7',
					opens: 3,
					timeStart: '2026-01-01',
					timeEnd: '2099-12-31',
				},
			},
		);
		const [made] = sandbox.state.containers.values();
		expect(made.manifest).toEqual({
			container: {
				name: 'Invoice',
				recipients: ['anna@example.com', '*@example.org'],
				downloadable: true,
				password: 'correct horse',
				drm: {
					dynamic: true,
					geo: { allow: [{ country: 'CH' }], block: [{ country: 'KP' }] },
					ip: { allow: ['192.0.2.0/24'], block: ['198.51.100.7'] },
					opens: 3,
					time: { start: '2026-01-01', end: '2099-12-31' },
				},
			},
		});
		expect((items[0].json.container as IDataObject).uuid).toBe(made.uuid);
		const one = { items: [{ json: { id: made.uuid } }] };

		const read = await run(container('get'), one);
		expect(read.items[0].json).toMatchObject({ container: { uuid: made.uuid } });
		const enveloped = await run(container('getEnvelope'), one);
		expect(enveloped.items[0].json).toMatchObject({ org_id: sandbox.user.id });
		const listed = await run({ resource: 'container', operation: 'getAll' });
		expect(listed.items).toHaveLength(1);

		const changed = await run(
			container('update', 'drm', {
				rules: {
					opens: 1,
					addRecipients: 'carl@example.com',
					removeRecipients: 'anna@example.com',
				},
			}),
			one,
		);
		expect(changed.items[0].json).toEqual({
			...(made.rules as IDataObject),
			opens: 1,
			recipients: ['*@example.org', 'carl@example.com'],
		});

		const revoked = await run(container('revoke', 'drm'), one);
		expect(revoked.error).toBeUndefined();
		const { time, ...others } = made.rules as { time: { end: string } };
		expect(time.end < new Date().toISOString().slice(0, 10)).toBe(true);
		expect(others).toMatchObject({ opens: 1, recipients: ['*@example.org', 'carl@example.com'] });
		expect((await run(container('get', 'drm'), one)).items[0].json).toEqual(made.rules);

		const removed = await run(container('delete'), one);
		expect(removed.items[0].json).toEqual({ deleted: true });
		expect(sandbox.state.containers.size).toBe(0);
	}, 30_000);

	it('may have fixed rules, of which the service and the node say so', async () => {
		await encode({ data: await stored(Buffer.from('x'), 'a.pdf') });
		const [made] = sandbox.state.containers.values();
		const one = { items: [{ json: { id: made.uuid } }] };

		for (const [operation, more] of [
			['update', { rules: { opens: 1 } }],
			['update', { rules: { opens: 1 }, options: { keepOtherRules: false } }],
			['revoke', {}],
		] as Array<[string, INodeParameters]>) {
			const { error } = await run(container(operation, 'drm', more), one);
			expect(`${error?.message} ${error?.description}`).toMatch(/fixed/);
		}
		expect(made.rules).toEqual({ dynamic: false, downloadable: false });
	});
});

it('the files of this suite are where it looks for open ones', async () => {
	const file = await stored(Buffer.from('abc'), 'a.txt');

	expect((await stat(await pathOf(file))).size).toBe(3);
});
