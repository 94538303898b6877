import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Door, Visit } from '../../src/open/door.mts';
import { createMark } from '../../src/open/view/filePictures.mts';
import { readFontCharacters } from '../../src/viewing/fontCharacters.mts';
import { toMarkRows } from '../../src/viewing/markText.mts';
import { createPdf } from '../support/pdf.mts';
import { describeService } from '../support/service.mts';
import { openViewing, type Pixels, toPixels, toView } from '../support/viewing.mts';

const font = createRequire(import.meta.url).resolve('dejavu-fonts-ttf/ttf/DejaVuSans.ttf');
const hasCharacter = readFontCharacters(readFileSync(font));

test.each([
	['jörg.łuczak@example.com', 'jörg.łuczak@example.com'],
	// One letter, or two that are drawn as one.
	['jo\u0308rg@example.com', 'jörg@example.com'],
	['анна@пример.рф', 'анна@пример.рф'],
	['λ@παράδειγμα.ελ', 'λ@παράδειγμα.ελ'],
	['李@例.cn', '\\u{674e}@\\u{4f8b}.cn'],
	['אבא@x.il', '\\u{5d0}\\u{5d1}\\u{5d0}@x.il'],
	['علي@x.sa', '\\u{639}\\u{644}\\u{64a}@x.sa'],
	['अ@x.in', '\\u{905}@x.in'],
	['👩@x.com', '\\u{1f469}@x.com'],
	['a\u202eb@x.com', 'a\\u{202e}b@x.com'],
])('the mark of %s is %s', (line, drawn) => {
	expect(toMarkRows(line, hasCharacter).join('')).toBe(drawn);
});

test('a mark has all of a long address', () => {
	const address = `${'a'.repeat(64)}@${'b'.repeat(185)}.com`;
	expect(toMarkRows(address, hasCharacter).join('')).toBe(address);
});

test('a mark says who was shown a page, when it was there, and of which container', () => {
	const calendar = new Intl.DateTimeFormat('en', { timeZone: 'Europe/Berlin' });
	const row = { id: '3f2a9c1e-93d7-4b0a-8c55-0e7d21fa9b36' };
	const seal = { rules: { downloadable: false } };
	const visit = { address: 'anna@example.com', isOwner: false, row, seal };
	jest.useFakeTimers({ now: Date.UTC(2026, 10, 28, 23, 5) });
	const mark = createMark({ calendar } as Door, visit as Visit);
	jest.useRealTimers();
	expect(mark).toEqual(['anna@example.com', '2026-11-29 00:05 CET', '3f2a9c1e']);
});

/** How much brighter or darker than around them, at most, pixels of a page are. */
function getContrast({ width, height, at }: Pixels): number {
	const values: number[] = [];
	for (let y = 0; y < height; y += 1) {
		for (let x = 0; x < width; x += 1) values.push(at(x, y));
	}
	values.sort((a, b) => a - b);
	// What compression changes isn't counted.
	const bounds = [0.001, 0.999].map((share) => values[Math.floor(share * values.length)]);
	return bounds[1] - bounds[0];
}

const fill = (grey: number) => createPdf([{ content: `${grey} g 0 0 595 842 re f` }]);
const toMark = (address: string) => [address, '28 November 2026, 14:05 CET', '3f2a9c1e'];

describeService('a page with a mark', () => {
	const viewing = openViewing();

	const render = async (view: ReturnType<typeof toView>, mark?: string[]) =>
		await toPixels(await viewing.render(view, { page: 1, size: 'fit', mark }));

	test.each([
		['white', 1],
		['black', 0],
		['grey', 0.5],
	])('shows it on %s', async (_, grey) => {
		const view = toView(fill(grey));
		expect(getContrast(await render(view))).toBeLessThan(5);
		expect(getContrast(await render(view, toMark('anna@example.com')))).toBeGreaterThan(40);
	});

	test.each([
		[320, 40],
		[600, 60],
		[1200, 80],
		[4000, 200],
	])('shows all of it on a low picture of %i × %i pixels', async (width, height) => {
		const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"/>`;
		const pixels = await render(toView(Buffer.from(svg)), toMark('anna@example.com'));
		const hasMark = (y: number) =>
			Array.from({ length: pixels.width }, (_, x) => pixels.at(x, y)).some((value) => value < 200);
		const marked = Array.from({ length: pixels.height }, (_, y) => y).filter(hasMark);
		// From the top of the first of its three rows to the foot of the last one.
		expect(marked.at(-1)! - marked[0]).toBeGreaterThan(pixels.height / 2);
	});

	test('shows it over what a comment covers', async () => {
		const comment =
			'/Annots [<< /Type /Annot /Subtype /Square /Rect [0 0 595 842] /IC [0 0 0] /C [0 0 0] /F 4 >>]';
		const view = toView(createPdf([{ content: '', entries: comment }]));
		expect((await render(view)).at(400, 400)).toBeLessThan(20);
		expect(getContrast(await render(view, toMark('anna@example.com')))).toBeGreaterThan(40);
	});

	/** How much of what a mark makes lighter or darker is found again, from -1 to 1. */
	function correlate(found: Pixels, marked: Pixels): number {
		let both = 0;
		let ofFound = 0;
		let ofMarked = 0;
		const place = { found: found.at(0, 0), marked: marked.at(0, 0) };
		for (let y = 0; y < found.height; y += 1) {
			for (let x = 0; x < found.width; x += 1) {
				const a = found.at(x, y) - place.found;
				const b = marked.at(x, y) - place.marked;
				both += a * b;
				ofFound += a * a;
				ofMarked += b * b;
			}
		}
		return both / Math.sqrt(ofFound * ofMarked);
	}

	const lay = (a: Pixels, b: Pixels, choose: (a: number, b: number) => number): Pixels => ({
		...a,
		at: (x, y) => choose(a.at(x, y), b.at(x, y)),
	});

	test.each([
		['lighter', Math.max],
		['darker', Math.min],
		['mean', (a: number, b: number) => (a + b) / 2],
	])('laid over that of another, the %s pixels still name both', async (_, choose) => {
		const view = toView(fill(1));
		const anna = await render(view, toMark('anna@example.com'));
		const ben = await render(view, toMark('benjamin.longname@example.org'));
		const other = await render(view, toMark('carla@example.net'));
		const laid = lay(anna, ben, choose);
		const ofOther = correlate(laid, other);
		expect(correlate(laid, anna)).toBeGreaterThan(ofOther + 0.15);
		expect(correlate(laid, ben)).toBeGreaterThan(ofOther + 0.15);
	});
});
