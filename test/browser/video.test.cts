import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BrowserContext } from 'playwright-core';
import { openChromium } from '../../tools/editor/chromium.cts';
import { encodeGif, encodeVideo } from '../../tools/video/film.cts';
import type { Picture } from '../../tools/video/recording.cts';

describe('the encoder of the demo film', () => {
	let profile: string;
	let context: BrowserContext;
	let pictures: Picture[];
	jest.setTimeout(120_000);

	beforeAll(async () => {
		profile = await mkdtemp(join(tmpdir(), 'video-'));
		context = await openChromium({ profile });
		const page = context.pages()[0];
		pictures = [];
		for (const [index, color] of ['red', 'lime', 'blue'].entries()) {
			await page.setContent(`<body style="background: ${color}">`);
			const jpeg = await page.screenshot({ type: 'jpeg' });
			pictures.push({ jpeg, caption: `This is ${color}`, time: index * 2, duration: 2 });
		}
	});
	afterAll(async () => {
		await context?.close();
		await rm(profile, { recursive: true, force: true });
	});

	it('makes a WebM video', async () => {
		const video = await encodeVideo(context, pictures);

		expect(video.subarray(0, 4).toString('hex')).toBe('1a45dfa3');
		expect(video.subarray(0, 64).toString('latin1')).toContain('webm');
	});

	it('makes a GIF with a frame for each picture', async () => {
		const gif = await encodeGif(context, pictures);

		expect(gif.subarray(0, 6).toString()).toBe('GIF89a');
		expect([gif.readUInt16LE(6), gif.readUInt16LE(8)]).toEqual([960, 600]);
		// The graphic control extension of each frame, with its delay in hundredths of a second.
		expect(gif.toString('latin1').split('\x21\xf9\x04\x00\xc8\x00').length - 1).toBe(3);
	});

	it('refuses a caption that needs more than two lines', async () => {
		const long = { ...pictures[0], caption: 'word '.repeat(60) };

		await expect(encodeVideo(context, [long])).rejects.toThrow('The caption is too long');
	});
});
