import { randomBytes } from 'node:crypto';
import { stat } from 'node:fs/promises';
import type { IBinaryData } from 'n8n-workflow';
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

/** What the sandbox received, in the form of the option Include File Digests. */
const sentDigests = () =>
	filesOf(uploads()[0]).map(({ filename, size, sha256: hash }) => ({
		name: filename,
		size,
		sha256: hash,
	}));

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
			expect(request.headers.authorization).toBe(`Bearer ${environment.sandbox.apiKey}`);
			const [container] = environment.sandbox.state.containers.values();
			expect(items[0].json).toMatchObject({
				org_id: environment.sandbox.user.id,
				container: { uuid: container.uuid, name: 'Invoice' },
			});
		},
	);

	it.each([
		['letters beyond ASCII', 'Grüße €, 請求書 📦.pdf', 'Grüße €, 請求書 📦.pdf'],
		['quotes and semicolons', 'the "final"; filename="b".pdf', 'the "final"; filename="b".pdf'],
		['line breaks', 'a\r\nContent-Type: text-html\r\n\r\nb.pdf', 'aContent-Type: text-htmlb.pdf'],
		['a folder of Windows', 'C:\\temp\\a.pdf', 'a.pdf'],
		['percent signs', '100%22 %0D.pdf', '100" \r.pdf'],
		['only a parent folder', '..', 'data.pdf'],
		['2,000 characters', `${'a'.repeat(2000)}.pdf`, `${'a'.repeat(251)}.pdf`],
	])(
		'has a name that parsers keep, and the body keeps its parts: %s',
		async (_what, fileName, sent) => {
			const content = randomBytes(100);

			const { error } = await encode({
				data: { ...(await keep(content, fileName)), fileExtension: 'pdf' },
			});

			expect(error).toBeUndefined();
			expect(uploads()[0].parts).toHaveLength(2);
			// Quotes can only be sent as %22. The same sequences in a name look identical.
			expect(filesOf(uploads()[0])).toEqual([
				expect.objectContaining({
					filename: sent,
					type: 'application/pdf',
					sha256: sha256(content),
				}),
			]);
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
		expect(sentDigests()).toEqual(digests);
	});

	it('is sent again completely after a rate limit', async () => {
		const content = randomBytes(600_000);
		environment.sandbox.faults.add({
			kind: 'status',
			status: 429,
			method: 'POST',
			headers: { 'retry-after': '0' },
		});

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

it("the folder that the tests check for open files is n8n's store", async () => {
	const file = await storedFile(Buffer.from('abc'), 'a.txt');

	expect((await stat(await pathOf(file))).size).toBe(3);
});
