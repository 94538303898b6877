import { isAllowed } from '../support/converters.mts';
import { measureLikeness } from '../support/likeness.mts';
import { createPdf, type PdfPage } from '../support/pdf.mts';
import { openViewing, toView } from '../support/viewing.mts';

const describeLikeness = isAllowed('pdftocairo', ['-v']) ? describe : describe.skip;

const viewing = openViewing();

/** What is in the upper left and in the lower right is seen to be there. */
const CONTENT =
	'BT /F1 60 Tf 10 70 Td (Rot) Tj ET 1 0 0 rg 150 5 40 20 re f 0 0 1 rg 5 5 20 40 re f';
const createPage = (page: Partial<PdfPage>) =>
	createPdf([{ content: CONTENT, width: 200, height: 120, ...page }]);

async function draw(pdf: Buffer) {
	const picture = await viewing.render(toView(pdf), { page: 1, size: 'fit' });
	const { width, height } = picture;
	return { picture, shape: [width, height], likeness: await measureLikeness(pdf, picture) };
}

const BOXES: Array<
	[title: string, page: Partial<PdfPage>, shape: [width: number, height: number]]
> = [
	['as it is', {}, [320, 192]],
	['turned right', { entries: '/Rotate 90' }, [320, 533]],
	['upside down', { entries: '/Rotate 180' }, [320, 192]],
	['turned left', { entries: '/Rotate 270' }, [320, 533]],
	['turned by a negative angle', { entries: '/Rotate -90' }, [320, 533]],
	['cropped', { entries: '/CropBox [100 0 200 120]' }, [320, 384]],
	['cropped and turned', { entries: '/CropBox [100 0 200 120] /Rotate 90' }, [320, 267]],
	['cropped to more than there is', { entries: '/CropBox [-90 -90 900 900]' }, [320, 192]],
	['whose corner is below and left of 0', { box: '-50 -50 200 120' }, [382, 260]],
	['whose box is written from its other corner', { box: '200 120 0 0' }, [320, 192]],
	['of five meters', { box: '0 0 14400 9000' }, [1789, 1118]],
];

const annotate = (entries: string) =>
	createPage({ entries: `/Annots [<< /Type /Annot /F 4 ${entries} >>]` });

const QUADS = '/QuadPoints [10 60 100 60 10 40 100 40]';
const plain = createPage({});
const ADDITIONS: Array<[title: string, pdf: Buffer]> = [
	['a mark', annotate(`/Subtype /Highlight /C [1 0.5 0] /Rect [10 40 100 60] ${QUADS}`)],
	['a rectangle', annotate('/Subtype /Square /C [1 0 0] /Rect [20 20 180 100] /BS << /W 8 >>')],
	[
		'a line by hand',
		annotate(
			'/Subtype /Ink /C [1 0 0] /Rect [0 0 200 120] /InkList [[10 10 190 110 100 5]] /BS << /W 8 >>',
		),
	],
];

describeLikeness('a page, beside what pdftocairo draws (needs it)', () => {
	test.each(BOXES)('that is %s', async (_, page, shape) => {
		const drawn = await draw(createPage(page));
		expect(drawn.shape).toEqual(shape);
		expect(drawn.likeness).toBeGreaterThan(0.9);
	});

	test.each(ADDITIONS)('with %s', async (_, pdf) => {
		const { likeness, picture } = await draw(pdf);
		expect(likeness).toBeGreaterThan(0.9);
		const toPlain = await measureLikeness(plain, picture);
		expect(toPlain).toBeLessThan(likeness - 0.02);
	});
});
