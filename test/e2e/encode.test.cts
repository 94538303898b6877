import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { INodeParameters } from 'n8n-workflow';
import { writeRandomFile } from '../../tools/randomFile.cts';
import { getN8nVersion } from '../../tools/realN8n/installN8n.cts';
import { buildWorkflow, type NodeOptions } from '../../tools/realN8n/workflow.cts';
import { code, readFiles } from './support/nodes.cts';
import { startTestEnvironment, type TestEnvironment } from './support/testEnvironment.cts';

const MEGABYTE = 1024 * 1024;
const PASSWORD = 'correct horse battery staple';
const MANY = 500;

const encode: INodeParameters = {
	resource: 'container',
	operation: 'encode',
	name: 'A container',
	recipients: 'ada@example.com',
	drmRules: { password: PASSWORD },
};
const START = { name: 'Start', type: 'n8n-nodes-base.manualTrigger' };

const sha256 = (content: string | Buffer) => createHash('sha256').update(content).digest('hex');

/** A node whose items each have a file in memory, with this name and content. */
const files = (list: Array<{ name: string; content: string }>): NodeOptions =>
	code(
		'Files',
		`return ${JSON.stringify(list)}.map(({ name, content }) => ({ json: { name }, binary: { data: {
			data: Buffer.from(content).toString('base64'), mimeType: 'text/plain', fileName: name } } }));`,
	);

/** A node that copies the first item this many times, with its stored file. */
const copies = (count: number): NodeOptions =>
	code(
		'Copies',
		`const [{ binary }] = $input.all();
		return Array.from({ length: ${count} }, (_, index) => ({ json: { index }, binary }));`,
	);

