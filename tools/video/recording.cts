import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { projectRoot } from '../project.cts';

/** What a shot is called, says and lasts. What happens in it is in shots.cts. */
export interface ShotPlan {
	name: string;
	caption: string;
	seconds: number;
	/** How long the GIF shows its last picture; 0 if it is not in the GIF. */
	gifSeconds: number;
}

/** What n8n's reviewers have to watch, at most. */
export const MAX_SECONDS = 180;

/** Reads the table of docs/storyboard.md. */
export async function readStoryboard(): Promise<ShotPlan[]> {
	const text = await readFile(join(projectRoot, 'docs', 'storyboard.md'), 'utf8');
	const rows = text.split('\n').filter((line) => /^\| [a-z]/.test(line));
	return rows.map((row) => {
		const [, name, , caption, seconds, gifSeconds] = row.split('|').map((cell) => cell.trim());
		return { name, caption, seconds: Number(seconds), gifSeconds: Number(gifSeconds) };
	});
}

/** A picture of the page. */
interface Frame {
	/** Milliseconds since the start of the shot. */
	time: number;
	jpeg: Buffer;
}

export interface Shot extends ShotPlan {
	/** Oldest first, at least one. */
	frames: Frame[];
	/** How long its actions took, in milliseconds. */
	duration: number;
}

/** A picture of the film, with the times in seconds. */
export interface Picture {
	jpeg: Buffer;
	caption: string;
	time: number;
	duration: number;
}

/** Does some work that the film leaves out, such as loading a page. */
export type LeaveOut = <T>(work: () => Promise<T>) => Promise<T>;

/** In CSS pixels; the film has more pixels, by this scale. */
export const PAGE_SIZE = { width: 1280, height: 720 };
export const SCALE = 1.5;
const JPEG_QUALITY = 90;
const MAX_FRAMES_PER_SECOND = 12;
/** The last picture of each shot stays at least this long. */
const HOLD_SECONDS = 2.5;
/** Until the page has drawn the result of the last action. */
const SETTLE_MS = 700;

/** Records a page while it does the work of each shot. */
export async function recordShots(
	page: Page,
	plans: ShotPlan[],
	work: (plan: ShotPlan, leaveOut: LeaveOut) => Promise<void>,
): Promise<Shot[]> {
	const shots: Shot[] = [];
	let frames: Frame[] = [];
	let startedAt = Date.now();
	let isLeftOut = false;
	const keep = (jpeg: Buffer) => frames.push({ time: Date.now() - startedAt, jpeg });
	/** Sharper than a frame of the screencast, which has no more pixels than the page has CSS pixels. */
	const takePicture = async () => {
		await page.waitForTimeout(SETTLE_MS);
		return await page.screenshot({ type: 'jpeg', quality: JPEG_QUALITY });
	};
	const leaveOut: LeaveOut = async (unseen) => {
		const since = Date.now();
		isLeftOut = true;
		const result = await unseen();
		const picture = await takePicture();
		isLeftOut = false;
		startedAt += Date.now() - since;
		keep(picture);
		return result;
	};
	await page.screencast.start({
		size: PAGE_SIZE,
		quality: JPEG_QUALITY,
		onFrame: ({ data }) => {
			if (!isLeftOut) keep(data);
		},
	});
	let picture = await takePicture();
	for (const plan of plans) {
		frames = [];
		startedAt = Date.now();
		keep(picture);
		await work(plan, leaveOut);
		picture = await takePicture();
		keep(picture);
		shots.push({ ...plan, frames, duration: Date.now() - startedAt });
	}
	await page.screencast.stop();
	return shots;
}

/** Puts the shots one after the other, each as long as planned: where n8n is slow, the film is faster. */
export function layOut(shots: Shot[]): Picture[] {
	const pictures: Picture[] = [];
	let start = 0;
	for (const { frames, duration, caption, seconds } of shots) {
		const speed = Math.max(1, duration / 1000 / (seconds - HOLD_SECONDS));
		const timed = frames.map(({ jpeg, time }) => ({ jpeg, time: time / 1000 / speed }));
		const shown = timed.filter(
			({ time }, index) =>
				index === timed.length - 1 || timed[index + 1].time - time >= 1 / MAX_FRAMES_PER_SECOND,
		);
		for (const [index, { jpeg, time }] of shown.entries()) {
			const from = index === 0 ? 0 : time;
			const to = shown[index + 1]?.time ?? seconds;
			pictures.push({ jpeg, caption, time: start + from, duration: to - from });
		}
		start += seconds;
	}
	return pictures;
}

/** Returns the last picture of each shot that belongs to the GIF. */
export function selectStills(shots: Shot[]): Picture[] {
	return shots
		.filter(({ gifSeconds }) => gifSeconds > 0)
		.map(({ frames, caption, gifSeconds }) => ({
			jpeg: frames[frames.length - 1].jpeg,
			caption,
			time: 0,
			duration: gifSeconds,
		}));
}
