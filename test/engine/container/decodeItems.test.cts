import { randomBytes } from 'node:crypto';
import { createRequire } from 'node:module';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { BinaryDataBlobManager } from 'n8n-core';
import { readBinary, runNode, type RunNodeOptions } from '../../support/engine.cts';
import { openFiles } from '../../support/host.cts';
import { refuse, rewrite } from '../../support/proxy.cts';
import { useService } from '../../support/service.cts';
import { itemsWith, tries } from '../support/operations.cts';

interface Bucket {
	put(key: string, content: Buffer): Promise<void>;
	get(key: string): Promise<Buffer | undefined>;
}
const { S3ByteStore } = createRequire(require.resolve('n8n-core'))('@n8n/blob-storage') as {
	S3ByteStore: new (bucket: Bucket) => object;
};

const service = useService();

const DECODE = { method: 'POST', path: /\/decode$/ };
const sent = () => service.requests.filter(({ path }) => DECODE.path.test(path));

/** Downloads the files of the containers in the field `id` of the items. */
const decodeAll = async (ids: string[], more: Partial<RunNodeOptions> = {}) => {
	const containerId = { __rl: true, mode: 'id', value: '={{ $json.id }}' };
	const options = { maxRetries: 0, maxConcurrent: 1 };
	const parameters: INodeParameters = { resource: 'container', operation: 'decode', options };
	const { credentials } = service;
	const items = itemsWith(...ids);
	return await runNode({ credentials, parameters: { ...parameters, containerId }, items, ...more });
};
const addFile = async (content: Buffer | string) =>
	await service.addContainer({ files: [new File([content], 'a.txt')] });
type Result = Awaited<ReturnType<typeof decodeAll>>;
const readAll = async ({ items }: Result) =>
	await Promise.all(
		items.map(async ({ binary }) => binary && String(await readBinary(binary.data))),
	);

describe('Download Files for several items', () => {
	it('goes on after a container that is gone, and says which one (On Error: Continue)', async () => {
		const ids = [await addFile('1'), await addFile('2'), await addFile('3')];
		await service.deleteContainer(ids[1]);

		const run = await decodeAll(ids, { onError: 'continueRegularOutput' });

		expect(run.error).toBeUndefined();
		expect(await readAll(run)).toEqual(['1', undefined, '3']);
		expect(run.items.map(({ json }) => json.containerId)).toEqual(ids);
		expect(run.items[1].json.error).toMatch(/container .* was not found/);
		expect(run.items.map(({ pairedItem }) => pairedItem)).toEqual(
			ids.map((_id, item) => ({ item })),
		);
	});

	it('downloads nothing twice with Retry On Fail', async () => {
		const ids = [await addFile('1'), await addFile('2')];
		service.on(DECODE, async (_request, pass) => await pass());
		service.on(DECODE, refuse(500, 'Words of the service'));

		const run = await decodeAll(ids, tries);

		expect(run.error).toBeUndefined();
		expect(await readAll(run)).toEqual(['1', '2']);
		expect(sent()).toHaveLength(3);
	});

	it('returns each file of an unknown sender by itself, also where two have one name, or an odd one', async () => {
		const names = ['a.txt', 'a.txt', '../../a.txt', `${'x'.repeat(300)}.txt`, '..', '\u202E\u0007'];
		const contents = names.map((_name, file) => `content ${file}`);
		const id = await service.addContainer({
			files: contents.map((content, file) => new File([content], `${file}.txt`)),
		});
		const rename = (file: IDataObject, index: number) => ({ ...file, name: names[index] });
		service.on(
			{ method: 'GET', path: /\/containers\// },
			rewrite((container) => {
				const { files, ...rest } = container as { files: IDataObject[] };
				return { ...rest, files: files.map(rename) };
			}),
		);

		const run = await decodeAll([id]);

		expect(run.error).toBeUndefined();
		expect(await readAll(run)).toEqual(contents);
		expect(run.items.map(({ binary }) => binary?.data.fileName)).toEqual([
			...['a.txt', 'a.txt', 'a.txt', names[3], 'file-4', 'file-5'],
		]);
		expect(run.items.map(({ binary }) => binary?.data.directory)).toEqual(
			names.map(() => undefined),
		);
	});
});

/** What n8n keeps in a bucket, which needs a license: n8n's code, and a map in place of the bucket. */
async function addBucket() {
	const objects = new Map<string, Buffer>();
	const store = new S3ByteStore({
		put: async (key, content) => void objects.set(key, content),
		get: async (key) => objects.get(key),
	});
	const files = await openFiles();
	files.setManager('s3', new BinaryDataBlobManager(store as never, {} as never));
	return objects;
}

it.each(['default', 'filesystem', 's3'])(
	'returns nothing of a file that is cut off or another one, in the binary mode %s',
	async (mode) => {
		const files = (await openFiles()) as unknown as { mode: string };
		const usual = files.mode;
		const objects = await addBucket();
		const content = randomBytes(1_000_000);
		const ids = [await addFile(content), await addFile(content), await addFile('whole')];
		const changed = Buffer.from(content).fill(0, 500_000);
		for (const body of [content.subarray(0, 500_000), changed]) {
			service.on(DECODE, async (_request, pass) => ({ ...(await pass()), body }));
		}

		files.mode = mode;
		const running = decodeAll(ids, { onError: 'continueRegularOutput' });
		const run = await running.finally(() => (files.mode = usual));

		expect(run.items.map(({ json }) => json.error ?? json.name)).toEqual([
			expect.stringMatching(/returned 500000 bytes instead of 1000000 bytes/),
			expect.stringMatching(/a file with the SHA-256 \w+ instead of/),
			'a.txt',
		]);
		expect(await readAll(run)).toEqual([undefined, undefined, 'whole']);
		expect([...objects.values()].map(String)).toEqual(mode === 's3' ? ['whole'] : []);
	},
);
