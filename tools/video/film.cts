import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { BrowserContext } from 'playwright-core';
import { PAGE_SIZE, SCALE, type Picture } from './recording.cts';

/** The picture of the page, and below it the caption, in CSS pixels. */
const FILM_SIZE = { width: PAGE_SIZE.width, height: PAGE_SIZE.height + 80 };
const GIF_WIDTH = 960;
/** Chromium offers its encoders only to pages that are secure, which localhost is. */
const ORIGIN = 'http://localhost';
const MODULES = {
	filmPage: join(__dirname, 'filmPage.mjs'),
	mediabunny: join(dirname(require.resolve('mediabunny')), 'mediabunny.min.mjs'),
	gifenc: join(dirname(require.resolve('gifenc')), 'gifenc.esm.js'),
};

/** Encodes pictures with their captions as a WebM video (VP9, no sound). */
export async function encodeVideo(context: BrowserContext, pictures: Picture[]): Promise<Buffer> {
	return await encode(context, 'encodeVideo', pictures);
}

/** Encodes pictures with their captions as a GIF that repeats. */
export async function encodeGif(context: BrowserContext, pictures: Picture[]): Promise<Buffer> {
	return await encode(context, 'encodeGif', pictures);
}

async function encode(context: BrowserContext, name: string, pictures: Picture[]): Promise<Buffer> {
	const files = pictures.map(({ jpeg }) => jpeg);
	const bytes = await runInPage<Uint8Array>(context, name, files, (urls) => ({
		pictures: pictures.map(({ caption, time, duration }, index) => ({
			url: urls[index],
			caption,
			time,
			duration,
		})),
		page: PAGE_SIZE,
		film: FILM_SIZE,
		scale: SCALE,
		gifScale: GIF_WIDTH / FILM_SIZE.width,
	}));
	return Buffer.from(bytes);
}

/** Calls a function of filmPage.mjs in a page that can fetch these files. */
async function runInPage<T>(
	context: BrowserContext,
	name: string,
	files: Buffer[],
	getOptions: (urls: string[]) => object,
): Promise<T> {
	const page = await context.newPage();
	const imports = Object.keys(MODULES).map((module) => [module, `${ORIGIN}/${module}.mjs`]);
	const map = JSON.stringify({ imports: Object.fromEntries(imports) });
	const html = `<script type="importmap">${map}</script>`;
	const bodies = new Map<string, { contentType: string; body: string | Buffer }>([
		['/', { contentType: 'text/html', body: html }],
		...files.map((body, index) => [`/${index}`, { contentType: '', body }] as const),
	]);
	for (const [module, path] of Object.entries(MODULES)) {
		bodies.set(`/${module}.mjs`, { contentType: 'text/javascript', body: await readFile(path) });
	}
	await page.route(`${ORIGIN}/**`, async (route) => {
		await route.fulfill(bodies.get(new URL(route.request().url()).pathname) ?? { status: 404 });
	});
	try {
		await page.goto(`${ORIGIN}/`);
		const options = JSON.stringify(getOptions(files.map((_, index) => `${ORIGIN}/${index}`)));
		return await page.evaluate<T>(
			`import('filmPage').then((filmPage) => filmPage.${name}(${options}))`,
		);
	} finally {
		await page.close();
	}
}
