import { randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { IDataObject } from 'n8n-workflow';
import { readBinary, runNode, type RunNodeOptions } from '../../support/engine.cts';
import { openFiles } from '../../support/host.cts';
import { userFolder } from '../../support/n8nEnvironment.cts';
import { rewrite, tooManyRequests, type Handler, type Reply } from '../../support/proxy.cts';
import { useService } from '../../support/service.cts';
import { runAgent } from '../support/agent.cts';
import { sha256 } from '../support/encode.cts';
import { byId, expectRefusal, findSchemaErrors } from '../support/operations.cts';

const service = useService();

const PASSWORD = 'correct horse battery';
const DECODE = { method: 'POST', path: /\/decode$/ };
const storage = join(userFolder, 'binary-data');

/** Files of n8n's storage, whole or not, without what n8n says of them. */
const listKept = () => {
	const files = readdirSync(storage, { recursive: true, encoding: 'utf8', withFileTypes: true });
	return files.filter((entry) => entry.isFile() && !entry.name.endsWith('.metadata')).length;
};
let kept = 0;
beforeEach(async () => {
	await openFiles();
	kept = listKept();
});

const decode = async (
	containerId: string,
	{ options, ...parameters }: IDataObject = {},
	more: Partial<RunNodeOptions> = {},
) =>
	await runNode({
		credentials: service.credentials,
		...more,
		parameters: {
			...{ resource: 'container', operation: 'decode', ...byId(containerId), ...parameters },
			options: { maxRetries: 0, ...(options as object) },
		} as never,
	});

const contents = { 'a.pdf': randomBytes(1_500_000), 'b, c.PDF': Buffer.alloc(0), 'd.txt': 'text' };
const addFiles = async (files: Record<string, Buffer | string> = contents, password?: string) =>
	await service.addContainer({
		files: Object.entries(files).map(([name, content]) => new File([content], name)),
		password,
	});
const sent = () => service.requests.filter(({ path }) => DECODE.path.test(path));
const nameOf = ({ json }: { json: IDataObject }) => String(json.name);

describe('Download Files', () => {
	it.each(['stored', 'in-memory'])('returns each file byte for byte (%s)', async (where) => {
		const files = await openFiles();
		const mode = files as unknown as { mode: string };
		const usual = mode.mode;
		if (where === 'in-memory') mode.mode = 'default';
		const id = await addFiles();

		const { items, error } = await decode(id).finally(() => (mode.mode = usual));

		expect(error).toBeUndefined();
		const { url } = (await service.getContainers())[0];
		const expected = Object.entries(contents).map(([name, content], file) => ({
			...{ containerId: id, file, name, type: 'application/octet-stream' },
			...{ size: content.length, sha256: sha256(content), link: url },
		}));
		expect(items.map(({ json }) => json)).toEqual(expected);
		expect(findSchemaErrors(expected, 'EncryptedContainers', 'container/decode')).toEqual([]);
		for (const [file, content] of Object.values(contents).entries()) {
			const { data } = items[file].binary!;
			expect((await readBinary(data)).equals(Buffer.from(content))).toBe(true);
			expect(data).toMatchObject({ fileName: Object.keys(contents)[file], bytes: content.length });
			expect(items[file].pairedItem).toEqual({ item: 0 });
		}
		expect(listKept() - kept).toBe(where === 'in-memory' ? 0 : 3);
		const events = (await service.getEvents('container.decode')).filter(
			({ container_id }) => container_id === id,
		);
		expect(events.map(({ detail }) => (detail as IDataObject).file)).toEqual([0, 1, 2]);
	});

	it('puts a file where later nodes find it, also in the JSON (binaryMode combined)', async () => {
		const id = await addFiles({ 'd.txt': 'text' });
		const next = { name: '={{ $json._files.report.fileName }}' };

		const more = { binaryMode: 'combined', next } as const;
		const { next: found, error } = await decode(id, { binaryPropertyName: 'report' }, more);

		expect(error).toBeUndefined();
		expect(found).toEqual([{ name: 'd.txt' }]);
	});

	it.each<[unknown, string[]]>([
		['*.pdf', ['a.pdf', 'b, c.PDF']],
		['D.TXT; ?.pdf', ['a.pdf', 'd.txt']],
		['b, c.pdf', ['b, c.PDF']],
		["={{ ['b, c.*'] }}", ['b, c.PDF']],
		['*.zip', []],
	])('returns only the files that %j names', async (fileNames, names) => {
		const id = await addFiles();

		const { items, error, run } = await decode(id, { fileNames } as IDataObject);

		expect(error).toBeUndefined();
		expect(items.map(nameOf)).toEqual(names);
		expect(sent()).toHaveLength(names.length);
		expect(JSON.stringify(run.hints ?? [])).toMatch(names.length === 0 ? /a\.pdf/ : /^\[\]$/);
	});

	it('says which file is not there, and downloads nothing', async () => {
		const { error } = await decode(await addFiles(), { fileNames: '*.pdf, e.txt' });

		expect(error?.message).toMatch(/The container has no file "e\.txt"/);
		expect(error?.description).toMatch(/"a\.pdf", "b, c\.PDF", "d\.txt"/);
		expect(sent()).toEqual([]);
	});

	it('gives n8n a plain name of a file, whatever its sender calls it', async () => {
		const id = await addFiles({ 'x.txt': 'text' });
		service.on(
			{ method: 'GET', path: /\/containers\// },
			rewrite((container) => {
				const { files, ...rest } = container as { files: IDataObject[] };
				return { ...rest, files: [{ ...files[0], name: '../../etc/\u202Efdp.sh' }] };
			}),
		);

		const { items } = await decode(id);

		expect(items[0].binary?.data.fileName).toBe('fdp.sh');
		expect(items[0].binary?.data.directory).toBeUndefined();
	});
});

describe('a password', () => {
	it.each([
		[undefined, /has a password/, /Enter it in "Password"/],
		['wrong horse battery', /password of the container is wrong/, /five wrong ones/],
	])('that is %s is an error', async (password, message, advice) => {
		const id = await addFiles(contents, PASSWORD);

		const { error, items } = await decode(id, password === undefined ? {} : { password });

		expect([error?.message, items]).toEqual([expect.stringMatching(message), []]);
		expect(error?.description).toMatch(advice);
		expect(error?.description).not.toMatch(/might have made/);
	});

	it.each(['={{ $json.none }}', "={{ '' }}"])(
		'is not needed where the container has none: %s',
		async (password) => {
			const { error, items } = await decode(await addFiles({ 'd.txt': 'text' }), { password });

			expect([error, items.map(nameOf)]).toEqual([undefined, ['d.txt']]);
		},
	);

	it('opens the files, and is shown nowhere', async () => {
		const id = await addFiles({ 'd.txt': 'text' }, PASSWORD);

		const { items, execution } = await decode(id, { password: PASSWORD });

		expect(items.map(nameOf)).toEqual(['d.txt']);
		expect(JSON.stringify(execution.data.resultData.runData)).not.toContain(PASSWORD);
	});

	it('that was wrong too often is not sent again, and holds up nothing else', async () => {
		const id = await addFiles({ 'd.txt': 'text' }, PASSWORD);
		const other = await addFiles({ 'd.txt': 'text' });
		for (let tries = 0; tries < 5; tries += 1) await decode(id, { password: 'wrong' });
		service.requests.length = 0;

		const { error } = await decode(id, { password: PASSWORD, options: { maxRetries: 5 } });

		expect(error?.message).toMatch(/^Too many wrong passwords/);
		expect(sent()).toHaveLength(1);
		expect((await decode(other)).items).toHaveLength(1);
	});
});

const respond =
	(change: (reply: Reply) => Reply | 'cut'): Handler =>
	async (_request, pass) =>
		change(await pass());
/** The first half of a file, and then nothing, or an end. */
const half = (end: 'cut' | 'silence') =>
	respond((reply) => {
		const body = reply.body as Buffer;
		const content = new Readable({ read: () => undefined });
		content.push(body.subarray(0, body.length / 2));
		if (end === 'cut') setTimeout(() => content.destroy(new Error('cut')), 50);
		const headers = { ...reply.headers, 'content-length': String(body.length) };
		return { ...reply, headers, body: content };
	});
const replace = (content: string | Buffer) => respond((reply) => ({ ...reply, body: content }));

describe('a file that does not arrive as it is', () => {
	const text = randomBytes(1_000_000).toString('hex');

	it.each<[string, Handler, RegExp, IDataObject]>([
		['is cut off', half('cut'), /closed the connection before its response/, {}],
		[
			'goes silent',
			half('silence'),
			/did not respond in time \(within 1 s\)/,
			{ responseTimeout: 1 },
		],
		['is too short', replace('te'), /returned 2 bytes instead of 2000000 bytes/, {}],
		['is too long', replace(`${text}t`), /returned more than 2000000 bytes instead of/, {}],
		[
			'is another one',
			replace(text.toUpperCase()),
			/the SHA-256 \w+ instead of the SHA-256 \w+/,
			{},
		],
		['is an HTML page', replace('<html>Sign in</html>'), /returned 20 bytes instead of/, {}],
	])(
		'%s: an error, no item, and nothing in the storage',
		async (_what, handler, message, options) => {
			const id = await addFiles({ 'd.txt': text });
			service.on(DECODE, handler);

			const { error, items } = await decode(id, { options });

			expect(error?.message).toMatch(message);
			expect(items).toEqual([]);
			expect(listKept()).toBe(kept);
		},
	);

	it.each<[string, Handler]>([
		['was cut off', half('cut')],
		['was limited', tooManyRequests],
		['never came', async () => 'cut'],
	])('%s: it is asked for again', async (_what, handler) => {
		const id = await addFiles({ 'd.txt': text });
		service.on(DECODE, handler);

		const { error, items } = await decode(id, { options: { maxRetries: 1 } });

		expect(error).toBeUndefined();
		expect(sent()).toHaveLength(2);
		expect((await readBinary(items[0].binary!.data)).toString()).toBe(text);
		expect(listKept() - kept).toBe(1);
	});

	it('can take longer than Response Timeout, where it goes on', async () => {
		const id = await addFiles({ 'd.txt': text });
		async function* drip(body: Buffer) {
			const length = body.length / 50;
			for (let at = 0; at < body.length; at += length) {
				yield body.subarray(at, at + length);
				await new Promise((resolve) => setTimeout(resolve, 100));
			}
		}
		const drop = respond((reply) => ({
			...reply,
			body: Readable.from(drip(reply.body as Buffer)),
		}));
		service.on(DECODE, drop);

		const { error, items } = await decode(id, { options: { responseTimeout: 4 } });

		expect(error).toBeUndefined();
		expect((await readBinary(items[0].binary!.data)).toString()).toBe(text);
	});

	it('says that n8n can not store it', async () => {
		const full = Object.assign(new Error('ENOSPC: no space left on device, write'), {
			code: 'ENOSPC',
		});
		const store = jest.spyOn(await openFiles(), 'store').mockRejectedValueOnce(full);
		const id = await addFiles({ 'd.txt': text });

		const { error } = await decode(id, { options: { maxRetries: 2 } });

		store.mockRestore();
		expect(error?.message).toMatch(/^n8n can't store the file "d\.txt": ENOSPC/);
		expect(sent()).toHaveLength(1);
	});

	it('ends with the execution', async () => {
		const id = await addFiles({ 'd.txt': text });
		const stop = new AbortController();
		service.on(DECODE, async (request, pass) => {
			setTimeout(() => stop.abort(), 200);
			return await half('silence')(request, pass);
		});

		const { error } = await decode(id, {}, { signal: stop.signal });

		expect(error?.message).toMatch(/canceled/);
		expect(listKept()).toBe(kept);
	});
});

describe('nothing is sent', () => {
	it('where the service can not decode', async () => {
		service.on(
			{ path: /\/me$/ },
			rewrite((user) => ({ ...(user as object), features: ['etag'] })),
		);

		await expectRefusal(service, decode('c-1'), /doesn't give files back/, { advice: /"decode"/ });
	});

	it('where the credential forbids it', async () => {
		const credentials = { ...service.credentials, forbidDecode: true };

		const refused = decode('c-1', {}, { credentials });
		await expectRefusal(service, refused, /credential doesn't allow to download/);
		const nothing = { ...credentials, forbidDecode: '={{ $vars.missing }}' as never };
		await expectRefusal(service, decode('c-1', {}, { credentials: nothing }), /Forbid Decode/);
	});

	it.each(['itself', 'engine'] as const)('for an agent (%s)', async (way) => {
		const parameters = { resource: 'container', operation: 'decode', ...byId('c-1'), options: {} };

		const { results } = await runAgent({ parameters, calls: [{}], way });

		expect(results.flat().join()).toMatch(/An agent can't download files/);
	});
});
