import type { INodeExecutionData, INodeParameters } from 'n8n-workflow';
import { inlineBinary } from '../../../support/engine.cts';
import { mockService } from '../../../support/nock.cts';
import { uploadsTo, encode, envelope, partsOf, path } from '../../support/encode.cts';
import { inputItemId } from '../../support/parameters.cts';

const service = mockService();
const { uploads, containerSent } = uploadsTo(service);

describe('all items in one container', () => {
	const together: INodeParameters = { containerMode: 'allItems', fileSource: 'all' };
	const item = (id: string, ...names: string[]): INodeExecutionData => ({
		json: { id },
		binary: Object.fromEntries(
			names.map((name, index) => [
				`file${index}`,
				inlineBinary(Buffer.from(`${id} ${name}`), { fileName: name, mimeType: 'text/plain' }),
			]),
		),
	});
	const sentFiles = () =>
		partsOf(uploads()[0].body)
			.slice(1)
			.map(({ head, content }) => [/filename="([^"]*)"/.exec(head)?.[1], content]);

	it('are one request with all files, in order, and the manifest of the first item', async () => {
		service.scope().post(path).reply(200, envelope);

		const { items, error } = await encode(
			{ ...together, recipients: '={{ $json.id }}@example.com' },
			{},
			{ items: [item('A', 'a.txt', 'b.txt'), item('B', 'c.txt'), item('C', 'd.txt')] },
		);

		expect(error).toBeUndefined();
		expect(uploads()).toHaveLength(1);
		expect(containerSent()).toMatchObject({ name: 'A', recipients: ['A@example.com'] });
		expect(sentFiles()).toEqual([
			['a.txt', 'A a.txt'],
			['b.txt', 'A b.txt'],
			['c.txt', 'B c.txt'],
			['d.txt', 'C d.txt'],
		]);
		expect(items).toEqual([
			expect.objectContaining({
				json: envelope,
				pairedItem: [{ item: 0 }, { item: 1 }, { item: 2 }],
			}),
		]);
	});

	it('are linked to their item when there is only one', async () => {
		service.scope().post(path).reply(200, envelope);

		const { items, next } = await encode(
			together,
			{},
			{ items: [item('A', 'a')], next: inputItemId },
		);

		expect(items[0].pairedItem).toEqual({ item: 0 });
		expect(next).toEqual([{ id: 'A' }]);
	});

	it('get distinct names for files of the same name', async () => {
		service.scope().post(path).reply(200, envelope);

		await encode(
			together,
			{},
			{
				items: [
					item('A', 'scan.pdf'),
					item('B', 'scan.pdf', 'Scan.PDF'),
					item('C', 'scan (2).pdf'),
				],
			},
		);

		const names = sentFiles().map(([name]) => String(name));
		expect(names.slice(0, 3)).toEqual(['scan.pdf', 'scan (2).pdf', 'Scan (3).PDF']);
		expect(new Set(names.map((name) => name.toLowerCase())).size).toBe(4);
	});

	it('can be texts, with expressions resolved for each item', async () => {
		service.scope().post(path).reply(200, envelope);

		await encode(
			{
				containerMode: 'allItems',
				fileSource: 'text',
				textContent: '={{ $json.id }} of {{ $itemIndex }}',
				textFileName: '={{ $json.id }}.md',
			},
			{},
			{ items: [{ json: { id: 'A' } }, { json: { id: 'B' } }] },
		);

		expect(sentFiles()).toEqual([
			['A.md', 'A of 0'],
			['B.md', 'B of 1'],
		]);
	});

	it('can have their files in fields that an expression names for each item', async () => {
		service.scope().post(path).reply(200, envelope);

		await encode(
			{
				containerMode: 'allItems',
				fileSource: 'named',
				binaryPropertyName: '={{ $json.id === "A" ? "file1" : "file0" }}',
			},
			{},
			{ items: [item('A', 'a.txt', 'b.txt'), item('B', 'c.txt', 'd.txt')] },
		);

		expect(sentFiles().map(([name]) => name)).toEqual(['b.txt', 'c.txt']);
	});

	it.each(['stopWorkflow', 'continueRegularOutput', 'continueErrorOutput'] as const)(
		'are not sent when one item is invalid, and the error names it (%s)',
		async (onError) => {
			const { error, items, errorItems } = await encode(
				together,
				{},
				{ items: [item('A', 'a.txt'), { json: { id: 'B' } }, item('C', 'c.txt')], onError },
			);

			expect(service.requests).toEqual([]);
			const message = /The input has no file \[item 1\]/;
			if (onError === 'stopWorkflow') {
				expect(error?.message).toMatch(message);
				return;
			}
			const failed = onError === 'continueErrorOutput' ? errorItems : items;
			expect(failed).toHaveLength(1);
			expect(failed[0].json).toMatchObject({ name: 'A', error: expect.stringMatching(message) });
			expect(failed[0].pairedItem).toEqual([{ item: 0 }, { item: 1 }, { item: 2 }]);
		},
	);

	it('create one error item, linked to all of them, when the service rejects them', async () => {
		service.scope().post(path).reply(422, { message: 'Words of the service' });

		const { items } = await encode(
			together,
			{},
			{ items: [item('A', 'a.txt'), item('B', 'b.txt')], onError: 'continueRegularOutput' },
		);

		expect(items).toHaveLength(1);
		expect(items[0].json).toMatchObject({
			name: 'A',
			error: expect.stringContaining('Words of the service'),
		});
		expect(items[0].pairedItem).toEqual([{ item: 0 }, { item: 1 }]);
	});

	it('of 500 items are one request', async () => {
		service.scope().post(path).reply(200, envelope);
		const items = Array.from({ length: 500 }, (_value, index) => item(`I${index}`, 'scan.pdf'));

		const { items: created, error } = await encode(together, {}, { items });

		expect(error).toBeUndefined();
		expect(service.requests).toHaveLength(1);
		expect(sentFiles()).toHaveLength(500);
		expect(new Set(sentFiles().map(([name]) => name)).size).toBe(500);
		expect(created[0].pairedItem).toHaveLength(500);
	}, 30_000);
});
