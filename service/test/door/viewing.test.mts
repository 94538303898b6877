import { randomBytes } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { deflateSync } from 'node:zlib';
import { request, type Dispatcher } from 'undici';
import { openDatabase } from '../../src/database/open.mts';
import { createContainer, type ContainerToCreate, type ServiceEvent } from '../support/api.mts';
import { createPdf, createRussianPdf, PdfWriter, toTextContent } from '../support/pdf.mts';
import type { Visitor } from '../support/recipient.cts';
import { describeService, startService, type Service } from '../support/service.mts';

const ADA = 'ada@example.com';
const OLIVE = 'olive@example.com';
/** What is looked for in responses: pieces of the file that are in no picture and no text of it. */
const PIECE_BYTES = 16;

const noise = randomBytes(60 * 60 * 3);
const PDF = 'application/pdf';
const types = {
	'report.pdf': PDF,
	'photo.png': 'image/png',
	'song.mp3': 'audio/mpeg',
	'film.mp4': 'video/mp4',
	'files.zip': 'application/zip',
	'false.pdf': 'text/plain',
};

/** A document with a picture on its first page. */
function createReport(pages = 3): Buffer {
	const writer = new PdfWriter();
	const image = writer.addStream(
		noise.toString('latin1'),
		'/Type /XObject /Subtype /Image /Width 60 /Height 60 /ColorSpace /DeviceRGB /BitsPerComponent 8',
	);
	const contents = Array.from({ length: pages }, (_, index) =>
		toTextContent(`Words of page ${index + 1}`),
	);
	return createPdf(
		contents.map((content, index) => ({
			content: index === 0 ? `${content} q 200 0 0 200 100 400 cm /Im1 Do Q` : content,
			resources: `/XObject << /Im1 ${image} >>`,
		})),
		{ writer },
	);
}

function createPng(): Buffer {
	const toChunk = (name: string, data: Buffer) => {
		const length = Buffer.alloc(4);
		length.writeUInt32BE(data.length);
		const named = Buffer.concat([Buffer.from(name), data]);
		const check = Buffer.alloc(4);
		check.writeUInt32BE(crc32(named));
		return Buffer.concat([length, named, check]);
	};
	const head = Buffer.from('0000003c0000003c0802000000', 'hex');
	const rows = Array.from({ length: 60 }, (_, row) =>
		Buffer.concat([Buffer.alloc(1), noise.subarray(row * 180, row * 180 + 180)]),
	);
	const data = deflateSync(Buffer.concat(rows), { level: 0 });
	const chunks = [toChunk('IHDR', head), toChunk('IDAT', data), toChunk('IEND', Buffer.alloc(0))];
	return Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), ...chunks]);
}

function crc32(bytes: Buffer): number {
	let crc = ~0;
	for (const byte of bytes) {
		crc ^= byte;
		for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (0xedb88320 & -(crc & 1));
	}
	return ~crc >>> 0;
}

const report = createReport();
const files = {
	'report.pdf': report,
	'photo.png': createPng(),
	'song.mp3': noise,
	'film.mp4': noise,
	'false.pdf': report,
};

const changedHeaders: Array<Record<string, string>> = [
	{ range: 'bytes=0-' },
	{ range: 'bytes=40-4000' },
	{ range: 'bytes=-4000' },
	{ accept: 'application/pdf' },
	{ accept: '*/*', 'x-http-method-override': 'GET', 'x-original-url': '/files/0?download' },
	{ 'if-none-match': '*', 'if-range': '"a"', range: 'bytes=0-' },
	{ 'sec-fetch-dest': 'image' },
];

/** Pieces of the noise from all over it. It is in each of the files as it is. */
const pieces = Array.from({ length: 59 }, (_, row) =>
	noise.subarray(row * 180 + 40, row * 180 + 40 + PIECE_BYTES),
);
const hasPiece = (bytes: Buffer) => pieces.some((piece) => bytes.includes(piece));

