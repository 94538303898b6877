import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { INodeParameters } from 'n8n-workflow';
import { writeRandomFile } from '../../../tools/randomFile.cts';
import { getN8nVersion } from '../../../tools/realN8n/installN8n.cts';
import { buildWorkflow, START, type NodeOptions } from '../../../tools/realN8n/workflow.cts';
import { code, readFiles, type TestEnvironment } from '../support/testEnvironment.cts';

const MEGABYTE = 1024 * 1024;
const PASSWORD = 'correct horse battery staple';

const encode: INodeParameters = {
	resource: 'container',
	operation: 'encode',
	name: 'A container',
	recipients: 'ada@example.com',
	drmRules: { password: PASSWORD },
};

const fact = (name: string, content: string) => ({
	name,
	size: Buffer.byteLength(content),
	sha256: createHash('sha256').update(content).digest('hex'),
});

/** A node whose items each have a file in memory, with this name and content. */
const files = (list: Array<{ name: string; content: string }>): NodeOptions =>
	code(
		'Files',
		`return ${JSON.stringify(list)}.map(({ name, content }) => ({ json: { name }, binary: { data: {
			data: Buffer.from(content).toString('base64'), mimeType: 'text/plain', fileName: name } } }));`,
	);

export function testFiles(test: { e2e: TestEnvironment }): void {
	beforeAll(async () => {
		const folder = join(test.e2e.n8n.files, 'texts');
		await mkdir(folder);
		for (const name of ['a', 'b']) await writeFile(join(folder, `${name}.txt`), `file ${name}`);
	});

	/** The files of each upload. */
	const received = () =>
		test.e2e.sandbox.requests
			.filter(({ path }) => path.endsWith('/encode'))
			.map(({ parts = [] }) =>
				parts
					.filter(({ name }) => name === 'file')
					.map((part) => ({ name: part.filename, size: part.size, sha256: part.sha256 })),
			);
	const receivedNames = () => received().map((list) => list.map(({ name }) => name));

	it('a stored file of 300 MB arrives byte for byte, with little more memory than an empty one', async () => {
		const { n8n, node, sandbox } = test.e2e;
		const sizes = { 'empty.pdf': 0, 'film.mp4': 300 * MEGABYTE };
		const workflows = Object.keys(sizes).map((name) =>
			buildWorkflow([START, readFiles('Read', `files/${name}`), node('Encode', encode)]),
		);
		await n8n.importWorkflows(workflows);
		const memory: number[] = [];
		for (const [index, [name, size]] of Object.entries(sizes).entries()) {
			sandbox.reset();
			const written = await writeRandomFile(join(n8n.files, name), size);

			const execution = await n8n.execute(workflows[index].id);

			expect(execution.error).toBeUndefined();
			expect(execution.binaries('Read')[0].data.id).toEqual(expect.any(String));
			expect(received()).toEqual([[{ name, size, sha256: written.sha256 }]]);
			const { headers, bytes } = sandbox.requests.at(-1) ?? { headers: {}, bytes: 0 };
			expect(headers['content-length']).toBe(String(bytes));
			memory.push(execution.peakMemory ?? 0);
		}
		expect(memory[1] - memory[0]).toBeLessThan(96 * MEGABYTE);
	});

	it('files in memory arrive byte for byte, with their names', async () => {
		const list = [
			{ name: 'Grüße €.txt', content: 'a line of text\n'.repeat(30_000) },
			{ name: 'nothing.txt', content: '' },
		];
		const options = { maxConcurrent: 1 };

		const execution = await test.e2e.runWorkflow([
			files(list),
			test.e2e.node('Encode', { ...encode, options }),
		]);

		expect(execution.error).toBeUndefined();
		expect(execution.binaries('Files')[0].data.id).toBeUndefined();
		expect(received()).toEqual(list.map(({ name, content }) => [fact(name, content)]));
	});

	it('says why a service refuses a large file before it has all of it', async () => {
		const { n8n, node, runWorkflow, sandbox } = test.e2e;
		await writeRandomFile(join(n8n.files, 'refused.bin'), 20_000_000);
		sandbox.faults.add({ kind: 'status', status: 413, method: 'POST', when: 'arrival' });

		const execution = await runWorkflow([
			readFiles('Read', 'files/refused.bin'),
			node('Encode', { ...encode, options: { maxRetries: 0 } }),
		]);

		expect(execution.error?.message).toMatch(/larger than the service accepts/);
		expect(sandbox.state.containers.size).toBe(0);
	});

	it('stored and in-memory files of one item are in one container', async () => {
		const execution = await test.e2e.runWorkflow([
			readFiles('Read', 'files/texts/*'),
			code(
				'Gather',
				`const [a, b] = $input.all();
				return [{ json: {}, binary: { a: a.binary.data, b: b.binary.data, own: {
					data: 'eA==', mimeType: 'text/plain', fileName: 'own.txt' } } }];`,
			),
			test.e2e.node('Encode', { ...encode, fileSource: 'all' }),
		]);

		expect(execution.error).toBeUndefined();
		expect(received()).toEqual([
			[fact('a.txt', 'file a'), fact('b.txt', 'file b'), fact('own.txt', 'x')],
		]);
	});

	it('the files of all items are in one container, whose item is linked to all of them', async () => {
		const name = '=All of {{ $input.first().json.name }}';
		const execution = await test.e2e.runWorkflow([
			files([
				{ name: 'report.txt', content: 'one' },
				{ name: 'report.txt', content: 'two' },
			]),
			test.e2e.node('Encode', { ...encode, containerMode: 'allItems', name }),
		]);

		expect(execution.error).toBeUndefined();
		expect(receivedNames()).toEqual([['report.txt', 'report (2).txt']]);
		const [container] = test.e2e.sandbox.state.containers.values();
		expect(container.name).toBe('All of report.txt');
		const [{ pairedItem }] = execution.items('Encode');
		expect(pairedItem).toEqual([{ item: 0 }, { item: 1 }]);
	});

	it('files are found by reference: an array with a name in it', async () => {
		const binaryPropertyName =
			"={{ [$('Read').last().binary.data, 'own', $('Read').first().binary.data] }}";
		const execution = await test.e2e.runWorkflow([
			readFiles('Read', 'files/texts/*'),
			code(
				'Other',
				`return [{ json: {}, binary: { own: {
					data: 'eA==', mimeType: 'text/plain', fileName: 'own.txt' } } }];`,
			),
			test.e2e.node('Encode', { ...encode, binaryPropertyName }),
		]);

		expect(execution.error).toBeUndefined();
		expect(receivedNames()).toEqual([['b.txt', 'own.txt', 'a.txt']]);
	});

	// n8n 1 does not have this setting.
	const itIn2 = getN8nVersion().name === '1' ? it.skip : it;
	itIn2.each<[string, INodeParameters, string[][]]>([
		['by the name of the field', { binaryPropertyName: 'data' }, [['a.txt'], ['b.txt']]],
		['by their path', { binaryPropertyName: '_files.data' }, [['a.txt'], ['b.txt']]],
		['of all items', { fileSource: 'all', containerMode: 'allItems' }, [['a.txt', 'b.txt']]],
	])('files in the JSON of items (binaryMode combined) are found: %s', async (_how, own, names) => {
		const settings = { executionOrder: 'v1', binaryMode: 'combined' };
		const node = test.e2e.node('Encode', { ...encode, ...own });

		const nodes = [readFiles('Read', 'files/texts/*'), node];
		const execution = await test.e2e.runWorkflow(nodes, { settings });

		expect(execution.error).toBeUndefined();
		expect(execution.json('Read')[0]).toHaveProperty('_files.data.id');
		// Several containers can arrive in any order.
		expect(receivedNames().sort()).toEqual(names);
	});

	it('shows neither the API key nor the password in its output or in the log', async () => {
		const { n8n, node, runWorkflow, sandbox } = test.e2e;
		const execution = await runWorkflow([
			files([{ name: 'secret.pdf', content: 'secret' }]),
			node('Encode', encode),
		]);

		expect(execution.error).toBeUndefined();
		const [{ body }] = sandbox.requests.filter(({ path }) => path.endsWith('/encode'));
		expect(JSON.stringify(body)).toContain(PASSWORD);
		const shown = JSON.stringify(execution.runData) + (await n8n.log());
		expect(shown).toContain('A container');
		expect(shown).not.toContain(sandbox.apiKey);
		expect(shown).not.toContain(PASSWORD);
	});
}
