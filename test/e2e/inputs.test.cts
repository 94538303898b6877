import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { INodeParameters } from 'n8n-workflow';
import type { Execution } from '../../tools/realN8n/execution.cts';
import { getN8nVersion } from '../../tools/realN8n/versions.cts';
import { buildWorkflow, type NodeOptions } from '../../tools/realN8n/workflow.cts';
import { code, readFiles } from './support/nodes.cts';
import { startTestEnvironment, type TestEnvironment } from './support/testEnvironment.cts';

const encode: INodeParameters = {
	resource: 'container',
	operation: 'encode',
	name: 'A container',
	recipients: 'ada@example.com',
	options: { maxRetries: 0, maxConcurrent: 1 },
};
const text: INodeParameters = { ...encode, fileSource: 'text', textContent: 'confidential' };

describe('what users enter, in the real n8n', () => {
	let e2e: TestEnvironment;
	beforeAll(async () => {
		e2e = await startTestEnvironment();
		await mkdir(join(e2e.n8n.files, 'inputs'));
		await writeFile(join(e2e.n8n.files, 'inputs', 'a.txt'), 'file a');
		await writeFile(join(e2e.n8n.files, 'inputs', 'b.txt'), 'file b');
	});
	beforeEach(() => e2e.sandbox.reset());
	afterAll(async () => await e2e?.stop());

	const sentNames = () =>
		e2e.sandbox.requests
			.filter(({ path }) => path.endsWith('/encode'))
			.map(({ parts = [] }) => parts.slice(1).map(({ filename }) => filename));
	const items = (values: unknown[]) =>
		code('Items', `return ${JSON.stringify(values)}.map((value) => ({ json: { value } }));`);
	const runCombined = async (nodes: NodeOptions[]): Promise<Execution> => {
		const start = { name: 'Start', type: 'n8n-nodes-base.manualTrigger' };
		const settings = { executionOrder: 'v1', binaryMode: 'combined' };
		const id = await e2e.server.createWorkflow(buildWorkflow([start, ...nodes], { settings }));
		return await e2e.server.runWorkflow(id, start.name);
	};

	describe('files by reference', () => {
		it.each([
			['one', "={{ $('Read').first().binary.data }}", ['a.txt']],
			[
				'an array with a name in it',
				"={{ [$('Read').last().binary.data, 'own', $('Read').first().binary.data] }}",
				['b.txt', 'own.txt', 'a.txt'],
			],
		])('are sent: %s', async (_what, binaryPropertyName, names) => {
			const execution = await e2e.runWorkflow([
				readFiles('Read', 'files/inputs/*'),
				code(
					'Other',
					`return [{ json: {}, binary: { own: {
						data: 'eA==', mimeType: 'text/plain', fileName: 'own.txt' } } }];`,
				),
				e2e.node('Encode', { ...encode, binaryPropertyName }),
			]);

			expect(execution.error).toBeUndefined();
			expect(sentNames()).toEqual([names]);
		});

		it('are sent in one container for all items', async () => {
			const execution = await e2e.runWorkflow([
				readFiles('Read', 'files/inputs/*'),
				e2e.node('Encode', {
					...encode,
					containerMode: 'allItems',
					binaryPropertyName: "={{ [$('Read').item.binary.data, 'data'] }}",
				}),
			]);

			expect(execution.error).toBeUndefined();
			expect(sentNames()).toEqual([['a.txt', 'a (2).txt', 'b.txt', 'b (2).txt']]);
		});
	});

	describe('files in the JSON of items (binaryMode combined)', () => {
		// n8n 1 does not have this setting.
		if (getN8nVersion().name === '1') return;
		it.each<[string, INodeParameters, string[][]]>([
			['by the name of the field', { binaryPropertyName: 'data' }, [['a.txt'], ['b.txt']]],
			['by their path', { binaryPropertyName: '_files.data' }, [['a.txt'], ['b.txt']]],
			['all of them', { fileSource: 'all' }, [['a.txt'], ['b.txt']]],
			['of all items', { fileSource: 'all', containerMode: 'allItems' }, [['a.txt', 'b.txt']]],
		])('are found: %s', async (_how, parameters, names) => {
			const execution = await runCombined([
				readFiles('Read', 'files/inputs/*'),
				e2e.node('Encode', { ...encode, ...parameters }),
			]);

			expect(execution.error).toBeUndefined();
			expect(execution.binaries('Read')).toEqual([{}, {}]);
			expect(execution.json('Read')[0]).toHaveProperty('_files.data.id');
			// Several containers can arrive in any order.
			expect(sentNames().sort()).toEqual(names);
		});
	});

	it('are files whose names and types all parsers keep', async () => {
		const names = ['C:\\temp\\a.txt\\', 'a\u2028b.txt', 'dir/ab.txt', `${'x'.repeat(300)}.txt`];
		const execution = await e2e.runWorkflow([
			code(
				'Make',
				`const binary = {};
				for (const [index, fileName] of ${JSON.stringify(names)}.entries()) {
					binary['f' + index] = { data: 'eHh4\\neHh4', mimeType: 'multipart/mixed; boundary=x', fileName };
				}
				return [{ json: {}, binary }];`,
			),
			e2e.node('Encode', { ...encode, fileSource: 'all' }),
		]);

		expect(execution.error).toBeUndefined();
		expect(sentNames()).toEqual([['a.txt', 'ab.txt', 'ab (2).txt', `${'x'.repeat(251)}.txt`]]);
		const files = e2e.sandbox.requests.flatMap(({ parts = [] }) => parts.slice(1));
		for (const { type, size } of files) {
			expect({ type, size }).toEqual({ type: 'application/octet-stream', size: 6 });
		}
	});

	describe('expressions', () => {
		const value = '={{ $json.value }}';
		const onDate = { accessEnds: 'onDate' };
		const unusable = [null, '', [], [''], { a: 1 }, [null]];

		it.each<[string, INodeParameters, unknown[]]>([
			['Recipients', { recipients: value }, unusable],
			['Container Name', { name: value }, unusable],
			['Text', { textContent: value }, [null, '']],
			['Available Until', { ...onDate, timeEnd: value }, [...unusable, 5, '12/31/2026']],
			['Allow Changes Later', { dynamic: value }, [...unusable, 1]],
			['User ID', { options: { userId: value } }, [...unusable, true]],
			['If Container Exists', { options: { ifExists: value } }, [...unusable, 'merge']],
			['Include File Digests', { options: { includeFileDigests: value } }, [...unusable, 1]],
			['Password', { drmRules: { password: value } }, unusable],
		])('that return nothing usable are refused by name: %s', async (label, parameters, values) => {
			const execution = await e2e.runWorkflow([
				items([...values, undefined]),
				e2e.node('Encode', { ...text, ...parameters }, { onError: 'continueRegularOutput' }),
			]);

			expect(execution.error).toBeUndefined();
			const errors = execution.json('Encode').map(({ error }) => String(error));
			expect(errors).toHaveLength(values.length + 1);
			for (const error of errors) expect(error).toContain(`"${label}"`);
			expect(e2e.sandbox.requests).toEqual([]);
		});

		it('that return what is clear are accepted', async () => {
			const values = [
				'["ada@example.com"]',
				['ada@example.com'],
				'"ada@example.com"',
				'mailto:ada@example.com',
				'ada@example.com;',
				{ email: 'ada@example.com' },
				[{ email: 'ada@example.com', name: 'Ada' }],
			];
			const execution = await e2e.runWorkflow([
				items(values),
				e2e.node('Encode', {
					...text,
					name: '={{ $itemIndex }}',
					recipients: value,
					downloadable: '={{ "True" }}',
					...onDate,
					timeEnd: '={{ $now.plus({ days: 30 }) }}',
					dynamic: '={{ "False" }}',
					drmRules: { opens: '={{ "3" }}' },
				}),
			]);

			expect(execution.error).toBeUndefined();
			const sent = e2e.sandbox.requests.flatMap(({ path, body }) =>
				path.endsWith('/encode') ? [(body as { container: object }).container] : [],
			);
			expect(sent).toEqual(
				values.map((_value, index) => ({
					name: String(index),
					recipients: ['ada@example.com'],
					downloadable: true,
					drm: {
						dynamic: false,
						opens: 3,
						time: { end: expect.stringMatching(/^\d{4}-\d{2}-\d{2}$/) },
					},
				})),
			);
		});

		it('that return "false" for Return All keep the limit', async () => {
			const execution = await e2e.runWorkflow([
				items(['false', 'False', 'no']),
				e2e.node(
					'List',
					{ resource: 'contact', operation: 'getAll', returnAll: value, limit: 1 },
					{ onError: 'continueRegularOutput' },
				),
			]);

			expect(execution.error).toBeUndefined();
			expect(JSON.stringify(execution.json('List'))).toContain(
				'\\"Return All\\" must be true or false',
			);
			expect(e2e.sandbox.requests.filter(({ path }) => path.endsWith('/contacts'))).toHaveLength(2);
		});
	});

	it('auto-maps all fields but the one that the address came from', async () => {
		const execution = await e2e.runWorkflow([
			code(
				'Person',
				`return [{ json: { mail: 'ada@example.com', login: 'ada@example.com', reply_to: 'ada@example.com' } }];`,
			),
			e2e.node('Contact', {
				resource: 'contact',
				operation: 'upsert',
				email: '={{ $json.mail }}',
				dataToSend: 'autoMapInputData',
			}),
		]);

		expect(execution.error).toBeUndefined();
		const patches = e2e.sandbox.requests.filter(({ method }) => method === 'PATCH');
		expect(patches.map(({ body }) => body)).toEqual([
			{ login: 'ada@example.com', reply_to: 'ada@example.com' },
		]);
	});
});