describeService('files for viewing only', () => {
	let service: Service;

	beforeAll(async () => {
		service = await startService({ env: { OWNER_EMAIL: OLIVE } });
	});

	const open = async (rules: ContainerToCreate = {}, email = ADA, by = service) => {
		const container = await createContainer(by, {
			...{ recipients: [ADA, 'ben@example.com'], downloadable: false, files, types },
			...rules,
		});
		const visitor = by.visit(container);
		const page = await visitor.signIn(email);
		expect(page.status).toBe(303);
		return { container, visitor, page, home: `/c/${container.uuid}` };
	};
	const ask = async (
		visitor: Visitor,
		path: string,
		{ method = 'GET', headers = {}, cookie = '', signal }: AskOptions = {},
	) => {
		const own = [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
		const response = await request(service.origin + path, {
			method: method as Dispatcher.HttpMethod,
			headers: { cookie: cookie || own, ...headers },
			dispatcher: service.api.dispatcher,
			signal,
		});
		const bytes = Buffer.from(await response.body.arrayBuffer());
		return { status: response.statusCode, type: String(response.headers['content-type']), bytes };
	};
	interface AskOptions {
		method?: string;
		headers?: Record<string, string>;
		cookie?: string;
		signal?: AbortSignal;
	}

	it.each([ADA, OLIVE])('no request of %s gets a piece of a file', async (email) => {
		const { visitor, home } = await open({}, email);
		const other = await open({ downloadable: true });
		const [[name, value]] = other.visitor.cookies;
		const suffixes = [
			'',
			'?download',
			'?download=1&large',
			'/',
			'.pdf',
			'%2f',
			'%00',
			';a',
			'/text',
		];
		const pages = ['/pages/1', '/pages/1?large', '/pages/1?download', '/pages/0', '/pages/99'];
		const more = ['/pages', '/pages/1.png', '/pages/1/', '/pages/-1', '/pages/1e0', '/original'];
		const paths = Object.keys(files).flatMap((_name, index) => [
			...[...suffixes, ...pages, ...more].map((end) => `${home}/files/${index}${end}`),
			...[`${home}//files/${index}`, `${home}/FILES/${index}`, `${home}/files/0${index}`],
			...['', '&large', '&text', '&download', '&from=2'].map(
				(end) => `${home}?file=${index}${end}`,
			),
		]);
		const asked: Array<[path: string, options?: AskOptions]> = [
			...paths.map((path): [string] => [path]),
			...['HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'].flatMap((method) =>
				[0, 1].map((index): [string, AskOptions] => [`${home}/files/${index}`, { method }]),
			),
			...changedHeaders.flatMap((headers) =>
				[0, 1, 2].flatMap((index): Array<[string, AskOptions]> => [
					[`${home}/files/${index}`, { headers }],
					[`${home}/files/${index}/pages/1`, { headers }],
				]),
			),
			[`${home}/files/0`, { cookie: `${name}=${value}` }],
			[`${home}/files/0`, { cookie: 'session=' }],
		];
		const statuses = new Map<string, number>();
		for (const [path, options] of asked) {
			const { status, type, bytes } = await ask(visitor, path, options);
			if (options === undefined) statuses.set(path, status);
			expect([path, options, hasPiece(bytes)]).toEqual([path, options, false]);
			expect([path, type]).not.toEqual([path, expect.stringMatching(/pdf|audio|video|octet/)]);
			// A page of the document is drawn as a PNG; a PNG that was sent isn't.
			const isPage = path.startsWith(`${home}/files/0/pages/`);
			if (!isPage) expect([path, type]).not.toEqual([path, 'image/png']);
		}
		const refused = Object.keys(files).flatMap((_name, index) => [
			statuses.get(`${home}/files/${index}`),
			statuses.get(`${home}/files/${index}?download`),
		]);
		expect(new Set(refused)).toEqual(new Set([403]));
		const shown = [0, 1].map((index) => statuses.get(`${home}/files/${index}/pages/1`));
		expect(shown).toEqual([200, 200]);
	});

	it('pieces are found where downloads are on', async () => {
		const { visitor } = await open({ downloadable: true });
		for (const index of Object.keys(files).keys()) {
			const { bytes } = await visitor.getFile(index, { download: true });
			expect([index, hasPiece(bytes)]).toEqual([index, true]);
		}
	});

	it('come as pictures, which are never kept and never run', async () => {
		const { visitor, page, home } = await open();
		expect(page.html).toContain(`<img src="${home}/files/0/pages/3" alt="Page 3 of 3"`);
		expect(page.html).not.toMatch(/<iframe|<object|<embed|\?download/);
		const picture = await visitor.go(`${home}/files/0/pages/2`);
		expect([picture.status, picture.bytes.subarray(1, 4).toString()]).toEqual([200, 'PNG']);
		expect(picture.headers).toMatchObject({
			'content-type': 'image/png',
			'content-security-policy': "sandbox; default-src 'none'",
			'x-content-type-options': 'nosniff',
			'cross-origin-resource-policy': 'same-origin',
			'cache-control': 'no-store',
		});
		const large = await visitor.go(`${home}/files/0/pages/2?large`);
		const [width, largeWidth] = [picture, large].map(({ bytes }) => bytes.readUInt32BE(16));
		expect(largeWidth / width).toBeCloseTo(200 / 110, 1);
		expect((await visitor.go(`${home}/files/0/pages/4`)).status).toBe(404);
	});

	const openPdf = async (content: Buffer) =>
		await open({ files: { 'letter.pdf': content }, types: { 'letter.pdf': 'application/pdf' } });

	it('show a picture that says so where the one of a page is missing', async () => {
		const { visitor, home } = await openPdf(Buffer.from('%PDF-1.7'));
		const path = `${home}/files/0/pages/1`;
		const picture = await ask(visitor, path, { headers: { 'sec-fetch-dest': 'image' } });
		expect([picture.status, picture.type]).toEqual([422, 'image/svg+xml; charset=utf-8']);
		expect(picture.bytes.toString()).toContain('This page can’t be shown at the moment.');
		const page = await ask(visitor, path, { headers: { accept: 'text/html' } });
		expect([page.status, page.type]).toEqual([422, 'text/html; charset=utf-8']);
	});

	it('are no failure where somebody leaves before they are drawn', async () => {
		const { visitor, home } = await open({
			files: { 'long.pdf': createReport(40) },
			types: { 'long.pdf': PDF },
		});
		const leaving = new AbortController();
		const { signal } = leaving;
		setMaxListeners(40, signal);
		const asked = Array.from(
			{ length: 40 },
			async (_, index) =>
				await ask(visitor, `${home}/files/0/pages/${index + 1}?large`, { signal }).catch(
					() => undefined,
				),
		);
		await Promise.race(asked);
		leaving.abort();
		const drawn = (await Promise.all(asked)).filter((picture) => picture?.status === 200);
		expect(drawn.length).toBeLessThan(40);
		// The next one comes after all of them.
		expect((await visitor.go(`${home}/files/0/pages/40`)).status).toBe(200);
		expect(service.getOutput().stderr).not.toContain('aborted');
	});

	it('say so where letters are missing, and lead to the text', async () => {
		const { page } = await openPdf(createRussianPdf());
		const sentence = 'Letters are missing on these pages: the document doesn’t contain their font.';
		expect(page.html).toContain(`${sentence} Choose “Show as Text” to read them.`);
	});

	it('stay where they are in another language', async () => {
		const { visitor, home } = await open({ files: { 'a.txt': Buffer.from('a'), 'b.pdf': report } });
		const { html } = await visitor.go(`${home}?file=1&large`);
		expect(html).toContain(`href="${home}?file=1&amp;large=&amp;lang=de"`);
		const switched = await visitor.go(`${home}?file=1&large=&lang=de`);
		expect([switched.status, switched.headers.location]).toEqual([303, `${home}?file=1&large=`]);
	});

	it('name each recipient in the pictures, and not the owner', async () => {
		const { visitor, container } = await open();
		const path = `/c/${container.uuid}/files/0/pages/2`;
		const getPicture = async (who: Visitor) => (await who.go(path)).bytes.toString('base64');
		const others = await Promise.all(
			['ben@example.com', OLIVE].map(async (email) => {
				const other = service.visit(container);
				await other.signIn(email);
				return await getPicture(other);
			}),
		);
		const ofAda = await getPicture(visitor);
		expect(new Set([ofAda, ...others]).size).toBe(3);
		const allowed = await open({ downloadable: true });
		const plain = (await allowed.visitor.go(`${allowed.home}/files/0/pages/2`)).bytes;
		expect(plain.toString('base64')).toBe(others[1]);
	});

	it('bring the text of their pages for screen readers and for search', async () => {
		const { page, visitor, home } = await open();
		expect(page.html).toMatch(/<div class="text unseen" dir="auto">Words of page 3<\/div>/);
		const asText = await visitor.go(`${home}?file=0&text=`);
		expect(asText.html).toMatch(/<div class="text" dir="auto">Words of page 3<\/div>/);
	});

	it('are 20 pages at a time, and a number leads to its page', async () => {
		const { visitor, home, page } = await open({ files: { 'report.pdf': createReport(45) } });
		expect(page.html.match(/<img src="[^"]*pages/g)).toHaveLength(20);
		const { status, headers } = await visitor.go(`${home}?file=0&page=37`);
		expect([status, headers.location]).toEqual([303, `${home}?file=0&from=21#page-37`]);
		for (const from of [41, 99_981]) {
			const { html } = await visitor.go(`${home}?file=0&from=${from}`);
			expect(html.match(/<img src="[^"]*pages/g)).toHaveLength(5);
			expect(html).toContain('Pages 41 to 45 of 45');
		}
		const picture = await visitor.go(`${home}/files/0/pages/45`);
		expect([picture.status, picture.headers['content-type']]).toEqual([200, 'image/png']);
	});

	it.each([
		['report.pdf', 'no document', 'It is damaged, or it isn’t what its name says.'],
		['empty.txt', '', 'It is empty.'],
		['files.zip', 'PK', 'This kind of file has no pages to show.'],
		['song.mp3', 'ID3', 'Audio and video play only where they are offered for download.'],
		['false.txt', report, 'This kind of file has no pages to show.'],
	])('are a sentence where they can not be shown: %s', async (name, content, sentence) => {
		const sent = { [name]: content };
		const { page, visitor } = await open({ files: sent });
		for (const part of ['can’t be shown here', sentence, `Ask ${OLIVE}`]) {
			expect(page.text).toContain(part);
		}
		expect((await visitor.getFile(0)).status).toBe(403);
	});

	it.each([
		['\ufeffÜbung', 'utf16le', 'utf-16le'],
		['Ohne Anfang: 5 €', 'utf16le', 'utf-16le'],
		['Größe über Straße, für Äpfel und Öl', 'latin1', 'windows-1252'],
		// Too short for a guess: the sign and the letter are one character in Chinese.
		['25 °C', 'latin1', 'windows-1252'],
		['Total: 12 £', 'latin1', 'windows-1252'],
		['Größe', 'utf8', 'utf-8'],
		// The first four are the mark of a Korean encoding that no browser knows.
		['\u001b$)CGröße', 'latin1', 'windows-1252'],
	] as const)(
		'are read in their encoding where they are texts: %s',
		async (text, encoding, name) => {
			const { page, visitor } = await open({ files: { 'a.txt': Buffer.from(text, encoding) } });
			expect(page.html).toContain(`>${text.replace('\ufeff', '')}</pre>`);
			expect(page.text).toContain('is shown as it is, and can be copied');
			const { headers, status } = await visitor.getFile(0);
			expect([status, headers['content-type']]).toEqual([200, `text/plain; charset=${name}`]);
		},
	);

	it('are a table where they are CSV', async () => {
		const csv = 'Name;City\nAda;"London; UK"\n';
		const { page } = await open({ files: { 'a.csv': csv }, types: { 'a.csv': 'text/csv' } });
		expect(page.html).toMatch(/<th[^>]*>City<[^]*<td[^>]*>London; UK</);
		expect(page.text).not.toContain('only the beginning');
	});

	it.each(['\r\n', '\n'])(
		'are a table without the line that says what separates its cells (%j)',
		async (end) => {
			const csv = ['\ufeffsep=|', 'Name|City', 'Ada|"London; UK, W1"', ''].join(end);
			const { page } = await open({ files: { 'a.csv': csv } });
			expect(page.html).toMatch(/<th[^>]*>Name<[^]*<td[^>]*>London; UK, W1</);
			expect(page.html).not.toContain('sep=');
		},
	);

	it('are empty where a table has no rows', async () => {
		const { page } = await open({ files: { 'a.csv': 'sep=;\r\n', 'b.txt': 'Words' } });
		expect(page.text).toMatch(/b\.txt[^]*It is empty\./);
	});

	it('say so where a table has more columns than the page shows', async () => {
		const csv = `${'1;'.repeat(101)}\n`;
		const { page } = await open({ files: { 'a.csv': csv }, types: { 'a.csv': 'text/csv' } });
		expect(page.text).toContain('This is only the beginning.');
	});

	it('are a table of which each row can be found', async () => {
		// Long enough for the row to be in the middle of what is read at once, and of a character.
		const rows = Array.from({ length: 100_000 }, (_, index) => `${index + 2};"Größe\n${index}"`);
		const csv = Buffer.from(['Number;Text', ...rows].join('\r\n'));
		const { page, visitor, home } = await open({ files: { 'a.csv': csv } });
		expect(page.html).toMatch(/<tr id="row-500">[^]*Rows 1 to 500[^]*Next 500/);
		expect(page.html).not.toContain('"row-501"');
		const there = await visitor.go(`${home}?file=0&row=77777`);
		expect(there.headers.location).toBe(`${home}?file=0&from=77761#row-77777`);
		expect(there.html).toMatch(
			/<th[^>]*>Text<[^]*"row-77777">\s*<td[^>]*>77777<.*\s*<td[^>]*>Größe\n77775</,
		);
		expect(there.html).toContain(`${home}?file=0&amp;from=78001#row-78001`);
		const last = await visitor.go(`${home}?file=0&from=999999`);
		expect(last.html).toMatch(/"row-100001">[^]*Rows 100,001 to 100,001/);
		expect(last.html).not.toMatch(/Next 500|only the beginning/);
	});

	it('are a table up to a quotation mark that is never closed', async () => {
		const csv = `1,2\n3,4\n5,"6${'7,8\n'.repeat(400_000)}`;
		const { page } = await open({ files: { 'a.csv': csv } });
		expect(page.html).toMatch(/<th[^>]*>1<[^]*only the beginning/);
	});

	const findViews = async (uuid: string, by = service) => {
		const path = `/users/${by.userId}/containers/${uuid}/events`;
		const { body } = await by.api.get<ServiceEvent[]>(path);
		return body.filter(({ action }) => action === 'container.view');
	};

	it('are recorded page by page: one event for a file when the session is over', async () => {
		const both = { 'report.pdf': report, 'second.pdf': createReport(1) };
		const { visitor, container, home } = await open({
			files: both,
			types: { 'report.pdf': PDF, 'second.pdf': PDF },
		});
		for (const path of ['0/pages/3', '0/pages/1?large', '0/pages/1', '1/pages/1', '0/pages/9']) {
			await visitor.go(`${home}/files/${path}`);
		}
		expect(await findViews(container.uuid)).toEqual([]);
		await visitor.post('leave', {});
		const views = await findViews(container.uuid);
		expect(views.map(({ user, detail }) => ({ user, ...detail }))).toMatchObject([
			{ user: ADA, file: 0, pages: [1, 3], texts: [1, 2, 3] },
			{ user: ADA, file: 1, pages: [1] },
		]);
	});

	it('are recorded where a text is asked for by its own address', async () => {
		const { visitor, container } = await open({ files: { 'a.pdf': report, 'b.txt': 'Words' } });
		expect((await visitor.getFile(1)).status).toBe(200);
		await visitor.post('leave', {});
		const views = await findViews(container.uuid);
		expect(views.map(({ detail }) => detail)).toMatchObject([{ file: 1, pages: [], texts: [1] }]);
	});

	it('are recorded where a page has their text, of a table by 500 rows', async () => {
		const csv = 'Name;City\nAda;London\n'.repeat(300);
		const expected: Array<[Record<string, string>, number[]]> = [
			[{ 'a.txt': 'Words' }, [1]],
			[{ 'a.csv': csv }, [1, 2]],
		];
		for (const [sent, texts] of expected) {
			const { visitor, container, home } = await open({ files: sent });
			await visitor.go(`${home}?from=501`);
			await visitor.post('leave', {});
			const views = await findViews(container.uuid);
			expect(views.map(({ detail }) => detail)).toMatchObject([{ file: 0, pages: [], texts }]);
		}
	});

	it('are recorded once, also where the service crashed and the session was never ended', async () => {
		const { visitor, container, home } = await open();
		await visitor.go(`${home}/files/0/pages/2`);
		await service.kill();
		const database = await openDatabase(service.backend?.env.DATABASE_URL, service.folder);
		await database
			.updateTable('shown_pages')
			.set({ session_end: Date.now() - 1 })
			.execute();
		await database.destroy();
		await service.restart();
		// It is recorded while the service already answers.
		let views: ServiceEvent[] = [];
		while (views.length === 0) {
			await sleep(100);
			views = await findViews(container.uuid);
		}
		expect(views.map(({ detail }) => detail)).toMatchObject([{ file: 0, pages: [2] }]);
		await service.restart();
		expect(await findViews(container.uuid)).toHaveLength(1);
	});

	it('can come without a mark, and without text', async () => {
		const plain = await startService({
			env: { OWNER_EMAIL: OLIVE, WATERMARK: 'off', PAGE_TEXT: 'off' },
		});
		const ofAda = await open({}, ADA, plain);
		const ofOlive = await open({}, OLIVE, plain);
		const [one, other] = await Promise.all(
			[ofAda, ofOlive].map(async ({ visitor, home }) => {
				return (await visitor.go(`${home}/files/0/pages/1`)).bytes;
			}),
		);
		expect(one.equals(other)).toBe(true);
		expect(ofAda.page.html).not.toMatch(/Words of page|your address|Show as Text/);
	});
});
