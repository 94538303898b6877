import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Part } from './support/api.cts';
import { BOUNDARY, NAMED, filePart, manifestPart, multipart } from './support/api.cts';
import { useSandbox } from './support/sandbox.cts';

const running = useSandbox();
const FILE = filePart('hello');
const sha256 = (content: string | Buffer) => createHash('sha256').update(content).digest('hex');

it('creates a container from a manifest and files, and records them', async () => {
	const { api, sandbox } = running;
	const manifest = {
		container: {
			name: 'Invoice',
			recipients: ['a@example.com', '*@example.org'],
			downloadable: false,
			password: 'secret',
			drm: {
				dynamic: true,
				geo: { allow: [{ country: 'US' }], block: [{ country: 'FR', city: 'Paris' }] },
				ip: { allow: ['192.168.1.0/24', '10.*.1.*'], block: ['1.2.3.4-1.2.3.9'] },
				opens: 0,
				time: { start: '2026-02-28', end: '2026-02-28' },
			},
		},
	};
	const bytes = Buffer.from([0, 13, 10, 45, 45, 255]);
	const reply = await api.encode([
		manifestPart(manifest),
		filePart(bytes, 'invoice.pdf', 'application/pdf'),
		filePart('', 'empty.bin', 'application/octet-stream'),
	]);
	expect(reply.status).toBe(200);
	const { org_id, container } = reply.json as { org_id: string; container: { uuid: string } };
	expect(org_id).toBe(sandbox.user.id);
	expect(container).toMatchObject({ name: 'Invoice', file_count: 2, size: 6 });
	expect(reply.text).not.toContain('secret');

	const stored = sandbox.state.containers.get(container.uuid);
	expect(stored?.manifest).toEqual(manifest);
	expect(stored?.rules).toEqual({
		...manifest.container.drm,
		downloadable: false,
		recipients: manifest.container.recipients,
	});
	const [received] = sandbox.requests;
	expect(received).toMatchObject({
		method: 'POST',
		operationId: 'encodeFiles',
		status: 200,
		body: manifest,
	});
	expect(received.bytes).toBe(Number(received.headers['content-length']));
	expect(received.parts?.slice(1)).toEqual([
		{
			name: 'file',
			filename: 'invoice.pdf',
			disposition: 'form-data; name="file"; filename="invoice.pdf"',
			type: 'application/pdf',
			size: 6,
			sha256: sha256(bytes),
		},
		expect.objectContaining({ filename: 'empty.bin', size: 0, sha256: sha256('') }),
	]);
});

it.each([
	['beyond ASCII', 'Grüße €.pdf', 'Grüße €.pdf'],
	['quotes and line ends, escaped as forms do', 'a%22b%0D%0Ac.pdf', 'a"b\r\nc.pdf'],
	['quotes, escaped with a backslash', 'a\\"b.pdf', 'a"b.pdf'],
	['semicolons, equal signs and other escapes', 'a; name=x %41%2F.pdf', 'a; name=x %41%2F.pdf'],
	['backslashes', 'a\\b\\', 'a\\b\\'],
	['paths', '../../etc/passwd', '../../etc/passwd'],
])('parses file names with %s', async (_name, sent, parsed) => {
	const { api, sandbox } = running;
	expect((await api.encode([NAMED, filePart('x', sent)])).status).toBe(200);
	expect(sandbox.requests[0].parts?.[1]).toMatchObject({
		filename: parsed,
		disposition: `form-data; name="file"; filename="${sent}"`,
	});
});

it('accepts 250 files with one name, in their order', async () => {
	const { api, sandbox } = running;
	const parts = Array.from({ length: 250 }, (_, index) => filePart(`file ${index}`));
	expect((await api.encode([NAMED, ...parts])).status).toBe(200);
	expect(sandbox.requests[0].parts?.slice(1).map((part) => part.sha256)).toEqual(
		parts.map(({ content }) => sha256(content)),
	);
});

