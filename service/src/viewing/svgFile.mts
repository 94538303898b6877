import { initWasm, Resvg } from '@resvg/resvg-wasm';
import type { Shape } from './bitmap.mts';
import type { FileBytes } from './blocks.mts';
import { type Drawing, finishPixels } from './drawing.mts';
import { limitShape, SIZES } from './pictureSizes.mts';
import type { OpenFile, PictureSize } from './tasks.mts';
import { ViewingError } from './viewingError.mts';
import type { WasmModule } from './webAssembly.mts';

const MAX_FILE_BYTES = 10 * 1024 * 1024;
/** What a pixel of a drawing is. */
const DOTS_PER_INCH = 96;

/** Nothing is loaded from elsewhere, no script runs. */
export async function openSvg(
	drawing: Drawing,
	bytes: FileBytes,
	{ font, module }: { font: Uint8Array; module: WasmModule },
): Promise<OpenFile> {
	if (bytes.size > MAX_FILE_BYTES) throw new ViewingError('tooHeavy');
	await initWasm(module as never);
	const fonts = { fontBuffers: [Uint8Array.from(font)], defaultFontFamily: 'DejaVu Sans' };
	const { width, height } = withDrawing({}, (drawn) => ({
		width: drawn.width,
		height: drawn.height,
	}));

	function withDrawing<Value>(
		options: ConstructorParameters<typeof Resvg>[1],
		use: (drawn: InstanceType<typeof Resvg>) => Value,
	): Value {
		const drawn = parse(bytes.read(0, bytes.size), { ...options, font: fonts });
		try {
			return use(drawn);
		} finally {
			drawn.free();
		}
	}

	function getShape(size: PictureSize): Shape {
		const factor = SIZES[size].dotsPerInch / DOTS_PER_INCH;
		return limitShape({ width: width * factor, height: height * factor }, size);
	}

	return {
		describe: ({ from, to }) => ({
			pageCount: 1,
			pages: from <= 1 && to >= 1 ? [getShape('fit')] : [],
			outline: [],
			mayReadAloud: true,
		}),
		readText: ({ from, to }) => (from <= 1 && to >= 1 ? [{ text: '', isCut: false }] : []),
		async render({ page, size, mark }) {
			if (page !== 1) throw new ViewingError('noPage');
			const fitTo = { mode: 'width', value: getShape(size).width } as const;
			const pixels = withDrawing({ fitTo, background: '#fff' }, (drawn) => {
				const image = drawn.render();
				const data = new Uint8ClampedArray(image.pixels);
				const shape = { width: image.width, height: image.height };
				image.free();
				return { data, ...shape };
			});
			return finishPixels(drawing, pixels, mark);
		},
	};
}

function parse(content: Uint8Array, options: ConstructorParameters<typeof Resvg>[1]) {
	try {
		return new Resvg(content, options);
	} catch (error) {
		// What isn't a drawing is refused with a sentence, not with an error of its engine.
		if (error instanceof WebAssembly.RuntimeError) throw error;
		throw new ViewingError('broken', String(error));
	}
}
