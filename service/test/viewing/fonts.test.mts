import { createOutsideFontPdf } from '../support/pdf.mts';
import { describeService } from '../support/service.mts';
import { measureInk, openViewing, type Pixels, toPixels, toView } from '../support/viewing.mts';

const WITHOUT_FONT: Array<
	[language: string, text: string, name: string, letters: string, encoding: string, hex: string]
> = [
	['Chinese', '你好', 'STSong-Light', 'GB1', 'UniGB-UCS2-H', '4F60597D'],
	['Chinese of old Windows', '你好', 'SimSun', 'GB1', 'GBK-EUC-H', 'C4E3BAC3'],
	['Taiwanese', '我而', 'MSung-Light', 'CNS1', 'ETen-B5-H', 'A7DAA6D3'],
	['Japanese', '日本', 'HeiseiMin-W3', 'Japan1', '90ms-RKSJ-H', '93FA967B'],
	['Korean', '한국', 'HYSMyeongJo-Medium', 'Korea1', 'KSCms-UHC-H', 'C7D1B1B9'],
];

describeService('letters whose font is not in the file', () => {
	const viewing = openViewing();
	const ONE = { from: 1, to: 1 };

	test.each(WITHOUT_FONT)('are drawn in a PDF where they are %s', async (...row) => {
		const [, text, name, letters, encoding, hex] = row;
		const view = toView(createOutsideFontPdf({ name, letters, encoding }, hex));
		expect(await viewing.readText(view, ONE)).toEqual([{ text, isCut: false, lacksGlyphs: false }]);
		const pixels = await toPixels(await viewing.render(view, { page: 1, size: 'fit' }));
		// Each is 40 of 200 points wide.
		const inPixels = (points: number) => Math.round((points * pixels.width) / 200);
		for (const x of [10, 50]) {
			const ink = measureInk(pixels, [inPixels(x), inPixels(x + 40)]);
			expect(ink).toBeGreaterThan(5);
			expect(ink).toBeLessThan(50);
		}
		expect(measureInk(pixels, [inPixels(95), pixels.width])).toBe(0);
	});

	test.each([
		['Japanese', 'カな'],
		['Korean', '한국'],
		['Chinese', '你们'],
		['Chinese by number', '&#20320;&#x4eec;'],
	])('are drawn in a drawing where they are %s', async (_, text) => {
		const draw = async (letters: string) => {
			const content = `<svg xmlns="http://www.w3.org/2000/svg" width="200" height="100"><text x="10" y="80" font-size="80">${letters}</text></svg>`;
			const view = toView(Buffer.from(content), { name: 'drawing.svg' });
			return await toPixels(await viewing.render(view, { page: 1, size: 'fit' }));
		};
		const drawn = await draw(text);
		const missing = await draw('\u{10FFFD}\u{10FFFD}');
		const ink = (pixels: Pixels) => measureInk(pixels, [0, pixels.width]);
		expect(ink(drawn)).toBeGreaterThan(5);
		expect(Math.abs(ink(drawn) - ink(missing))).toBeGreaterThan(1);
	});
});
