import { randomBytes } from 'node:crypto';
import { createPdf, PdfWriter, toTextContent } from '../support/pdf.mts';
import { describeService, times } from '../support/service.mts';
import { openViewing, toPixels, toView } from '../support/viewing.mts';

const SIDE = 30;

/** Squares of as many colors, each of a brightness of its own, from the lower left. */
function createSquares(colors: number): Buffer {
	const squares = times(colors, (index) => {
		const place = `${(index % SIDE) * 10} ${Math.floor(index / SIDE) * 10}`;
		const red = (index % 256) / 255;
		const blue = Math.floor(index / 256) / 255;
		return `${red} 0 ${blue} rg ${place} 10 10 re f`;
	});
	const side = 10 * SIDE;
	return createPdf([{ content: squares.join('\n'), width: side, height: side }]);
}

function createPhotograph(): Buffer {
	const writer = new PdfWriter();
	const entries =
		'/Type /XObject /Subtype /Image /Width 300 /Height 300 /ColorSpace /DeviceGray /BitsPerComponent 8';
	const image = writer.addStream(randomBytes(300 * 300).toString('latin1'), entries);
	const resources = `/XObject << /I ${image} >>`;
	const page = { content: '300 0 0 300 0 0 cm /I Do', width: 300, height: 300, resources };
	return createPdf([page], { writer });
}

describeService('the picture of a page', () => {
	const viewing = openViewing();
	const render = async (content: Buffer) =>
		await viewing.render(toView(content), { page: 1, size: 'fit' });

	test.each([
		['nothing', createPdf([{ content: '' }])],
		['text', createPdf([{ content: toTextContent(...times(40, () => 'This is a line.')) }])],
	])('of %s is small, and is a PNG', async (_, content) => {
		const { type, bytes } = await render(content);
		expect(type).toBe('image/png');
		expect(bytes.length).toBeLessThan(60_000);
	});

	test.each([200, 600])('of %i colors shows each as it is', async (colors) => {
		const picture = await render(createSquares(colors));
		expect(picture.type).toBe('image/png');
		const { width, height, at } = await toPixels(picture);
		const brightness = times(colors, (index) => {
			const x = ((index % SIDE) + 0.5) / SIDE;
			const y = 1 - (Math.floor(index / SIDE) + 0.5) / SIDE;
			return Math.round(3 * at(Math.round(x * width), Math.round(y * height)));
		});
		const expected = times(colors, (index) => (index % 256) + Math.floor(index / 256));
		expect(brightness).toEqual(expected);
	});

	test('of a photograph is a WebP', async () => {
		const { type, bytes } = await render(createPhotograph());
		expect(type).toBe('image/webp');
		expect(bytes.length).toBeLessThan(500_000);
	});
});
