import { readFileSync } from 'node:fs';
import { initWasm, Resvg } from '@resvg/resvg-wasm';
import type { Shape } from './bitmap.mts';
import type { FileBytes } from './blocks.mts';
import { type Drawing, finishPixels } from './drawing.mts';
import { findEastAsianFonts, findFontFile } from './fontFiles.mts';
import { limitShape, SIZES } from './pictureSizes.mts';
import { insidePages } from './pageNumbers.mts';
import type {
	Description,
	DocumentReader,
	PageRange,
	PageText,
	Picture,
	PictureSize,
	RenderTask,
} from './tasks.mts';
import { ViewingError } from './viewingError.mts';
import type { WasmModule } from './webAssembly.mts';

const MAX_FILE_BYTES = 10 * 1024 * 1024;
/** What a pixel of a drawing is. */
const DOTS_PER_INCH = 96;

type SvgOptions = ConstructorParameters<typeof Resvg>[1];
type ParsedSvg = InstanceType<typeof Resvg>;

/** Nothing is loaded from elsewhere, no script runs. */
export async function openSvg(
	drawing: Drawing,
	bytes: FileBytes,
	{ font, module }: { font: Uint8Array; module: WasmModule },
): Promise<DocumentReader> {
	if (bytes.size > MAX_FILE_BYTES) throw new ViewingError('tooHeavy');
	await initWasm(module as never);
	return new SvgFile(drawing, bytes, font);
}

class SvgFile implements DocumentReader {
	private readonly fonts: NonNullable<SvgOptions>['font'];
	private readonly shape: Shape;

	constructor(
		private readonly drawing: Drawing,
		private readonly bytes: FileBytes,
		font: Uint8Array,
	) {
		const text = Buffer.from(bytes.read(0, bytes.size)).toString();
		const others = findEastAsianFonts(text).map((name) => readFileSync(findFontFile(name)));
		const fontBuffers = [font, ...others].map((buffer) => Uint8Array.from(buffer));
		this.fonts = { fontBuffers, defaultFontFamily: 'DejaVu Sans' };
		this.shape = this.parse({}, ({ width, height }) => ({ width, height }));
	}

	describe(pages: PageRange): Description {
		const shapes = insidePages(pages, 1).map(() => this.getShape('fit'));
		return { pageCount: 1, pages: shapes, outline: [], mayReadAloud: true };
	}

	readText(pages: PageRange): PageText[] {
		return insidePages(pages, 1).map(() => ({ text: '', isCut: false, lacksGlyphs: false }));
	}

	async render({ page, size, mark }: RenderTask): Promise<Picture> {
		if (page !== 1) throw new ViewingError('noPage');
		const fitTo = { mode: 'width', value: this.getShape(size).width } as const;
		const pixels = this.parse({ fitTo, background: '#fff' }, (parsed) => {
			const image = parsed.render();
			const { width, height } = image;
			const data = new Uint8ClampedArray(image.pixels);
			image.free();
			return { data, width, height };
		});
		return await finishPixels(this.drawing, pixels, mark);
	}

	private getShape(size: PictureSize): Shape {
		const factor = SIZES[size].dotsPerInch / DOTS_PER_INCH;
		const { width, height } = this.shape;
		return limitShape({ width: width * factor, height: height * factor }, size);
	}

	private parse<Value>(options: SvgOptions, use: (parsed: ParsedSvg) => Value): Value {
		const content = this.bytes.read(0, this.bytes.size);
		const parsed = parseSvg(content, { ...options, font: this.fonts });
		try {
			return use(parsed);
		} finally {
			parsed.free();
		}
	}
}

function parseSvg(content: Uint8Array, options: SvgOptions): ParsedSvg {
	try {
		return new Resvg(content, options);
	} catch (error) {
		// An abort of the engine is no answer about the file.
		if (error instanceof WebAssembly.RuntimeError) throw error;
		throw new ViewingError('broken', String(error));
	}
}
