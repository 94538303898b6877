import {
	type IMagickImage,
	MagickColors,
	MagickFormat,
	MagickImage,
	MagickImageCollection,
} from '@imagemagick/magick-wasm';
import { createPng } from '../support/hostilePictures.mts';
import { describeService } from '../support/service.mts';
import { openViewing, startDecoder, toPixels, toView } from '../support/viewing.mts';

const ONE = { from: 1, to: 1 };

/** The left half black, the right one white. */
function createPicture(width: number, height: number): IMagickImage {
	const image = MagickImage.create(MagickColors.White, width, height);
	image.composite(MagickImage.create(MagickColors.Black, width / 2, height));
	return image;
}

const write = (image: IMagickImage, format: MagickFormat) =>
	image.write(format, (bytes) => Buffer.from(bytes));

/** As a phone that is held upright writes a JPEG: to be turned to the right by a quarter (6). */
function turn(jpeg: Buffer): Buffer {
	const entry = '0112 0003 00000001 0006 0000';
	const tiff = `4d4d 002a 00000008 0001 ${entry} 00000000`;
	const exif = `ffe1 0022 457869660000 ${tiff}`;
	const segment = Buffer.from(exif.replaceAll(' ', ''), 'hex');
	return Buffer.concat([jpeg.subarray(0, 2), segment, jpeg.subarray(2)]);
}

describeService('a picture', () => {
	const viewing = openViewing();
	beforeAll(startDecoder);

	test.each(['Jpeg', 'Png', 'WebP', 'Gif', 'Bmp', 'Tiff', 'Avif'] as const)(
		'as %s is shown, whatever its name is',
		async (format) => {
			const content = write(createPicture(400, 300), MagickFormat[format]);
			const view = toView(content, { name: 'picture.png' });
			expect(await viewing.describe(view, { from: 1, to: 20 })).toEqual({
				pageCount: 1,
				pages: [{ width: 400, height: 300 }],
				outline: [],
				mayReadAloud: true,
			});
			const pixels = await toPixels(await viewing.render(view, { page: 1, size: 'fit' }));
			expect([pixels.width, pixels.height]).toEqual([400, 300]);
			expect(pixels.at(100, 150)).toBeLessThan(20);
			expect(pixels.at(300, 150)).toBeGreaterThan(235);
		},
	);

	test('that is turned is shown upright', async () => {
		const upright = write(createPicture(800, 600), MagickFormat.Jpeg);
		const view = toView(turn(upright));
		const { pages } = await viewing.describe(view, ONE);
		expect(pages).toEqual([{ width: 600, height: 800 }]);
		const pixels = await toPixels(await viewing.render(view, { page: 1, size: 'fit' }));
		expect([pixels.width, pixels.height]).toEqual([600, 800]);
		// What was on its left is above.
		expect(pixels.at(300, 200)).toBeLessThan(20);
		expect(pixels.at(300, 600)).toBeGreaterThan(235);
	});

	test('is shown smaller where it is large, and larger on demand', async () => {
		const view = toView(write(createPicture(3000, 2000), MagickFormat.Jpeg));
		const fit = await viewing.render(view, { page: 1, size: 'fit' });
		expect([fit.width, fit.height]).toEqual([1732, 1155]);
		const large = await viewing.render(view, { page: 1, size: 'large' });
		expect([large.width, large.height]).toEqual([3000, 2000]);
	});

	test('is white where it can be seen through', async () => {
		const image = MagickImage.create(MagickColors.Transparent, 400, 300);
		const view = toView(write(image, MagickFormat.Png));
		const pixels = await toPixels(await viewing.render(view, { page: 1, size: 'fit' }));
		expect(pixels.at(200, 150)).toBeGreaterThan(250);
	});

	test('of several pages is shown page by page', async () => {
		const pages = MagickImageCollection.create();
		pages.push(createPicture(400, 300), MagickImage.create(MagickColors.Gray, 200, 500));
		const content = pages.write(MagickFormat.Tiff, (bytes) => Buffer.from(bytes));
		const view = toView(content);
		expect(await viewing.describe(view, { from: 2, to: 20 })).toMatchObject({
			pageCount: 2,
			pages: [{ width: 320, height: 800 }],
		});
		const pixels = await toPixels(await viewing.render(view, { page: 2, size: 'fit' }));
		expect(pixels.at(100, 250)).toBeLessThan(150);
	});

	test('that moves is shown as its first picture', async () => {
		const frames = MagickImageCollection.create();
		frames.push(MagickImage.create(MagickColors.Black, 400, 300), createPicture(400, 300));
		const view = toView(frames.write(MagickFormat.Gif, (bytes) => Buffer.from(bytes)));
		expect((await viewing.describe(view, ONE)).pageCount).toBe(1);
		const pixels = await toPixels(await viewing.render(view, { page: 1, size: 'fit' }));
		expect(pixels.at(300, 150)).toBeLessThan(20);
	});

	test('of more pixels than can be drawn is too heavy, before it is drawn', async () => {
		// A drawing of 594 × 841 mm, of 300 dots an inch.
		const plan = createPng(9933, 7016, Buffer.alloc(7016 * 1243));
		const described = viewing.describe(toView(plan), ONE);
		await expect(described).rejects.toMatchObject({ problem: 'tooHeavy' });
	});

	test('that ends within its header is broken', async () => {
		const content = write(createPicture(400, 300), MagickFormat.Png).subarray(0, 20);
		const described = viewing.describe(toView(content), ONE);
		await expect(described).rejects.toMatchObject({ problem: 'broken' });
	});
});

describeService('a drawing', () => {
	const viewing = openViewing();
	beforeAll(startDecoder);
	const draw = (content: string, size = 'width="400" height="300"') =>
		Buffer.from(
			`<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg" ${size}>${content}</svg>`,
		);

	test('is shown with its text', async () => {
		const rectangle = '<rect width="200" height="300"/>';
		const text = '<text x="210" y="150" font-family="Arial" font-size="60">████</text>';
		const view = toView(draw(rectangle + text));
		expect(await viewing.describe(view, ONE)).toMatchObject({
			pageCount: 1,
			pages: [{ width: 458, height: 344 }],
		});
		const pixels = await toPixels(await viewing.render(view, { page: 1, size: 'fit' }));
		expect(pixels.at(100, 100)).toBeLessThan(20);
		expect(pixels.at(300, 20)).toBeGreaterThan(235);
		expect(pixels.at(300, 150)).toBeLessThan(20);
	});

	test('that is none is broken', async () => {
		const view = toView(Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><g>'));
		await expect(viewing.describe(view, ONE)).rejects.toMatchObject({ problem: 'broken' });
	});
});
