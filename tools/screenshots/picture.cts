import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Locator, Page } from 'playwright-core';

export interface Box {
	x: number;
	y: number;
	width: number;
	height: number;
}

const LARGEST_KB = 150;

/** The smallest box around everything that the locators find, with a margin. */
export async function boxAround(locators: Locator[], margin: number): Promise<Box> {
	const all = await Promise.all(locators.map(async (locator) => await locator.all()));
	const boxes = await Promise.all(all.flat().map(async (one) => await one.boundingBox()));
	const found = boxes.filter((box) => box !== null);
	if (found.length === 0) throw new Error('There is nothing to take a picture of.');
	const left = Math.min(...found.map(({ x }) => x)) - margin;
	const top = Math.min(...found.map(({ y }) => y)) - margin;
	const right = Math.max(...found.map(({ x, width }) => x + width)) + margin;
	const bottom = Math.max(...found.map(({ y, height }) => y + height)) + margin;
	return { x: left, y: top, width: right - left, height: bottom - top };
}

/**
 * Takes a picture of a part of the page.
 * @throws when its file is larger than a README should have to load
 */
export async function takePicture(page: Page, path: string, box: Box): Promise<void> {
	const { width, height } = page.viewportSize() ?? { width: 0, height: 0 };
	const x = Math.max(0, Math.floor(box.x));
	const y = Math.max(0, Math.floor(box.y));
	const clip = {
		x,
		y,
		width: Math.min(width, Math.ceil(box.x + box.width)) - x,
		height: Math.min(height, Math.ceil(box.y + box.height)) - y,
	};
	await mkdir(dirname(path), { recursive: true });
	await page.screenshot({ path, clip, animations: 'disabled', caret: 'hide' });
	const kilobytes = (await stat(path)).size / 1000;
	if (kilobytes > LARGEST_KB) throw new Error(`${path} has ${Math.round(kilobytes)} kB.`);
}
