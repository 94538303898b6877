// Runs in Chromium, which has decoders, encoders and fonts: see film.cts.
import { applyPalette, GIFEncoder, quantize } from 'gifenc';
import { BufferTarget, CanvasSource, Output, WebMOutputFormat } from 'mediabunny';

const FONT = '600 26px "Liberation Sans", Arial, sans-serif';
const LINE_HEIGHT = 32;
const MARGIN = 40;
const MAX_LINES = 2;
const COLORS = { background: '#101330', text: '#ffffff' };

/**
 * A canvas that shows a picture with a caption below it.
 * @param page size of the pictures
 * @param film size of the canvas, in whose proportions the caption has its place below the picture
 */
function createCanvas(page, film, scale) {
	const canvas = document.createElement('canvas');
	canvas.width = Math.round(film.width * scale);
	canvas.height = Math.round(film.height * scale);
	const context = canvas.getContext('2d', { alpha: false, willReadFrequently: true });
	context.scale(scale, scale);
	context.imageSmoothingQuality = 'high';
	const draw = async ({ url, caption }) => {
		const image = await createImageBitmap(await fetchBlob(url));
		context.fillStyle = COLORS.background;
		context.fillRect(0, 0, film.width, film.height);
		context.drawImage(image, 0, 0, page.width, page.height);
		image.close();
		context.font = FONT;
		context.fillStyle = COLORS.text;
		context.textAlign = 'center';
		context.textBaseline = 'middle';
		const lines = breakLines(context, caption, film.width - 2 * MARGIN);
		const middle = (page.height + film.height) / 2;
		for (const [index, line] of lines.entries()) {
			const offset = (index - (lines.length - 1) / 2) * LINE_HEIGHT;
			context.fillText(line, film.width / 2, middle + offset);
		}
	};
	return { canvas, context, draw };
}

async function fetchBlob(url) {
	return await (await fetch(url)).blob();
}

function breakLines(context, text, width) {
	const lines = [''];
	for (const word of text.split(' ')) {
		const longer = `${lines.at(-1)} ${word}`.trim();
		if (context.measureText(longer).width <= width) lines[lines.length - 1] = longer;
		else lines.push(word);
	}
	if (lines.length > MAX_LINES) throw new Error(`The caption is too long: ${text}`);
	return lines;
}

/** Encodes pictures as a WebM video. */
export async function encodeVideo({ pictures, page, film, scale }) {
	const { canvas, draw } = createCanvas(page, film, scale);
	const output = new Output({ format: new WebMOutputFormat(), target: new BufferTarget() });
	const source = new CanvasSource(canvas, { codec: 'vp9', bitrate: 3_000_000 });
	output.addVideoTrack(source);
	await output.start();
	for (const picture of pictures) {
		await draw(picture);
		await source.add(picture.time, picture.duration);
	}
	await output.finalize();
	return new Uint8Array(output.target.buffer);
}

/** Encodes pictures as a GIF that repeats. */
export async function encodeGif({ pictures, page, film, gifScale }) {
	const { canvas, context, draw } = createCanvas(page, film, gifScale);
	const gif = GIFEncoder();
	for (const picture of pictures) {
		await draw(picture);
		const { data } = context.getImageData(0, 0, canvas.width, canvas.height);
		const palette = quantize(data, 256);
		const index = applyPalette(data, palette);
		gif.writeFrame(index, canvas.width, canvas.height, { palette, delay: picture.duration * 1000 });
	}
	gif.finish();
	return gif.bytes();
}
