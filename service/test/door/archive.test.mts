import { execFile } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { createReadStream, createWriteStream, readdirSync, readFileSync, statSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { request } from 'undici';
import { findProgram } from '../../../test/support/programs.cts';
import {
	createContainer,
	filePart,
	manifestPart,
	sendForm,
	toForm,
	type Container,
	type ContainerToCreate,
	type Part,
	type ServiceEvent,
} from '../support/api.mts';
import { createFolder, describeService, startService, times } from '../support/service.mts';
import type { Service } from '../support/service.mts';

/** The project `service-archives`: thousands of names, and more than 4 GB. It takes minutes. */
const isFull = Boolean((globalThis as { allArchives?: boolean }).allArchives);

const ADA = 'ada@example.com';
const run = promisify(execFile);
/** Each file in a zip begins with it. */
const FILE_HEADER = 'PK\x03\x04';
/** Without it, unzip writes other letters than those of ASCII as #U00fc. */
const env = { ...process.env, LC_ALL: 'C.UTF-8' };
const maxBuffer = 1e9;

describeService('Download All', () => {
	let service: Service;

	beforeAll(async () => {
		service = await startService({ env: { OWNER_EMAIL: 'olive@example.com' } });
	});

	const open = async (container: Container) => {
		const visitor = service.visit(container);
		const page = await visitor.signIn(ADA);
		return { container, visitor, page };
	};
	const create = async (rules: ContainerToCreate) =>
		await open(await createContainer(service, { recipients: [ADA], ...rules }));
	/** Files that can have the same name. */
	const send = async (parts: Part[]) => {
		const manifest = { container: { name: 'Test', recipients: [ADA] } };
		const { body } = await sendForm(service, [manifestPart(manifest), ...parts]);
		return await open(body.container);
	};
	const download = async ({ visitor, container }: Awaited<ReturnType<typeof open>>) =>
		await visitor.go(`/c/${container.uuid}/files.zip`);
	const listEvents = async ({ uuid }: Container) => {
		const path = `/users/${service.userId}/containers/${uuid}/events`;
		const { body } = await service.api.get<ServiceEvent[]>(path);
		const found = body.filter(({ action }) => action === 'container.download');
		return found.map(({ user, detail }) => [user, (detail as { file?: number }).file]);
	};
	const unzip = async (zip: Buffer | string) => {
		const folder = createFolder();
		const path = typeof zip === 'string' ? zip : join(createFolder(), 'files.zip');
		if (typeof zip !== 'string') await writeFile(path, zip);
		await run(findProgram(['unzip'], ['unzip']), ['-q', path, '-d', folder], { env, maxBuffer });
		const names = readdirSync(folder);
		return { path, folder, names, read: (name: string) => readFileSync(join(folder, name)) };
	};

	it('has all files that can be seen, whole, in a zip whose length is known', async () => {
		const files = {
			'first.txt': 'first',
			'hidden.txt': 'secret',
			'Größe 2025.pdf': randomBytes(200_000),
			'empty.txt': '',
			'写真.png': randomBytes(70_000),
			'last.txt': 'last',
		};
		const settings = { 'hidden.txt': { hidden: true } };
		const opened = await create({ name: 'Belege 1/2025', files, settings });
		expect(opened.page.html).toContain(`href="/c/${opened.container.uuid}/files.zip"`);
		const { status, headers, bytes } = await download(opened);
		expect(status).toBe(200);
		expect(headers).toMatchObject({
			'content-type': 'application/zip',
			'content-length': String(bytes.length),
			'content-disposition': 'attachment; filename="Belege 1_2025.zip"',
			'x-content-type-options': 'nosniff',
			'cache-control': 'no-store',
		});
		const { names, read } = await unzip(bytes);
		const seen = Object.entries(files).filter(([name]) => name !== 'hidden.txt');
		expect(names.sort()).toEqual(seen.map(([name]) => name).sort());
		for (const [name, content] of seen) {
			expect(read(name).equals(Buffer.from(content))).toBe(true);
		}
		expect(bytes.includes('secret')).toBe(false);
		expect(await listEvents(opened.container)).toEqual([[ADA, undefined]]);
	});

	it('keeps names that each system can write into one folder', async () => {
		const names = ['a.txt', 'A.TXT', 'a.txt', 'a (2).txt', 'con.txt', 'nul', '<a>?.txt', 'b. '];
		names.push('.env', '-rf', '`touch x`.txt', `${'長'.repeat(150)}.txt`, `x. ${'y'.repeat(250)}`);
		const opened = await send(names.map((name, index) => filePart(name, `${index}`)));
		const { folder, read } = await unzip((await download(opened)).bytes);
		const written = readdirSync(folder);
		const byContent = new Map(written.map((name) => [Number(read(name)), name]));
		expect(names.map((_, index) => byContent.get(index))).toEqual([
			...['a.txt', 'A (2).TXT', 'a (3).txt', 'a (2) (2).txt', 'con_.txt', 'nul_', '_a_.txt', 'b'],
			...['.env', '-rf', '`touch x`.txt', `${'長'.repeat(76)}.txt`],
			`x_ ${'y'.repeat(77)}`,
		]);
	});

	it.each<[string, ContainerToCreate, number]>([
		['downloads are off', { downloadable: false }, 403],
		['all files are hidden', { settings: { 'note.txt': { hidden: true } } }, 404],
	])('is refused where %s', async (_title, rules, status) => {
		const opened = await create(rules);
		expect(opened.page.html).not.toContain('files.zip');
		expect((await download(opened)).status).toBe(status);
		expect(await listEvents(opened.container)).toEqual([]);
	});

	it('is checked by all rules at each request, and asks whoever is not signed in to do so', async () => {
		const opened = await create({ files: { a: '1', b: '2' }, drm: { dynamic: true } });
		const stranger = service.visit(opened.container);
		const { text } = await stranger.go(`/c/${opened.container.uuid}/files.zip`);
		expect(text).toContain('Sign in to open your files');
		await service.api.patch(`/containers/${opened.container.uuid}/drm`, { recipients: [] });
		const { status, bytes } = await download(opened);
		expect([status, bytes.includes(FILE_HEADER)]).toEqual([403, false]);
	});

	it('of one file is an event, whole or in parts, and showing it is none', async () => {
		const { container, visitor } = await create({
			files: { 'a.txt': 'aaaa', 'b.zip': 'bbbb' },
			types: { 'b.zip': 'application/zip' },
		});
		await visitor.getFile(0);
		expect(await listEvents(container)).toEqual([]);
		await visitor.getFile(0, { download: true });
		await visitor.getFile(0, { download: true });
		await visitor.getFile(0, { download: true, range: 'bytes=2-' });
		// It can't be shown, so that it is sent for download.
		await visitor.getFile(1, { range: 'bytes=1-2' });
		await visitor.getFile(1, { range: 'bytes=3-' });
		await visitor.getFile(1, { range: 'bytes=9-' });
		expect(await listEvents(container)).toEqual([
			[ADA, 0],
			[ADA, 0],
			[ADA, 1],
		]);
	});

	it('that breaks off holds up nobody else', async () => {
		const content = randomBytes(8_000_000);
		const opened = await create({ files: { 'a.bin': content, 'b.bin': content } });
		const cookie = [...opened.visitor.cookies].map((pair) => pair.join('=')).join('; ');
		for (const bytes of [1, 9_000_000]) {
			const { body } = await request(`${opened.container.url}/files.zip`, {
				headers: { cookie },
				dispatcher: service.api.dispatcher,
			});
			let received = 0;
			for await (const chunk of body) {
				received += (chunk as Buffer).length;
				if (received > bytes) break;
			}
		}
		expect((await unzip((await download(opened)).bytes)).names).toHaveLength(2);
		expect(service.getOutput().stderr).not.toMatch(/"level":[56]0/);
	});

	const test7z = async (path: string) => {
		const { stdout } = await run(findProgram(['7z', '7zz'], ['p7zip-full']), ['t', path], {
			env,
			maxBuffer,
		});
		return stdout;
	};

	(isFull ? it : it.skip)('of 2,000 odd names are 2,000 files, for unzip and 7z', async () => {
		// Without a semicolon: unzip takes what follows it for a version, as VMS has them.
		const alphabet = [
			...'aAbÄä éñ漢字👍🏽ß.:/\\*?"<>|-_~$%\'\u0301\u200d\u00a0\u202e()[]{}#&+=@^`!ıİſ',
		];
		const word = fc.string({ unit: fc.constantFrom(...alphabet), minLength: 1, maxLength: 90 });
		const endings = ['.pdf', '.PDF', '', '.tar.gz', '.', ' ', '.docx '];
		const reserved = ['con', 'AUX.txt', 'Lpt1', 'com¹.log', '...', '~', '.DS_Store'];
		const name = fc.oneof(
			{ weight: 8, arbitrary: fc.tuple(word, fc.constantFrom(...endings)).map((a) => a.join('')) },
			fc.constantFrom(...reserved),
		);
		const named = fc
			.sample(name, 2000)
			.map((text) => text.replace(/["\\/]/g, "'"))
			.map((text) => (/^\.\.?$/.test(text) ? 'x' : text));
		const opened = await send(named.map((text, index) => filePart(text, `${index}`)));
		const { bytes, headers } = await download(opened);
		expect(headers['content-length']).toBe(String(bytes.length));
		const { path, names, read } = await unzip(bytes);
		expect(names.map((text) => Number(read(text))).sort((a, b) => a - b)).toEqual(
			times(2000, (n) => n),
		);
		const folded = new Set(names.map((text) => text.normalize('NFC').toLowerCase()));
		expect(folded.size).toBe(2000);
		const forbidden = /[<>:"/\\|?*\p{Cc}]|[. ]$|^(con|prn|aux|nul|com[\d¹²³]|lpt[\d¹²³])(\.|$)/iu;
		expect(names.filter((text) => forbidden.test(text) || Buffer.byteLength(text) > 255)).toEqual(
			[],
		);
		expect(await test7z(path)).toContain('Files: 2000');
	});

	(isFull ? it : it.skip)(
		'of more than 4 GB opens with unzip and 7z',
		async () => {
			const size = 4_300_000_000;
			const chunk = randomBytes(1_000_000);
			const body = new PassThrough();
			const sent = sendStream(body);
			const manifest = manifestPart({ container: { name: 'Large', recipients: [ADA] } });
			const form = toForm([manifest, filePart('small.txt', 'x'), filePart('large.bin', '')]);
			const end = Buffer.from('\r\n--boundary--\r\n');
			const last = toForm([filePart('after.txt', 'after')]);
			async function* generate() {
				yield form.subarray(0, -end.length);
				for (let n = 0; n < size / chunk.length; n++) yield chunk;
				yield Buffer.from('\r\n');
				yield last;
			}
			await pipeline(Readable.from(generate()), body);
			const { container } = (await sent).body;
			const opened = await open(container);
			const path = join(createFolder(), 'files.zip');
			const cookie = [...opened.visitor.cookies].map((pair) => pair.join('=')).join('; ');
			const response = await request(`${container.url}/files.zip`, {
				headers: { cookie },
				dispatcher: service.api.dispatcher,
			});
			await pipeline(response.body, createWriteStream(path));
			expect(response.headers['content-length']).toBe(String(statSync(path).size));
			await run(findProgram(['unzip'], ['unzip']), ['-tq', path], { env, maxBuffer });
			expect(await test7z(path)).toContain('Files: 3');
			const expected = createHash('sha256');
			for (let n = 0; n < size / chunk.length; n++) expected.update(chunk);
			const { folder } = await unzip(path);
			const found = createHash('sha256');
			await pipeline(createReadStream(join(folder, 'large.bin')), found);
			expect(found.digest('hex')).toBe(expected.digest('hex'));
			expect(readFileSync(join(folder, 'after.txt'), 'utf8')).toBe('after');
		},
		1_800_000,
	);

	const sendStream = async (body: PassThrough) =>
		await service.api.send<{ container: Container }>(
			'POST',
			`/users/${service.userId}/containers/encode`,
			{ body, headers: { 'content-type': 'multipart/form-data; boundary=boundary' } },
		);
});
