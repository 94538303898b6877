import type { Shape } from './bitmap.mts';
import type { PictureSize } from './tasks.mts';

interface Limit {
	dotsPerInch: number;
	pixels: number;
}

export const SIZES: Record<PictureSize, Limit> = {
	fit: { dotsPerInch: 110, pixels: 2_000_000 },
	large: { dotsPerInch: 200, pixels: 8_000_000 },
};
const MAX_SIDE = 8000;
/** A mark on a smaller one couldn't be read. */
const MIN_WIDTH = 320;

/** As large as it is, within what a picture of this size can be. */
export function limitShape({ width, height }: Shape, size: PictureSize): Shape {
	const byWidth = Math.max(1, MIN_WIDTH / width);
	const byPixels = Math.sqrt(SIZES[size].pixels / (width * height));
	const bySide = MAX_SIDE / Math.max(width, height);
	const factor = Math.min(byWidth, byPixels, bySide);
	return {
		width: Math.max(1, Math.round(width * factor)),
		height: Math.max(1, Math.round(height * factor)),
	};
}
