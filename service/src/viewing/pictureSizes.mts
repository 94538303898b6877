import type { Shape } from './bitmap.mts';
import type { PictureSize } from './tasks.mts';

interface Limit {
	dotsPerInch: number;
	pixels: number;
}

export const SIZES: Record<PictureSize, Limit> = {
	fit: { dotsPerInch: 110, pixels: 2_000_000 },
	large: { dotsPerInch: 200, pixels: 12_000_000 },
};
const MAX_SIDE = 8000;

/** As large as it is, but not larger than a picture of this size can be. */
export function limitShape({ width, height }: Shape, size: PictureSize): Shape {
	const byPixels = Math.sqrt(SIZES[size].pixels / (width * height));
	const bySide = MAX_SIDE / Math.max(width, height);
	const factor = Math.min(1, byPixels, bySide);
	return {
		width: Math.max(1, Math.floor(width * factor)),
		height: Math.max(1, Math.floor(height * factor)),
	};
}
