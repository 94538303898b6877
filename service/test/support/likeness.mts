import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ImageMagick, MagickGeometry } from '@imagemagick/magick-wasm';
import { ssim } from 'ssim.js';
import type { Picture } from '../../src/viewing/tasks.mts';
import { createFolder } from './service.mts';
import { startDecoder } from './viewing.mts';

/** How alike the picture of a page is to what pdftocairo draws of it: 1 where they are the same. */
export async function measureLikeness(pdf: Buffer, { bytes, width, height }: Picture) {
	const file = join(createFolder(), 'page');
	writeFileSync(file, pdf);
	const shape = ['-scale-to-x', String(width), '-scale-to-y', String(height)];
	execFileSync('pdftocairo', ['-png', '-singlefile', '-cropbox', ...shape, file, file], {
		stdio: 'pipe',
	});
	await startDecoder();
	const toPixels = (content: Uint8Array) =>
		ImageMagick.read(content, (image) => {
			const geometry = new MagickGeometry(width, height);
			geometry.ignoreAspectRatio = true;
			image.resize(geometry);
			const data = image.getPixels((pixels) => pixels.toByteArray(0, 0, width, height, 'RGBA')!);
			return { data: new Uint8ClampedArray(data), width, height };
		});
	return ssim(toPixels(bytes), toPixels(readFileSync(`${file}.png`))).mssim;
}
