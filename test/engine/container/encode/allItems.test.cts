import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { inlineBinary } from '../../../support/engine.cts';
import { mockService } from '../../../support/nock.cts';
import { rowsOf } from '../../../support/texts.cts';
import { encode, envelope, path, uploadsTo } from '../../support/encode.cts';
import { itemsWith, newKey, outputOf } from '../../support/operations.cts';

const service = mockService();
const { uploads, containerSent, sentFiles } = uploadsTo(service);

const firstId = '={{ $input.first().json.id }}';
const together = { containerMode: 'allItems', fileSource: 'all', name: firstId };
const texts = {
	containerMode: 'allItems',
	fileSource: 'text',
	textFileName: '={{ $json.id }}.txt',
	name: 'Documents',
};
const item = (id: string, ...names: string[]): INodeExecutionData => ({
	json: { id },
	binary: Object.fromEntries(
		names.map((name, index) => [
			`file${index}`,
			inlineBinary(Buffer.from(`${id} ${name}`), { fileName: name, mimeType: 'text/plain' }),
		]),
	),
});

describe('all items in one container', () => {
	it('are one request with all files, in order, and the manifest that they have in common', async () => {
		service.post(path).reply(200, envelope);

		const { items, error } = await encode(
			{ ...together, recipients: '={{ $input.first().json.id }}@example.com' },
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
				json: expect.objectContaining(envelope),
				pairedItem: [{ item: 0 }, { item: 1 }, { item: 2 }],
			}),
		]);
	});

	it('can be texts, with expressions resolved for each item', async () => {
		service.post(path).reply(200, envelope);

		const textContent = '={{ $json.id }} of {{ $itemIndex }}';
		await encode({ ...texts, textContent }, {}, { items: itemsWith('A', 'B') });

		expect(sentFiles()).toEqual([
			['A.txt', 'A of 0'],
			['B.txt', 'B of 1'],
		]);
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
			if (onError === 'stopWorkflow') return expect(error?.message).toMatch(message);
			const failed = onError === 'continueErrorOutput' ? errorItems : items;
			expect(failed).toEqual([
				expect.objectContaining({
					json: expect.objectContaining({ name: 'A', error: expect.stringMatching(message) }),
					pairedItem: [{ item: 0 }, { item: 1 }, { item: 2 }],
				}),
			]);
		},
	);

	/** Parameters, what `$json.value` is in each item, and what the error says then. */
	const different = rowsOf<[IDataObject, unknown[], string]>(`
		names: [{ name: "={{ $json.value }}" }, [A, A, B], '"Container Name" of item 2 differs from that of item 0']
		recipients: [{ recipients: "={{ $json.value }}" }, [a@x.example, b@x.example, a@x.example], '"Recipients" of item 1']
		ends: [{ accessEnds: afterDays, accessDays: "={{ $json.value }}" }, [7, 30], '"More Access Rules" of item 1']
		capitals in passwords: [{ drmRules: { password: "={{ $json.value }}" } }, [correct horse, Correct Horse], '"Password" of item 1']
		settings of files: [{ specifyManifest: json, manifestJson: '={ "container": { "name": "A" }, "files": { "a": {{ $json.value }} } }' }, [1, 2], '"Manifest (JSON)" of item 1']
		rules in JSON, which only one has: [{ specifyManifest: json, manifestJson: '={ "container": { "name": "A" {{ $json.value }} } }' }, ["", ', "downloadable": true'], '"More Access Rules" of item 1']
	`);

	it.each(different)('are not sent when they have different %s', async (_what, row) => {
		const [parameters, values, message] = row;
		const items = values.map((value, index) => ({
			json: { id: `I${index}`, value } as IDataObject,
		}));

		const { error } = await encode({ ...texts, ...parameters }, {}, { items });

		expect(error?.message).toContain(message);
		expect(error?.message).toMatch(/\[item [1-9]\d*\]$/);
		expect(JSON.stringify([error?.message, error?.description])).not.toMatch(/horse/);
		expect(service.requests).toEqual([]);
	});

	it.each<[string, IDataObject, object]>([
		['User ID', { userId: '={{ $json.id }}' }, {}],
		['If Container Exists', { ifExists: '={{ $json.id === "A" ? "create" : "reuse" }}' }, {}],
		['Credential to connect with', {}, { apiKey: '={{ "key of " + $json.id }}' }],
	])('are not sent when they have another "%s"', async (label, options, more) => {
		const credentials = { ...newKey(), ...more };
		const { error } = await encode({ ...texts, textContent: 'x' }, options, {
			credentials,
			items: itemsWith('A', 'B'),
		});

		expect(error?.message).toMatch(`"${label}" of item 1 differs from that of item 0`);
		expect(service.requests).toEqual([]);
	});

	it('are sent when they mean the same', async () => {
		service.post(path).reply(200, envelope);

		await outputOf(
			encode(
				{
					...texts,
					name: '={{ $json.name }}',
					recipients: '={{ $json.to }}',
					drmRules: { geoAllow: '={{ ["CH", "DE"] }}', password: '={{ $json.name }}' },
				},
				{},
				{
					items: [
						{ json: { id: 'a', name: 'Documents', to: ['a@x.example', 'b@x.example'] } },
						{ json: { id: 'b', name: 'Documents', to: 'B@x.example; A@x.example' } },
					],
				},
			),
		);

		expect(containerSent()).toMatchObject({
			name: 'Documents',
			recipients: ['a@x.example', 'b@x.example'],
		});
	});
});