describe('the files of containers, in the real n8n', () => {
	let e2e: TestEnvironment;
	beforeAll(async () => {
		e2e = await startTestEnvironment();
		await mkdir(join(e2e.n8n.files, 'texts'));
		await writeFile(join(e2e.n8n.files, 'texts', 'a.txt'), 'file a');
		await writeFile(join(e2e.n8n.files, 'texts', 'b.txt'), 'file b');
	});
	beforeEach(() => e2e.sandbox.reset());
	afterAll(async () => await e2e?.stop());

	/** The files of each upload. */
	const received = () =>
		e2e.sandbox.requests
			.filter(({ path }) => path.endsWith('/encode'))
			.map(({ parts = [] }) =>
				parts
					.filter(({ name }) => name === 'file')
					.map((part) => ({ name: part.filename, size: part.size, sha256: part.sha256 })),
			);
	const receivedNames = () => received().map((list) => list.map(({ name }) => name));
	const containerNames = () => [...e2e.sandbox.state.containers.values()].map(({ name }) => name);
	const fact = (name: string, content: string) => ({
		name,
		size: Buffer.byteLength(content),
		sha256: sha256(content),
	});

	it.each([
		['of 0 bytes', 'empty.pdf', 0],
		['of 300 MB', 'film.mp4', 300 * MEGABYTE],
	])('sends a stored file %s byte for byte', async (_size, name, size) => {
		await mkdir(join(e2e.n8n.files, name));
		const written = await writeRandomFile(join(e2e.n8n.files, name, name), size);

		const execution = await e2e.runWorkflow([
			readFiles('Read', `files/${name}/*`),
			e2e.node('Encode', encode),
		]);

		expect(execution.error).toBeUndefined();
		expect(execution.binaries('Read')[0].data.id).toEqual(expect.any(String));
		expect(received()).toEqual([[{ name, size, sha256: written.sha256 }]]);
		const { headers, bytes } = e2e.sandbox.requests.at(-1) ?? { headers: {}, bytes: 0 };
		expect(headers['content-length']).toBe(String(bytes));
	});

	it('sends files in memory byte for byte, with their names', async () => {
		const list = [
			{ name: 'Grüße €.txt', content: 'a line of text\n'.repeat(300_000) },
			{ name: 'nothing.txt', content: '' },
		];

		const execution = await e2e.runWorkflow([
			files(list),
			e2e.node('Encode', { ...encode, options: { maxConcurrent: 1 } }),
		]);

		expect(execution.error).toBeUndefined();
		expect(execution.binaries('Files')[0].data.id).toBeUndefined();
		expect(received()).toEqual(list.map(({ name, content }) => [fact(name, content)]));
	});

	it.each([
		[413, /larger than the service accepts/],
		[401, /did not accept the API key/],
	])(
		'knows why a service refuses a large file before it has all of it: %i',
		async (status, message) => {
			await writeRandomFile(join(e2e.n8n.files, `refused-${status}.bin`), 20_000_000);
			e2e.sandbox.faults.add({ kind: 'status', status, method: 'POST', when: 'arrival', times: 3 });

			const execution = await e2e.runWorkflow([
				readFiles('Read', `files/refused-${status}.bin`),
				copies(3),
				e2e.node(
					'Encode',
					{ ...encode, options: { maxRetries: 0, maxConcurrent: 1 } },
					{ onError: 'continueRegularOutput' },
				),
			]);

			expect(execution.json('Encode').map(({ error }) => error)).toEqual(
				[0, 1, 2].map(() => expect.stringMatching(message)),
			);
			expect(e2e.sandbox.state.containers.size).toBe(0);
		},
	);

	it('sends stored and in-memory files of one item in one container', async () => {
		const execution = await e2e.runWorkflow([
			readFiles('Read', 'files/texts/*'),
			code(
				'Gather',
				`const [a, b] = $input.all();
				return [{ json: {}, binary: { a: a.binary.data, b: b.binary.data, own: {
					data: 'eA==', mimeType: 'text/plain', fileName: 'own.txt' } } }];`,
			),
			e2e.node('Encode', { ...encode, fileSource: 'all' }),
		]);

		expect(execution.error).toBeUndefined();
		expect(received()).toEqual([
			[fact('a.txt', 'file a'), fact('b.txt', 'file b'), fact('own.txt', 'x')],
		]);
	});

	it('sends the files of all items in one container, and links its item to all of them', async () => {
		const execution = await e2e.runWorkflow([
			files([
				{ name: 'report.txt', content: 'one' },
				{ name: 'Größe.txt', content: 'two' },
				{ name: 'report.txt', content: 'three' },
			]),
			e2e.node('Encode', {
				...encode,
				containerMode: 'allItems',
				name: '=All of {{ $input.first().json.name }}',
			}),
		]);

		expect(execution.error).toBeUndefined();
		expect(containerNames()).toEqual(['All of report.txt']);
		expect(receivedNames()).toEqual([['report.txt', 'Größe.txt', 'report (2).txt']]);
		const output = execution.items('Encode');
		expect(output.map(({ pairedItem }) => pairedItem)).toEqual([
			[0, 1, 2].map((item) => ({ item })),
		]);
	});

	it('sends 500 small files, and 500 stored ones of 2 MB with little more memory', async () => {
		const run = async (source: NodeOptions[]) => {
			e2e.sandbox.reset();
			const node = e2e.node('Encode', { ...encode, containerMode: 'allItems' });
			const execution = await e2e.n8n.run(buildWorkflow([START, ...source, node]));
			expect(execution.error).toBeUndefined();
			expect(received()).toHaveLength(1);
			return { sent: received()[0], memory: execution.peakMemory ?? 0 };
		};
		const list = Array.from({ length: MANY }, (_, index) => ({
			name: `file-${index}.txt`,
			content: `content of file ${index}`,
		}));
		const large = await writeRandomFile(join(e2e.n8n.files, 'large.bin'), 2 * MEGABYTE);

		const small = await run([files(list)]);
		const stored = await run([readFiles('Read', 'files/large.bin'), copies(MANY)]);

		expect(small.sent).toEqual(list.map(({ name, content }) => fact(name, content)));
		expect(new Set(stored.sent.map(({ name }) => name)).size).toBe(MANY);
		expect(stored.sent.map((file) => file.sha256)).toEqual(stored.sent.map(() => large.sha256));
		expect(stored.memory - small.memory).toBeLessThan(96 * MEGABYTE);
	});

	it.each([
		['one', "={{ $('Read').first().binary.data }}", ['a.txt']],
		[
			'an array with a name in it',
			"={{ [$('Read').last().binary.data, 'own', $('Read').first().binary.data] }}",
			['b.txt', 'own.txt', 'a.txt'],
		],
	])('finds files by reference: %s', async (_what, binaryPropertyName, names) => {
		const execution = await e2e.runWorkflow([
			readFiles('Read', 'files/texts/*'),
			code(
				'Other',
				`return [{ json: {}, binary: { own: {
					data: 'eA==', mimeType: 'text/plain', fileName: 'own.txt' } } }];`,
			),
			e2e.node('Encode', { ...encode, binaryPropertyName }),
		]);

		expect(execution.error).toBeUndefined();
		expect(receivedNames()).toEqual([names]);
	});

	describe('in the JSON of items (binaryMode combined)', () => {
		// n8n 1 does not have this setting.
		if (getN8nVersion().name === '1') return;
		it.each<[string, INodeParameters, string[][]]>([
			['by the name of the field', { binaryPropertyName: 'data' }, [['a.txt'], ['b.txt']]],
			['by their path', { binaryPropertyName: '_files.data' }, [['a.txt'], ['b.txt']]],
			['of all items', { fileSource: 'all', containerMode: 'allItems' }, [['a.txt', 'b.txt']]],
		])('are found: %s', async (_how, parameters, names) => {
			const nodes = [
				START,
				readFiles('Read', 'files/texts/*'),
				e2e.node('Encode', { ...encode, ...parameters }),
			];
			const settings = { executionOrder: 'v1', binaryMode: 'combined' };

			const id = await e2e.server.createWorkflow(buildWorkflow(nodes, { settings }));
			const execution = await e2e.server.runWorkflow(id, START.name);

			expect(execution.error).toBeUndefined();
			expect(execution.json('Read')[0]).toHaveProperty('_files.data.id');
			// Several containers can arrive in any order.
			expect(receivedNames().sort()).toEqual(names);
		});
	});

	it('shows neither the API key nor the password in its output or in the log', async () => {
		const execution = await e2e.runWorkflow([
			files([{ name: 'secret.pdf', content: 'secret' }]),
			e2e.node('Encode', encode),
		]);

		expect(execution.error).toBeUndefined();
		const [{ body }] = e2e.sandbox.requests.filter(({ path }) => path.endsWith('/encode'));
		expect(JSON.stringify(body)).toContain(PASSWORD);
		const shown = JSON.stringify(execution.runData) + (await e2e.log());
		expect(shown).toContain('A container');
		expect(shown).not.toContain(e2e.sandbox.apiKey);
		expect(shown).not.toContain(PASSWORD);
	});
});
