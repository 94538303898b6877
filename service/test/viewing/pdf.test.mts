import { createHash } from 'node:crypto';
import { createPdf, createRussianPdf, PdfWriter, toTextContent } from '../support/pdf.mts';
import { describeService, times } from '../support/service.mts';
import { openViewing, toPixels, toView } from '../support/viewing.mts';

/** What fills a password up. */
const PADDING = Buffer.from(
	'28bf4e5e4e758a4164004e56fffa01082e2e00b6d0683e802f0ca9fe6453697a',
	'hex',
);

/** The cipher of old PDFs, which Node.js has no more. */
function applyRc4(key: Buffer, content: Buffer): Buffer {
	const state = times(256, (n) => n);
	const swap = (a: number, b: number) => {
		const value = state[a];
		state[a] = state[b];
		state[b] = value;
	};
	let j = 0;
	for (let i = 0; i < 256; i += 1) {
		j = (j + state[i] + key[i % key.length]) % 256;
		swap(i, j);
	}
	j = 0;
	return Buffer.from(
		content.map((byte, index) => {
			const i = (index + 1) % 256;
			j = (j + state[i]) % 256;
			swap(i, j);
			return byte ^ state[(state[i] + state[j]) % 256];
		}),
	);
}

/** It opens without a password, and allows to print, but neither to copy text nor to read it aloud. */
function createEncryptedPdf(): Buffer {
	const permissions = Buffer.alloc(4);
	permissions.writeInt32LE(-1 - 16 - 512);
	const owner = Buffer.alloc(32, 'a');
	const id = Buffer.from('00', 'hex');
	const hash = createHash('md5').update(PADDING).update(owner).update(permissions).update(id);
	const user = applyRc4(hash.digest().subarray(0, 5), PADDING);
	const entries = `/O <${owner.toString('hex')}> /U <${user.toString('hex')}> /P ${permissions.readInt32LE()}`;
	const trailer = `/Encrypt << /Filter /Standard /V 1 /R 2 ${entries} >> /ID [<00> <00>]`;
	return createPdf([{ content: '' }], { trailer });
}

