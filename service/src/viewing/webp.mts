import type { Pixels } from './pixels.mts';
import type { WasmModule } from './webAssembly.mts';

const QUALITY = 78;
/** Of 0 to 6: a higher one takes twice the time for a file that is 2 % smaller. */
const EFFORT = 2;

interface Encoder {
	encode(data: Uint8ClampedArray, width: number, height: number, options: object): Uint8Array;
}

export async function startWebp(module: WasmModule): Promise<(pixels: Pixels) => Uint8Array> {
	const { init } = await import('@jsquash/webp/encode.js');
	const { defaultOptions } = await import('@jsquash/webp/meta.js');
	const encoder = (await init(module as never)) as unknown as Encoder;
	const options = { ...defaultOptions, quality: QUALITY, method: EFFORT };
	return ({ data, width, height }) => Uint8Array.from(encoder.encode(data, width, height, options));
}