it.each<[string, RegExp, Part[]]>([
	['no manifest', /form.manifest.json is missing/, [FILE]],
	['two manifests', /form.manifest.json must be one part, not 2/, [NAMED, NAMED, FILE]],
	['no file', /form.file is missing/, [NAMED]],
	[
		'an unknown part',
		/form has an unknown key: files/,
		[NAMED, FILE, filePart('', 'b', 'text/plain', 'files')],
	],
	[
		'the manifest under its older name',
		/form has an unknown key: manifest/,
		[manifestPart({}, 'manifest'), FILE],
	],
	[
		'a manifest without its type',
		/form.manifest.json must be of type application\/json/,
		[
			{ head: 'Content-Disposition: form-data; name="manifest.json"', content: NAMED.content },
			FILE,
		],
	],
	[
		'a file without a type',
		/form.file must be of type \*\/\*/,
		[NAMED, { head: 'Content-Disposition: form-data; name="file"; filename="a"', content: '' }],
	],
	[
		'a file without a name',
		/no filename/,
		[
			NAMED,
			{
				head: 'Content-Disposition: form-data; name="file"\r\nContent-Type: text/plain',
				content: '',
			},
		],
	],
	['a part that is not form-data', /not form-data/, [NAMED, FILE, { head: 'X: y', content: '' }]],
	[
		'a manifest that is not JSON',
		/form.manifest.json is not JSON/,
		[manifestPart('{"container":'), FILE],
	],
	['a manifest that is a list', /form.manifest.json must be object/, [manifestPart([]), FILE]],
	['a manifest without container', /manifest.json.container is missing/, [manifestPart({}), FILE]],
	['no name', /manifest.json.container.name is missing/, [manifestPart({ container: {} }), FILE]],
	[
		'an unknown key',
		/manifest.json.container has an unknown key: owner/,
		[manifestPart({ container: { name: 'x', owner: 1 } }), FILE],
	],
])('refuses %s', async (_name, message, parts) => {
	const { api, sandbox } = running;
	const reply = await api.encode(parts);
	expect(reply.status).toBe(400);
	expect(reply.json).toEqual({ code: 'invalid_request', message: expect.stringMatching(message) });
	expect(sandbox.state.containers.size).toBe(0);
});

it.each<[string, Record<string, unknown>]>([
	['a name that is a number', { name: 7 }],
	['a blank name', { name: ' ' }],
	['recipients as a string', { recipients: 'a@example.com' }],
	['a recipient without @', { recipients: ['a@example.com', 'b'] }],
	['a recipient that is null', { recipients: [null] }],
	['downloadable as a string', { downloadable: 'true' }],
	['a password that is a number', { password: 1234 }],
	['rules as an array', { drm: [] }],
])('refuses %s in the manifest', async (_name, fields) => {
	const { api } = running;
	const reply = await api.encode([manifestPart({ container: { name: 'x', ...fields } }), FILE]);
	expect(reply.status).toBe(400);
});

it('refuses a body that is not multipart, has no boundary, or is truncated', async () => {
	const { api, sandbox } = running;
	const path = api.mine('/containers/encode');
	const send = (contentType: string, body: Buffer | string) =>
		api.call('POST', path, { body, headers: { 'content-type': contentType } });
	expect((await send('application/json', '{}')).status).toBe(415);
	expect((await send('multipart/form-data', multipart([NAMED, FILE]))).status).toBe(415);
	const whole = multipart([NAMED, FILE]);
	const type = `multipart/form-data; boundary=${BOUNDARY}`;
	for (const length of [0, 10, 200, whole.length - 20]) {
		expect([length, (await send(type, whole.subarray(0, length))).status]).toEqual([length, 400]);
	}
	expect((await send(type.replace('=', '="') + '"', whole)).status).toBe(200);
	expect(sandbox.state.containers.size).toBe(1);
});

it('accepts the part names of older clients when set', async () => {
	const { api, sandbox } = running;
	Object.assign(sandbox.settings, { manifestPart: 'manifest', filePart: 'files' });
	const manifest = manifestPart({ container: { name: 'x' } }, 'manifest');
	expect((await api.encode([manifest, filePart('', 'a', 'text/plain', 'files')])).status).toBe(200);
	expect((await api.encode([NAMED, FILE])).status).toBe(400);
});

it('accepts the manifests that the settings allow', async () => {
	const { api, sandbox } = running;
	const manifest = { container: { owner: 'x' }, files: { 'a.txt': { hidden: true } } };
	sandbox.settings.requiredManifestFields = [];
	sandbox.settings.unknownManifestFields = 'accept';
	sandbox.settings.defaultDynamic = true;
	expect((await api.encode([manifestPart(manifest), FILE])).status).toBe(200);
	expect([...sandbox.state.containers.values()][0].rules).toEqual({ dynamic: true });
	sandbox.settings.requiredManifestFields = ['name', 'recipients'];
	expect((await api.encode([NAMED, FILE])).text).toContain('container.recipients is missing');
});

it('keeps the bytes when set, for its user alone', async () => {
	const { api, sandbox } = running;
	sandbox.settings.keepFiles = true;
	const bytes = Buffer.alloc(300_000, 'abc');
	await api.encode([NAMED, filePart(bytes), filePart('')]);
	const paths = sandbox.requests[0].parts?.map((part) => part.path as string) ?? [];
	expect((await readFile(paths[1])).equals(bytes)).toBe(true);
	expect(await readFile(paths[2])).toHaveLength(0);
	// Windows has no such modes.
	if (process.platform === 'win32') return;
	const modes = await Promise.all(
		[paths[1], dirname(paths[1])].map(async (path) => (await stat(path)).mode & 0o777),
	);
	expect(modes).toEqual([0o600, 0o700]);
});

it('hashes nothing when set', async () => {
	const { api, sandbox } = running;
	sandbox.settings.hashFiles = false;
	await api.encode([NAMED, FILE]);
	expect(sandbox.requests[0].parts?.[1]).not.toHaveProperty('sha256');
});
