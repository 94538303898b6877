import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { INodeParameters } from 'n8n-workflow';
import { buildWorkflow, type NodeOptions } from '../../tools/realN8n/workflow.cts';
import { startTestEnvironment, type TestEnvironment } from './support/testEnvironment.cts';
import { writeRandomFile } from '../../tools/randomFile.cts';
import { code, readFiles } from './support/nodes.cts';

const MEGABYTE = 1024 * 1024;
const MANY = 500;
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

const encode = {
	resource: 'container',
	operation: 'encode',
	name: 'A container',
	recipients: 'ada@example.com',
};

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

describe('the content of containers, in the real n8n', () => {
	let e2e: TestEnvironment;
	beforeAll(async () => {
		e2e = await startTestEnvironment();
	});
	beforeEach(() => e2e.sandbox.reset());
	afterAll(async () => await e2e?.stop());

	const uploads = () => e2e.sandbox.requests.filter(({ path }) => path.endsWith('/encode'));
	const received = () =>
		uploads().map(({ parts = [] }) =>
			parts
				.filter(({ name }) => name === 'file')
				.map((part) => ({ name: part.filename, size: part.size, sha256: part.sha256 })),
		);
	const fact = (name: string, content: string) => ({
		name,
		size: Buffer.byteLength(content),
		sha256: sha256(content),
	});
	const containerNames = () => [...e2e.sandbox.state.containers.values()].map(({ name }) => name);

	describe('all items in one container', () => {
		const allItems = {
			...encode,
			containerMode: 'allItems',
			options: { includeFileDigests: true },
		};

		it('sends the files of all items in one request, and links its one item to all of them', async () => {
			const execution = await e2e.runWorkflow([
				files([
					{ name: 'report.txt', content: 'one' },
					{ name: 'Größe.txt', content: 'two' },
					{ name: 'report.txt', content: 'three' },
				]),
				e2e.node('Encode', { ...allItems, name: '=All of {{ $input.first().json.name }}' }),
			]);

			expect(execution.error).toBeUndefined();
			expect(uploads()).toHaveLength(1);
			expect(containerNames()).toEqual(['All of report.txt']);
			const [sent] = received();
			expect(sent).toEqual([
				fact('report.txt', 'one'),
				fact('Größe.txt', 'two'),
				{ ...fact('', 'three'), name: expect.stringMatching(/^report.+\.txt$/) },
			]);
			const output = execution.items('Encode');
			expect(output).toHaveLength(1);
			expect(output[0].json.files).toEqual(sent);
			expect(output[0].pairedItem).toEqual([0, 1, 2].map((item) => ({ item })));
		});

		it('accepts 500 small files, and 500 stored ones of 2 MB with little more memory', async () => {
			const run = async (source: NodeOptions[], parameters: INodeParameters) => {
				e2e.sandbox.reset();
				const start = { name: 'Start', type: 'n8n-nodes-base.manualTrigger' };
				const workflow = buildWorkflow([start, ...source, e2e.node('Encode', parameters)]);
				const execution = await e2e.n8n.run(workflow);
				expect(execution.error).toBeUndefined();
				expect(uploads()).toHaveLength(1);
				expect(execution.json('Encode')).toHaveLength(1);
				return { sent: received()[0], memory: execution.peakMemory ?? 0 };
			};
			const list = Array.from({ length: MANY }, (_, index) => ({
				name: `file-${index}.txt`,
				content: `content of file ${index}`,
			}));
			const large = await writeRandomFile(join(e2e.n8n.files, 'large.bin'), 2 * MEGABYTE);

			const small = await run([files(list)], allItems);
			const stored = await run([readFiles('Read', 'files/large.bin'), copies(MANY)], {
				...allItems,
				options: {},
			});

			expect(small.sent).toEqual(list.map(({ name, content }) => fact(name, content)));
			const { size, sha256: digest } = large;
			expect(stored.sent).toEqual(
				Array.from({ length: MANY }, () => ({
					name: expect.stringMatching(/^large.*\.bin$/),
					size,
					sha256: digest,
				})),
			);
			expect(new Set(stored.sent.map(({ name }) => name)).size).toBe(MANY);
			expect(stored.memory - small.memory).toBeLessThan(96 * MEGABYTE);
		});
	});

	describe('a text as a file', () => {
		it.each([
			['report.csv', 'text/csv'],
			['Bericht für März.md', 'text/markdown'],
		])('is sent as %s', async (name, type) => {
			const text = 'Größe;Preis €\n1;2\n';
			const execution = await e2e.runWorkflow([
				code('Text', `return [{ json: { text: ${JSON.stringify(text)} } }];`),
				e2e.node('Encode', {
					...encode,
					fileSource: 'text',
					textContent: '={{ $json.text }}',
					textFileName: name,
					options: { includeFileDigests: true },
				}),
			]);

			expect(execution.error).toBeUndefined();
			expect(received()).toEqual([[fact(name, text)]]);
			const [, part] = uploads()[0].parts ?? [];
			expect(part.type).toContain(type);
			expect(execution.json('Encode')[0].files).toEqual([fact(name, text)]);
		});
	});

	describe('if a container exists', () => {
		const three = files(
			['one', 'two', 'three'].map((name) => ({ name, content: `content of ${name}` })),
		);
		const named = (ifExists: string): INodeParameters => ({
			...encode,
			name: '={{ $json.name }}',
			options: { ifExists, includeFileDigests: true },
		});

		it('creates no duplicate when Retry On Fail runs the node again', async () => {
			e2e.sandbox.faults.add({ path: /\/encode$/, kind: 'status', status: 422, nth: 3 });

			const execution = await e2e.runWorkflow([
				three,
				e2e.node(
					'Encode',
					{ ...named('reuse'), options: { ifExists: 'reuse', maxConcurrent: 1 } },
					{ retryOnFail: true, maxTries: 2, waitBetweenTries: 10 },
				),
			]);

			expect(execution.error).toBeUndefined();
			expect(uploads().map(({ status }) => status)).toEqual([
				expect.any(Number),
				expect.any(Number),
				422,
				expect.any(Number),
			]);
			expect(containerNames()).toEqual(['one', 'two', 'three']);
			expect(
				execution.items('Encode').map(({ json, pairedItem }) => [json.container, pairedItem]),
			).toEqual(
				['one', 'two', 'three'].map((name, item) => [
					expect.objectContaining({ name }),
					expect.objectContaining({ item }),
				]),
			);
		});

		it('reuses the existing one, and creates one for two items with the same name', async () => {
			const rules = { recipients: ['ada@example.com'] };
			const { uuid } = e2e.sandbox.addContainer({ name: 'one', rules });
			const list = ['one', 'two', 'two'].map((name) => ({ name, content: `content of ${name}` }));

			const execution = await e2e.runWorkflow([files(list), e2e.node('Encode', named('reuse'))]);

			expect(execution.error).toBeUndefined();
			expect(uploads()).toHaveLength(1);
			expect(containerNames()).toEqual(['one', 'two']);
			const output = execution.json('Encode') as Array<{
				container: { uuid: string };
				files: unknown[];
			}>;
			expect(output.map((json) => json.container.uuid)).toEqual([
				uuid,
				output[1].container.uuid,
				output[1].container.uuid,
			]);
			expect(output.map((json) => json.files)).toEqual([[], [fact('two', 'content of two')], []]);
		});

		it('fails with a clear error and sends nothing', async () => {
			e2e.sandbox.addContainer({ name: 'one' });

			const execution = await e2e.runWorkflow([
				files([{ name: 'one', content: 'one' }]),
				e2e.node('Encode', named('fail')),
			]);

			expect(execution.status).toBe('error');
			expect(execution.error?.message).toContain('A container named "one" already exists');
			expect(uploads()).toEqual([]);
		});
	});
});