describeService('a PDF', () => {
	const viewing = openViewing();
	const ten = createPdf(
		times(10, (page) => ({ content: toTextContent(`This is page ${page + 1}.`) })),
	);

	test('is described by the pages that are asked for', async () => {
		const wide = { content: '', width: 842, height: 595 };
		const view = toView(createPdf([{ content: '' }, wide, { content: '' }]));
		expect(await viewing.describe(view, { from: 2, to: 20 })).toEqual({
			pageCount: 3,
			pages: [
				{ width: 1286, height: 909 },
				{ width: 909, height: 1286 },
			],
			outline: [],
			mayReadAloud: true,
		});
	});

	test('shows each page as a picture in two sizes', async () => {
		const halves = createPdf([{ content: '0 421 595 421 re f' }, { content: '0 0 595 421 re f' }]);
		const view = toView(halves);
		const first = await toPixels(await viewing.render(view, { page: 1, size: 'fit' }));
		expect([first.width, first.height]).toEqual([909, 1286]);
		expect(first.at(450, 300)).toBeLessThan(10);
		expect(first.at(450, 1000)).toBeGreaterThan(245);
		const second = await toPixels(await viewing.render(view, { page: 2, size: 'large' }));
		expect([second.width, second.height]).toEqual([1653, 2339]);
		expect(second.at(800, 500)).toBeGreaterThan(245);
		expect(second.at(800, 2000)).toBeLessThan(10);
	});

	test('has the text of its pages', async () => {
		const texts = await viewing.readText(toView(ten), { from: 9, to: 99 });
		expect(texts).toEqual([
			{ text: 'This is page 9.', isCut: false, lacksGlyphs: false },
			{ text: 'This is page 10.', isCut: false, lacksGlyphs: false },
		]);
	});

	test('shows its other pages, and their text, where one is missing', async () => {
		const file = ten.toString('latin1');
		const second = /(?<=\/Kids \[\d+ 0 R )\d+ 0 R/;
		const view = toView(Buffer.from(file.replace(second, '90 0 R'), 'latin1'));
		const texts = await viewing.readText(view, { from: 1, to: 3 });
		expect(texts.map(({ text }) => text)).toEqual(['This is page 1.', '', 'This is page 3.']);
		const render = async (page: number) => await viewing.render(view, { page, size: 'fit' });
		await expect(render(2)).rejects.toMatchObject({ problem: 'broken' });
		expect((await render(3)).type).toBe('image/png');
	});

	test('has at most 5,000 characters of text a page', async () => {
		const long = createPdf([{ content: toTextContent(...times(60, () => 'a'.repeat(100))) }]);
		const [{ text, isCut }] = await viewing.readText(toView(long), { from: 1, to: 1 });
		expect(text).toHaveLength(5000);
		expect(isCut).toBe(true);
	});

	test('has an outline', async () => {
		const writer = new PdfWriter();
		const outline = writer.next(6);
		const page = writer.next(9);
		const entry = (title: string, more = '') =>
			writer.add(`<< /Title (${title}) /Parent ${outline} ${more} >>`);
		// From the last to the first, since each names those behind it.
		const last = entry('Nowhere');
		const second = entry('Second chapter', `/Dest [${page} /Fit] /Next ${last}`);
		const part = entry('Part', `/A << /S /GoTo /D [${page} /Fit] >>`);
		const first = entry(
			'First chapter',
			`/Dest [${page} /Fit] /First ${part} /Last ${part} /Next ${second}`,
		);
		writer.add('null');
		writer.add('null');
		writer.add(`<< /Type /Outlines /First ${first} /Last ${last} >>`);
		const file = createPdf([{ content: '' }], { writer, catalog: `/Outlines ${outline}` });
		const { outline: entries } = await viewing.describe(toView(file), { from: 1, to: 1 });
		expect(entries).toEqual([
			{ title: 'First chapter', page: 1, level: 1 },
			{ title: 'Part', page: 1, level: 2 },
			{ title: 'Second chapter', page: 1, level: 1 },
		]);
	});

	test('shows what fields are filled with', async () => {
		const writer = new PdfWriter();
		const filled = writer.addStream(
			'0 0 200 200 re f',
			'/Type /XObject /Subtype /Form /BBox [0 0 200 200]',
		);
		const field = writer.add(
			`<< /Type /Annot /Subtype /Widget /FT /Tx /T (name) /V (Anna) /F 4 /Rect [0 642 200 842] /AP << /N ${filled} >> >>`,
		);
		const catalog = `/AcroForm << /Fields [${field}] >>`;
		const page = { content: '', entries: `/Annots [${field}]` };
		const view = toView(createPdf([page], { writer, catalog }));
		const pixels = await toPixels(await viewing.render(view, { page: 1, size: 'fit' }));
		expect(pixels.at(150, 150)).toBeLessThan(20);
		expect(pixels.at(600, 600)).toBeGreaterThan(245);
	});

	test('keeps its text to itself where it forbids to read it aloud', async () => {
		const locked = createEncryptedPdf();
		const view = toView(locked);
		expect((await viewing.describe(view, { from: 1, to: 1 })).mayReadAloud).toBe(false);
		expect(await viewing.readText(view, { from: 1, to: 1 })).toEqual([
			{ text: '', isCut: false, lacksGlyphs: false },
		]);
		expect((await viewing.render(view, { page: 1, size: 'fit' })).width).toBe(909);
	});

	test.each([
		['says that letters are missing that no font has', createRussianPdf(), true],
		['misses nothing where these are invisible', createRussianPdf({ mode: 3 }), false],
		['misses nothing where its letters are known', ten, false],
	])('%s', async (_, content, expected) => {
		const [{ lacksGlyphs }] = await viewing.readText(toView(content), { from: 1, to: 1 });
		expect(lacksGlyphs).toBe(expected);
	});

	test('needs few of its bytes for one page', async () => {
		const long = createPdf(times(20, () => ({ content: `%${'x'.repeat(300_000)}\n` })));
		const view = toView(long);
		const { read } = view.source;
		let bytes = 0;
		view.source.read = async (offset, length) => {
			bytes += length;
			return await read(offset, length);
		};
		await viewing.render(view, { page: 2, size: 'fit' });
		expect(bytes).toBeLessThan(long.length / 3);
	});

	test('that was cut off, or is none, is broken', async () => {
		const view = toView(Buffer.from('Not a PDF at all'));
		await expect(viewing.describe(view, { from: 1, to: 1 })).rejects.toMatchObject({
			problem: 'broken',
		});
	});

	test('has no page behind its last', async () => {
		const view = toView(ten);
		const after = viewing.render(view, { page: 11, size: 'fit' });
		await expect(after).rejects.toMatchObject({ problem: 'noPage' });
		expect(await viewing.render(view, { page: 10, size: 'fit' })).toMatchObject({ width: 909 });
	});

	test("whose bytes can't be read fails with the error of its storage", async () => {
		const view = toView(ten);
		view.source.read = () => Promise.reject(new Error('The storage is away'));
		await expect(viewing.describe(view, { from: 1, to: 1 })).rejects.toThrow('The storage is away');
	});
});
