import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Locator, Page } from 'playwright-core';

export interface Box {
	x: number;
	y: number;
	width: number;
	height: number;
}

const MAX_KB = 300;

/** Returns the smallest box around all elements of the locators, with a margin. */
export async function getBoundingBox(locators: Locator[], margin: number): Promise<Box> {
	const elements = await Promise.all(locators.map(async (locator) => await locator.all()));
	const all = await Promise.all(elements.flat().map(async (one) => await one.boundingBox()));
	const boxes = all.filter((box) => box !== null);
	if (boxes.length === 0) throw new Error('The page has none of the elements for the screenshot.');
	const left = Math.min(...boxes.map(({ x }) => x)) - margin;
	const top = Math.min(...boxes.map(({ y }) => y)) - margin;
	const right = Math.max(...boxes.map(({ x, width }) => x + width)) + margin;
	const bottom = Math.max(...boxes.map(({ y, height }) => y + height)) + margin;
	return { x: left, y: top, width: right - left, height: bottom - top };
}

/**
 * Takes a screenshot of a part of the page.
 * @throws when the file is too large for a README
 */
export async function takeScreenshot(page: Page, path: string, box: Box): Promise<void> {
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
	if (kilobytes > MAX_KB) throw new Error(`${path} is too large: ${Math.round(kilobytes)} KB.`);
}
