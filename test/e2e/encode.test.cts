import { createHash } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { ReceivedPart } from '../../sandbox/index.cts';
import { startTestEnvironment, type TestEnvironment } from './support/testEnvironment.cts';
import { writeRandomFile, type RandomFile } from '../../tools/randomFile.cts';
import { code, readFiles } from './support/nodes.cts';

const MEGABYTE = 1024 * 1024;
const PASSWORD = 'correct horse battery staple';

const encode = {
	resource: 'container',
	operation: 'encode',
	name: 'A container',
	recipients: 'ada@example.com',
	downloadable: true,
	drmRules: { opens: 3, password: PASSWORD },
};

describe('encoding files in the real n8n', () => {
	let e2e: TestEnvironment;
	beforeAll(async () => {
		e2e = await startTestEnvironment();
	});
	beforeEach(() => e2e.sandbox.reset());
	afterAll(async () => await e2e?.stop());

	const receivedFiles = (): ReceivedPart[] =>
		e2e.sandbox.requests.flatMap(({ parts = [] }) => parts).filter((part) => part.name === 'file');
	const encodes = () => e2e.sandbox.requests.filter(({ path }) => path.endsWith('/encode'));
	const writeFiles = async (folder: string, sizes: Record<string, number>) => {
		await mkdir(join(e2e.n8n.files, folder));
		const written: Array<RandomFile & { name: string }> = [];
		for (const [name, size] of Object.entries(sizes)) {
			written.push({ name, ...(await writeRandomFile(join(e2e.n8n.files, folder, name), size)) });
		}
		return written;
	};
	const facts = (files: Array<{ name: string; size: number; sha256: string }>) =>
		files.map(({ name, size, sha256 }) => ({ name, size, sha256 }));
	const receivedFacts = () =>
		receivedFiles().map(({ filename, size, sha256 }) => ({ name: filename, size, sha256 }));
	const byName = (one: { name?: string }, other: { name?: string }) =>
		String(one.name).localeCompare(String(other.name));

	it.each([
		['of 0 bytes', 'empty.pdf', 0],
		['of 5 MB', 'report.pdf', 5 * MEGABYTE],
		['of 300 MB', 'film.mp4', 300 * MEGABYTE],
	])('sends a stored file %s byte for byte', async (_size, name, size) => {
		const files = await writeFiles(`stored-${size}`, { [name]: size });

		const execution = await e2e.runWorkflow([
			readFiles('Read', `files/stored-${size}/*`),
			e2e.node('Encode', encode),
		]);

		expect(execution.error).toBeUndefined();
		expect(execution.binaries('Read')[0].data.id).toEqual(expect.any(String));
		expect(receivedFacts()).toEqual(facts(files));
		expect(encodes()).toHaveLength(1);
		expect(encodes()[0].headers['content-length']).toEqual(String(encodes()[0].bytes));
		expect(execution.json('Encode')).toEqual([
			expect.objectContaining({ container: expect.objectContaining({ name: 'A container' }) }),
		]);
	});

	it.each([
		[413, /larger than the service accepts/],
		[401, /did not accept the API key/],
		[403, /has no permission/],
	])(
		'knows why a service refuses a large file before it has all of it: %i',
		async (status, message) => {
			await writeFiles(`refused-${status}`, { 'large.bin': 20_000_000 });
			e2e.sandbox.faults.add({ kind: 'status', status, method: 'POST', when: 'arrival', times: 3 });

			const execution = await e2e.runWorkflow([
				readFiles('Read', `files/refused-${status}/*`),
				code('Three Times', 'return [1, 2, 3].map(() => ({ ...$input.first() }));'),
				e2e.node(
					'Encode',
					{ ...encode, name: 'Refused', options: { maxRetries: 0, maxConcurrent: 1 } },
					{ onError: 'continueRegularOutput' },
				),
			]);

			expect(execution.json('Encode').map(({ error }) => error)).toEqual(
				[0, 1, 2].map(() => expect.stringMatching(message)),
			);
			expect(e2e.sandbox.state.containers.size).toBe(0);
		},
	);

	it('sends an in-memory file byte for byte, with its name and media type', async () => {
		const size = 5 * MEGABYTE;
		const execution = await e2e.runWorkflow([
			code(
				'Make',
				`const bytes = Buffer.alloc(${size}, 'a line of text\\n');
				return [{ json: {}, binary: { data: {
					data: bytes.toString('base64'), mimeType: 'text/plain', fileName: 'Grüße €.txt' } } }];`,
			),
			e2e.node('Encode', encode),
		]);

		expect(execution.error).toBeUndefined();
		expect(execution.binaries('Make')[0].data.id).toBeUndefined();
		const sha256 = createHash('sha256')
			.update(Buffer.alloc(size, 'a line of text\n'))
			.digest('hex');
		expect(receivedFiles()).toEqual([
			expect.objectContaining({ filename: 'Grüße €.txt', type: 'text/plain', size, sha256 }),
		]);
	});

	it('sends an in-memory file of 0 bytes', async () => {
		const execution = await e2e.runWorkflow([
			code(
				'Make',
				`return [{ json: {}, binary: { data: {
					data: '', mimeType: 'text/plain', fileName: 'nothing.txt' } } }];`,
			),
			e2e.node('Encode', encode),
		]);

		expect(execution.error).toBeUndefined();
		expect(receivedFiles()).toEqual([
			expect.objectContaining({ filename: 'nothing.txt', size: 0 }),
		]);
	});

	it('creates one container for each of ten items, in their order, and fetches the user once', async () => {
		const sizes = Array.from({ length: 10 }, (_, index) => [`file-${index}.bin`, 1000 * index + 1]);
		const files = await writeFiles('ten-items', Object.fromEntries(sizes));

		const execution = await e2e.runWorkflow([
			readFiles('Read', 'files/ten-items/*'),
			e2e.node('Encode', { ...encode, name: '={{ $binary.data.fileName }}' }),
		]);

		expect(execution.error).toBeUndefined();
		expect(receivedFacts().sort(byName)).toEqual(facts(files));
		expect(encodes()).toHaveLength(10);
		const names = execution.binaries('Read').map(({ data }) => data.fileName);
		expect(execution.items('Encode').map(({ json }) => json.container)).toEqual(
			names.map((name) => expect.objectContaining({ name })),
		);
		expect(execution.items('Encode').map(({ pairedItem }) => pairedItem)).toEqual(
			names.map((_, item) => expect.objectContaining({ item })),
		);
		expect(e2e.sandbox.requests.filter(({ path }) => path.endsWith('/me')).length).toBeLessThan(2);
	});

	it('sends ten files of one item in one container, both stored and in memory', async () => {
		const sizes = Array.from({ length: 5 }, (_, index) => [`stored-${index}.bin`, 70_000 * index]);
		const files = await writeFiles('ten-files', Object.fromEntries(sizes));

		const execution = await e2e.runWorkflow([
			readFiles('Read', 'files/ten-files/*'),
			code(
				'Gather',
				`const binary = {};
				for (const [index, item] of $input.all().entries()) binary['stored' + index] = item.binary.data;
				for (let index = 0; index < 5; index++) binary['memory' + index] = {
					data: Buffer.from('text ' + index).toString('base64'),
					mimeType: 'text/plain', fileName: 'memory-' + index + '.txt' };
				return [{ json: {}, binary }];`,
			),
			e2e.node('Encode', { ...encode, fileSource: 'all' }),
		]);

		expect(execution.error).toBeUndefined();
		expect(encodes()).toHaveLength(1);
		const received = receivedFacts().sort(byName);
		expect(received).toHaveLength(10);
		expect(received.filter(({ name }) => name?.startsWith('stored-'))).toEqual(facts(files));
		expect(received.filter(({ name }) => name?.startsWith('memory-'))).toHaveLength(5);
	});

	it('sends the manifest as a separate part, with the rules', async () => {
		await writeFiles('manifest', { 'contract.pdf': 10 });

		const execution = await e2e.runWorkflow([
			readFiles('Read', 'files/manifest/*'),
			e2e.node('Encode', encode),
		]);

		expect(execution.error).toBeUndefined();
		const [request] = encodes();
		expect(request.parts?.[0]).toMatchObject({ name: 'manifest.json', type: 'application/json' });
		expect(request.body).toEqual({
			container: {
				name: 'A container',
				recipients: ['ada@example.com'],
				downloadable: true,
				password: PASSWORD,
				drm: expect.objectContaining({ dynamic: true, opens: 3 }),
			},
		});
	});

	it('shows neither the API key nor the password in its output or in the log', async () => {
		await writeFiles('secrets', { 'secret.pdf': 10 });

		const execution = await e2e.runWorkflow([
			readFiles('Read', 'files/secrets/*'),
			e2e.node('Encode', encode),
		]);

		expect(execution.error).toBeUndefined();
		const shown = JSON.stringify(execution.runData) + (await e2e.log());
		expect(shown).toContain('A container');
		expect(shown).not.toContain(e2e.sandbox.apiKey);
		expect(shown).not.toContain(PASSWORD);
	});

	it('rejects an invalid recipient before anything is sent', async () => {
		await writeFiles('refused', { 'file.pdf': 10 });

		const execution = await e2e.runWorkflow([
			readFiles('Read', 'files/refused/*'),
			e2e.node('Encode', { ...encode, recipients: 'not an address' }),
		]);

		expect(execution.status).toBe('error');
		expect(execution.error?.message).toContain('not an address');
		expect(encodes()).toHaveLength(0);
	});
});
