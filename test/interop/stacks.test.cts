import { createHash, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { IBinaryKeyData, INodeParameters } from 'n8n-workflow';
import { inlineBinary, runNode, storeBinary } from '../support/engine.cts';
import { findMissing, startStack } from './support/servers.cts';

/** As browsers do, the client sends a quotation mark as %22, and most parsers leave it at that. */
const asSent = (name: string) => name.replaceAll('"', '%22');

interface Stack {
	/** Programs and files without which it can't run. */
	needs: string[];
	command: (port: number) => string[];
	/** The name of the file parts, where the stack keeps only the last of several with one name. */
	filePartName?: string;
	/** What its parser makes of a file's name; by default, `asSent`. */
	toParsedName?: (name: string) => string;
}

const app = (file: string) => join(__dirname, 'apps', file);

/** Debian's own Python, which has Debian's packages. */
const python = '/usr/bin/python3';

const stacks: Record<string, Stack> = {
	PHP: {
		needs: ['php'],
		command: (port) => [
			'php',
			...['upload_max_filesize', 'post_max_size'].flatMap((limit) => ['-d', `${limit}=64M`]),
			...['-S', `127.0.0.1:${port}`, app('app.php')],
		],
		filePartName: 'file[]',
	},
	Django: {
		needs: [python, '/usr/lib/python3/dist-packages/django'],
		command: () => [python, app('djangoApp.py')],
	},
	multer: {
		needs: [],
		command: () => [process.execPath, '--require', 'tsx/cjs', app('multerApp.cts')],
		// Unless its users tell it that names are UTF-8.
		toParsedName: (name) => Buffer.from(name, 'utf8').toString('latin1'),
	},
};

const RECIPIENT = 'anna@example.com';
const NAME = 'Ångström "42" – 名';

const files: Array<[fileName: string, mimeType: string, content: Buffer]> = [
	['Invoice 2026-0042.pdf', 'application/pdf', randomBytes(2_500_000)],
	['Übersicht – 名簿.csv', 'text/csv', Buffer.from('é;ü\r\n--\r\n')],
	['a "quoted" name.txt', 'text/plain', Buffer.from('"\r\n')],
	['100%25 done.txt', 'text/plain', Buffer.from('%')],
	['empty.txt', 'text/plain', Buffer.alloc(0)],
];

describe.each(Object.entries(stacks))('%s', (_name, stack) => {
	const missing = findMissing(stack.needs);
	const test = missing.length > 0 ? it.skip : it;
	const title = (text: string) => (missing.length > 0 ? `${text} (missing: ${missing})` : text);

	let service: Awaited<ReturnType<typeof startStack>>;
	beforeAll(async () => {
		if (missing.length === 0) service = await startStack(stack.command);
	}, 120_000);
	beforeEach(() => service?.requests.splice(0));
	afterAll(async () => await service?.stop());

	const { filePartName, toParsedName = asSent } = stack;
	const run = async (parameters: INodeParameters, binary?: IBinaryKeyData) =>
		await runNode({
			parameters: {
				...parameters,
				options: { userId: 'u-1', ...(filePartName === undefined ? {} : { filePartName }) },
			},
			items: [{ json: {}, ...(binary === undefined ? {} : { binary }) }],
			credentials: { baseUrl: service.baseUrl, apiKey: 'interop-key' },
		});

	test(
		title('receives the names, types and bytes of all files, and the whole manifest'),
		async () => {
			const binary: IBinaryKeyData = {};
			for (const [index, [fileName, mimeType, content]] of files.entries()) {
				const keep = index % 2 === 0 ? storeBinary : inlineBinary;
				binary[`file${index}`] = await keep(content, { fileName, mimeType });
			}

			const { items, error } = await run(
				{
					...{ resource: 'container', operation: 'encode', recipients: RECIPIENT, name: NAME },
					...{ fileSource: 'all', drmRules: { opens: 3, password: 'p"ä\\ and more of it' } },
				},
				binary,
			);

			expect(error).toBeUndefined();
			const received = items[0].json.received as { manifest: string; files: object[] };
			const sent = files.map(([fileName, mimeType, content]) => ({
				name: toParsedName(fileName),
				type: expect.stringContaining(mimeType) as string,
				size: content.length,
				sha256: createHash('sha256').update(content).digest('hex'),
			}));
			// Some parsers write the files at the same time, and list the first to end first.
			expect(received.files).toHaveLength(sent.length);
			expect(received.files).toEqual(expect.arrayContaining(sent));
			// The node redacts what a service echoes; it knows the password only as it was sent.
			const container = { name: NAME, recipients: [RECIPIENT], password: '[hidden]' };
			expect(JSON.parse(received.manifest)).toMatchObject({ container });
			expect(service.requests).toEqual(['POST /api/v1/users/u-1/containers/encode']);
		},
	);

	test(title('decodes the path of a contact, and its body'), async () => {
		const email = "o'brien+news@example.com";
		const { items, error } = await run({
			...{ resource: 'contact', operation: 'upsert', email },
			...{ dataToSend: 'json', bodyJson: '{ "name": "Zoë" }' },
		});

		expect(error).toBeUndefined();
		expect(items).toMatchObject([{ json: { email, name: 'Zoë' } }]);
	});
});
