import { createHash, randomBytes } from 'node:crypto';
import type { IBinaryKeyData, INodeParameters } from 'n8n-workflow';
import { inlineBinary, runNode, storeBinary } from '../support/engine.cts';
import {
	asSent,
	findMissing,
	stacks,
	startStack,
	type RunningStack,
} from './support/startStack.cts';

const user = '/users/u-1';
const RECIPIENT = 'anna@example.com';
const NAME = 'Ångström "42" – 名';
const PASSWORD = 'p"ä\\ and more of it';

interface Received {
	manifest: string;
	files: Array<{ name: string; type: string; size: number; sha256: string }>;
}

const files = {
	pdf: {
		fileName: 'Invoice 2026-0042.pdf',
		mimeType: 'application/pdf',
		content: randomBytes(2_500_000),
	},
	umlauts: {
		fileName: 'Übersicht – 名簿.csv',
		mimeType: 'text/csv',
		content: Buffer.from('é;ü\r\n--\r\n'),
	},
	quotes: {
		fileName: 'a "quoted" name.txt',
		mimeType: 'text/plain',
		content: Buffer.from('"\r\n'),
	},
	percent: { fileName: '100%25 done.txt', mimeType: 'text/plain', content: Buffer.from('%') },
	empty: { fileName: 'empty.txt', mimeType: 'text/plain', content: Buffer.alloc(0) },
};

for (const stack of stacks) {
	const missing = findMissing(stack);
	const suite = missing.length > 0 ? describe.skip : describe;
	const title = missing.length > 0 ? `${stack.name} (missing: ${missing.join(', ')})` : stack.name;

	suite(title, () => {
		let service: RunningStack;
		beforeAll(async () => (service = await startStack(stack)), 120_000);
		afterAll(async () => await service?.stop());

		const run = async (parameters: INodeParameters, binary?: IBinaryKeyData) => {
			const before = (await service.requests()).length;
			const { items, error } = await runNode({
				parameters,
				items: [{ json: {}, ...(binary === undefined ? {} : { binary }) }],
				credentials: { baseUrl: service.baseUrl, apiKey: 'interop-key' },
			});
			const requests = (await service.requests()).slice(before);
			return { items, error, requests };
		};
		const { filePartName, toParsedName = asSent } = stack;
		const options = { userId: 'u-1', ...(filePartName === undefined ? {} : { filePartName }) };
		const encode = async (parameters: INodeParameters, binary?: IBinaryKeyData) =>
			await run(
				{
					resource: 'container',
					operation: 'encode',
					recipients: RECIPIENT,
					options,
					...parameters,
				},
				binary,
			);

		it('receives the names, types and bytes of all files, and the whole manifest', async () => {
			const binary: IBinaryKeyData = {};
			for (const [index, [field, { content, ...details }]] of Object.entries(files).entries()) {
				binary[field] =
					index % 2 === 0 ? await storeBinary(content, details) : inlineBinary(content, details);
			}

			const { items, error, requests } = await encode(
				{ name: NAME, fileSource: 'all', drmRules: { opens: 3, password: PASSWORD } },
				binary,
			);

			expect(error).toBeUndefined();
			const { manifest, files: received } = items[0].json.received as unknown as Received;
			const sent = Object.values(files).map(({ fileName, mimeType, content }) => ({
				name: toParsedName(fileName),
				type: expect.stringContaining(mimeType) as string,
				size: content.length,
				sha256: createHash('sha256').update(content).digest('hex'),
			}));
			// Some parsers write the files at the same time, and list the first to end first.
			expect(received).toHaveLength(sent.length);
			expect(received).toEqual(expect.arrayContaining(sent));
			expect(JSON.parse(manifest)).toEqual({
				container: expect.objectContaining({
					name: NAME,
					recipients: [RECIPIENT],
					// The node redacts what a service echoes; it knows the password only as it was sent.
					password: '[hidden]',
				}) as object,
			});
			expect(requests).toEqual([`POST ${user}/containers/encode`]);
		});

		it('refuses with a status and a reason that reach the user, once', async () => {
			const { error, requests } = await encode({
				name: 'Refused',
				fileSource: 'text',
				textContent: 'confidential',
			});

			expect(error?.message).toContain('The container was refused');
			expect(error?.httpCode).toBe('422');
			expect(requests).toEqual([`POST ${user}/containers/encode`]);
		});

		it('decodes the path of a contact, and its body', async () => {
			const email = "o'brien+news@example.com";
			const { items, error, requests } = await run({
				resource: 'contact',
				operation: 'upsert',
				email,
				dataToSend: 'json',
				bodyJson: '{ "name": "Zoë" }',
				options,
			});

			expect(error).toBeUndefined();
			expect(items).toMatchObject([{ json: { email, name: 'Zoë' } }]);
			expect(requests).toEqual([`PATCH ${user}/contacts/${email}`]);
		});
	});
}
