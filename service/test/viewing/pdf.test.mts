import { createPdf, PdfWriter, toTextContent } from '../support/pdf.mts';
import { describeService, times } from '../support/service.mts';
import { openViewing, toPixels, toView } from '../support/viewing.mts';

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
			{ text: 'This is page 9.', isCut: false },
			{ text: 'This is page 10.', isCut: false },
		]);
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
