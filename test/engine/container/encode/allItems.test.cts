import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { inlineBinary } from '../../../support/engine.cts';
import { mockService } from '../../../support/nock.cts';
import { rowsOf } from '../../../support/texts.cts';
import { encode, envelope, path, uploadsTo } from '../../support/encode.cts';
import { expectRefusal, newKey } from '../../support/operations.cts';

const service = mockService();
const { uploads, containerSent, sentFiles } = uploadsTo(service);

const firstId = '={{ $input.first().json.id }}';
const together = { containerMode: 'allItems', fileSource: 'all', name: firstId };
const texts = {
	...{ containerMode: 'allItems', fileSource: 'text', textFileName: '={{ $json.id }}.txt' },
	name: 'Documents',
};
const item = (id: string, ...names: string[]): INodeExecutionData => {
	const files = names.map((fileName, index) => [
		`file${index}`,
		inlineBinary(Buffer.from(`${id} ${fileName}`), { fileName, mimeType: 'text/plain' }),
	]);
	return { json: { id }, binary: Object.fromEntries(files) as INodeExecutionData['binary'] };
};

describe('all items in one container', () => {
	it('are one request with all files, in order, and the manifest that they have in common', async () => {
		service.post(path).reply(200, envelope);

		const recipients = `${firstId}@example.com`;
		const items = [item('A', 'a.txt', 'b.txt'), item('B', 'c.txt'), item('C', 'd.txt')];
		const result = await encode({ ...together, recipients }, {}, { items });

		expect(result.error).toBeUndefined();
		expect(uploads()).toHaveLength(1);
		expect(containerSent()).toMatchObject({ name: 'A', recipients: ['A@example.com'] });
		expect(sentFiles()).toEqual([
			['a.txt', 'A a.txt'],
			['b.txt', 'A b.txt'],
			['c.txt', 'B c.txt'],
			['d.txt', 'C d.txt'],
		]);
		expect(result.items).toMatchObject([
			{ json: envelope, pairedItem: [{ item: 0 }, { item: 1 }, { item: 2 }] },
		]);
	});

	it('can be texts of each item, and have settings that mean the same', async () => {
		service.post(path).reply(200, envelope);
		const people = [['a@x.example', 'b@x.example'], 'B@x.example; A@x.example'];
		const items = people.map((to, index) => ({ json: { id: 'AB'[index], to } }));
		const textContent = '={{ $json.id }} of {{ $itemIndex }}';

		const { error } = await encode(
			{ ...texts, textContent, recipients: '={{ $json.to }}' },
			{},
			{ items },
		);

		expect(error).toBeUndefined();
		expect(containerSent()).toMatchObject({ recipients: ['a@x.example', 'b@x.example'] });
		expect(sentFiles()).toEqual([
			['A.txt', 'A of 0'],
			['B.txt', 'B of 1'],
		]);
	});

	it.each(['stopWorkflow', 'continueRegularOutput', 'continueErrorOutput'] as const)(
		'are not sent when one item is invalid, and the error names it (%s)',
		async (onError) => {
			const items = [item('A', 'a.txt'), { json: { id: 'B' } }, item('C', 'c.txt')];
			const { error, ...outputs } = await encode(together, {}, { items, onError });

			expect(service.requests).toEqual([]);
			const message = expect.stringMatching(/The input has no file \[item 1\]/) as string;
			if (onError === 'stopWorkflow') return expect(error?.message).toEqual(message);
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
		ends: [{ accessEnds: afterDays, accessDays: "={{ $json.value }}" }, [7, 30], '"More Access Rules"']
		capitals in passwords: [{ drmRules: { password: "={{ $json.value }}" } }, [correct horse, Correct Horse], '"Password"']
		settings of files: [{ specifyManifest: json, manifestJson: '={ "container": { "name": "A" }, "files": { "a": {{ $json.value }} } }' }, [1, 2], '"Manifest (JSON)"']
		rules in JSON, which only one has: [{ specifyManifest: json, manifestJson: '={ "container": { "name": "A" {{ $json.value }} } }' }, ["", ', "downloadable": true'], '"More Access Rules"']
		users: [{ options: { userId: "={{ $json.value }}" } }, [user-1, user-2], '"User ID"']
		containers to reuse: [{ options: { ifExists: "={{ $json.value }}" } }, [create, reuse], '"If Container Exists"']
		API keys: [{ ofCredential: true }, [a, b], '"Credential to connect with"']
	`);

	it.each(different)('are not sent when they have different %s', async (_what, row) => {
		const [{ ofCredential, ...parameters }, values, label] = row;
		const items = values.map((value, index) => ({
			json: { id: `I${index}`, value } as IDataObject,
		}));
		const { apiKey } = newKey();
		const credentials = { apiKey: ofCredential ? `=${apiKey}-{{ $json.value }}` : apiKey };
		const running = encode({ ...texts, ...parameters }, {}, { items, credentials });

		await expectRefusal(service, running, label, { item: 1 });
		expect(JSON.stringify((await running).error)).not.toMatch(/horse/);
	});
});
