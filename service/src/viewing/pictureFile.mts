import {
	AlphaAction,
	ColorSpace,
	ConfigurationFiles,
	FilterType,
	ImageMagick,
	initializeImageMagick,
	MagickColors,
	MagickError,
	MagickImageCollection,
	MagickReadSettings,
	Orientation,
	ResourceLimits,
} from '@imagemagick/magick-wasm';
import type { Shape } from './bitmap.mts';
import type { FileBytes } from './blocks.mts';
import { type Drawing, finishPixels } from './drawing.mts';
import type { PictureFormat } from './formats.mts';
import { insidePages } from './pageNumbers.mts';
import type { Pixels } from './pixels.mts';
import { limitShape } from './pictureSizes.mts';
import type { DocumentReader, PictureSize } from './tasks.mts';
import { ViewingError } from './viewingError.mts';
import type { WasmModule } from './webAssembly.mts';

const MAX_FILE_BYTES = 100 * 1024 * 1024;
const MAX_SIDE = 30_000n;
const MAX_PIXELS = 64_000_000n;
const MAX_PAGES = 1000n;
/** ImageMagick's numbers for what has no room: memory, sides, pixels. */
const RESOURCE_ERRORS = [400, 445];
/** Turned by a quarter. */
const TURNED: number[] = [
	Orientation.LeftTop,
	Orientation.RightTop,
	Orientation.RightBottom,
	Orientation.LeftBottom,
];

/** ImageMagick reads many formats by their content, whatever it is told: these, and no others. */
const POLICY = `<policymap>
<policy domain="delegate" rights="none" pattern="*"/>
<policy domain="filter" rights="none" pattern="*"/>
<policy domain="path" rights="none" pattern="@*"/>
<policy domain="coder" rights="none" pattern="*"/>
<policy domain="coder" rights="read" pattern="{AVIF,BMP,BMP2,BMP3,GIF,HEIC,JPEG,JPG,PNG,PNG8,PNG24,PNG32,TIFF,TIFF64,WEBP}"/>
</policymap>`;

async function startMagick(module: WasmModule): Promise<void> {
	const configuration = ConfigurationFiles.default;
	configuration.policy.data = POLICY;
	await initializeImageMagick(module as never, configuration);
	ResourceLimits.width = MAX_SIDE;
	ResourceLimits.height = MAX_SIDE;
	ResourceLimits.area = MAX_PIXELS;
	ResourceLimits.listLength = MAX_PAGES;
	ResourceLimits.disk = 0n;
}

interface Frame extends Shape {
	orientation: Orientation;
}

export async function openPicture(
	drawing: Drawing,
	bytes: FileBytes,
	{ format, module }: { format: PictureFormat; module: WasmModule },
): Promise<DocumentReader> {
	if (bytes.size > MAX_FILE_BYTES) throw new ViewingError('tooHeavy');
	await startMagick(module);
	const frames = attemptPicture(() => readFrames(bytes, format));
	// It is said at once, rather than by a picture that is missing. A JPEG is decoded smaller.
	const isTooHeavy = ({ width, height }: Frame) => width * height > MAX_PIXELS;
	if (format !== 'JPEG' && frames.every(isTooHeavy)) throw new ViewingError('tooHeavy');

	function getShape(page: number, size: PictureSize): Shape {
		const frame = frames[page - 1];
		if (frame === undefined) throw new ViewingError('noPage');
		const { width, height } = frame;
		const isTurned = TURNED.includes(frame.orientation);
		return limitShape(isTurned ? { width: height, height: width } : { width, height }, size);
	}

	return {
		describe(pages) {
			const inside = insidePages(pages, frames.length);
			return {
				pageCount: frames.length,
				pages: inside.map((page) => getShape(page, 'fit')),
				outline: [],
				mayReadAloud: true,
			};
		},
		readText: (pages) =>
			insidePages(pages, frames.length).map(() => ({ text: '', isCut: false, lacksGlyphs: false })),
		async render({ page, size, mark }) {
			const shape = getShape(page, size);
			const pixels = attemptPicture(() => readPixels(bytes, { format, page, shape }));
			return await finishPixels(drawing, pixels, mark);
		},
	};
}

function readFrames(bytes: FileBytes, format: PictureFormat): Frame[] {
	const settings = new MagickReadSettings({ format });
	// Of what moves, the first picture is seen.
	if (format !== 'TIFF') settings.frameCount = 1;
	const images = MagickImageCollection.create();
	try {
		images.ping(bytes.read(0, bytes.size), settings);
		return images.map(({ width, height, orientation }) => ({ width, height, orientation }));
	} finally {
		images.dispose();
	}
}

function readPixels(
	bytes: FileBytes,
	{ format, page, shape }: { format: PictureFormat; page: number; shape: Shape },
): Pixels {
	const settings = new MagickReadSettings({ format, frameIndex: page - 1, frameCount: 1 });
	// A JPEG is decoded smaller, but not smaller than this, whichever way it is turned.
	const side = Math.max(shape.width, shape.height);
	if (format === 'JPEG') settings.setDefine('JPEG', 'size', `${side}x${side}`);
	return ImageMagick.read(bytes.read(0, bytes.size), settings, (image) => {
		image.autoOrient();
		const { width, height } = shape;
		if (image.width !== width || image.height !== height) {
			image.resize(width, height, FilterType.Triangle);
		}
		image.colorSpace = ColorSpace.sRGB;
		image.backgroundColor = MagickColors.White;
		image.alpha(AlphaAction.Remove);
		const data = image.getPixels((pixels) => pixels.toByteArray(0, 0, width, height, 'RGBA'));
		if (data === null) throw new ViewingError('broken');
		return { data: new Uint8ClampedArray(data.buffer), width, height };
	});
}

function attemptPicture<Value>(read: () => Value): Value {
	try {
		return read();
	} catch (error) {
		if (!(error instanceof MagickError)) throw error;
		const isTooHeavy = RESOURCE_ERRORS.includes(error.severity);
		throw new ViewingError(isTooHeavy ? 'tooHeavy' : 'broken', error.message);
	}
}
