import { randomBytes } from 'node:crypto';
import { stat } from 'node:fs/promises';
import type { IBinaryData } from 'n8n-workflow';
import { never, tooManyRequests } from '../../../support/proxy.cts';
import {
	uploadEnvironment,
	filesOf,
	storageModes,
	openFiles,
	pathOf,
	sha256,
	storedFile,
} from '../../support/uploads.cts';

const environment = uploadEnvironment();
const { encode, uploads } = environment;

/** Binary fields with these contents, in this order. */
const fieldsOf = async (
	contents: Buffer[],
	create: (content: Buffer, index: number) => Promise<IBinaryData>,
) =>
	Object.fromEntries(
		await Promise.all(
			contents.map(async (content, index) => [`f${index}`, await create(content, index)]),
		),
	) as Record<string, IBinaryData>;

describe.each(storageModes)('a %s file', (_where, keep) => {
	it.each([0, 1, 65_536, 524_289, 3_000_001])(
		'of %i bytes arrives byte for byte, with its content length',
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
			expect(request.headers.authorization).toBe(`Bearer ${environment.service.apiKey}`);
			const [container] = await environment.service.getContainers();
			expect(items[0].json).toMatchObject({
				org_id: environment.service.userId,
				container: { uuid: container.uuid, name: 'Invoice' },
			});
		},
	);

	it('has a digest, in the order of the files', async () => {
		const contents = [randomBytes(10), Buffer.alloc(0), randomBytes(700_000)];
		const binary = await fieldsOf(contents, async (content, index) =>
			keep(content, `${index}.pdf`),
		);

		const { items } = await encode(binary, {}, { includeFileDigests: true });

		const digests = contents.map((content, index) => ({
			name: `${index}.pdf`,
			size: content.length,
			sha256: sha256(content),
		}));
		expect(items[0].json.files).toEqual(digests);
		expect(filesOf(uploads()[0])).toMatchObject(
			digests.map(({ name: filename, ...others }) => ({ filename, ...others })),
		);
	});

	it('is sent again completely after a rate limit', async () => {
		const content = randomBytes(600_000);
		environment.service.on({ method: 'POST' }, tooManyRequests);

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
	it('can be 250, and at most one is open at a time', async () => {
		const contents = Array.from({ length: 250 }, () => randomBytes(2_000));
		const binary = await fieldsOf(contents, async (content) => storedFile(content, 'a.pdf'));
		let peak = 0;
		const watch = setInterval(() => (peak = Math.max(peak, openFiles().length)), 1);

		const { error } = await encode(binary).finally(() => clearInterval(watch));

		expect(error).toBeUndefined();
		expect(filesOf(uploads()[0]).map(({ sha256: hash }) => hash)).toEqual(contents.map(sha256));
		expect(peak).toBeLessThanOrEqual(2);
	}, 30_000);
});

/** No file stays open after any of these tests. */
describe('an upload that fails', () => {
	const large = async () => ({ data: await storedFile(randomBytes(4_000_000), 'large.pdf') });

	it('follows no redirect', async () => {
		const location = 'https://elsewhere.example.com/login';
		const headers = { location };
		environment.service.on({ method: 'POST' }, async () => ({ status: 307, headers }));

		const { error } = await encode(await large());

		expect(error?.message).toMatch(/redirected the request to another URL/);
		expect(error?.description).toContain(location);
		expect(environment.posts()).toHaveLength(1);
	});

	it('closes its file when the connection breaks, and states the size of the upload', async () => {
		environment.service.on({ method: 'POST' }, async ({ read }) => {
			await read(100_000);
			return 'cut';
		});

		const { error } = await encode(await large());

		expect(error?.message).toMatch(/closed the connection during the upload/);
		expect(error?.description).toMatch(/might have been created: look for "Invoice"/);
	});

	it('closes all files when many uploads are cancelled while they wait', async () => {
		environment.service.on({ method: 'POST', times: Infinity }, never);
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
		expect(environment.posts().length).toBeLessThanOrEqual(3);
	}, 30_000);
});

it("the folder that the tests check for open files is n8n's store", async () => {
	const file = await storedFile(Buffer.from('abc'), 'a.txt');

	expect((await stat(await pathOf(file))).size).toBe(3);
});
