import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { startEditorEnvironment } from './demoService.cts';
import { openEditor } from './editor/editor.cts';
import { runCommand } from './processes.cts';
import { findProgram } from './programs.cts';
import { cacheFolder, createRunFolder, projectRoot } from './project.cts';
import { shots, type Scene } from './video/shots.cts';
import { log, runTool, step } from './tool.cts';

/** In CSS pixels; the film has more pixels, by this scale, and the caption below the page. */
const PAGE_SIZE = { width: 1280, height: 720 };
const SCALE = 1.5;
const FILM = { width: 1920, height: 1200 };
const JPEG_QUALITY = 90;
const MAX_GIF_BYTES = 3_000_000;
/** The last picture of each shot stays at least this long. */
const HOLD_SECONDS = 2.5;
/** Until the page has drawn the result of the last action. */
const SETTLE_MS = 700;

/** A row of docs/storyboard.md. The GIF shows the last picture for `gifSeconds`, if it is in it. */
interface Plan {
	name: string;
	caption: string;
	seconds: number;
	gifSeconds: number;
}

/** Its pictures, at least one, with their milliseconds since the start of the shot, and how long its actions took. */
interface Shot extends Plan {
	frames: Array<{ time: number; jpeg: Buffer }>;
	duration: number;
}

/** A picture of the film, and how many seconds it stays. */
interface Picture {
	jpeg: Buffer;
	caption: string;
	seconds: number;
}

/** Records the demo film in the real n8n, with the sandbox as its service. */
async function main() {
	const ffmpeg = findProgram(['ffmpeg'], ['ffmpeg', 'fonts-liberation']);
	const storyboard = await readFile(join(projectRoot, 'docs', 'storyboard.md'), 'utf8');
	const plans = storyboard
		.split('\n')
		.filter((line) => /^\| [a-z]/.test(line))
		.map(toPlan);
	const { sandbox, server, profile, file, stop } = await startEditorEnvironment();
	const editor = await openEditor(server, { profile, ...PAGE_SIZE, scale: SCALE });
	const { page } = editor;
	const recorded: Shot[] = [];
	try {
		await editor.record(join(cacheFolder, 'browser', 'failures', 'video'), async () => {
			await page.addInitScript({ path: join(__dirname, 'video', 'pointer.js') });
			await page.goto(`${server.url}/settings/community-nodes`);
			const recorder = await startRecorder(page);
			const { leaveOut } = recorder;
			const scene: Scene = { editor, page, server, sandbox, file, form: '', leaveOut };
			for (const plan of plans) {
				await step(`Recording "${plan.name}"`, async () => {
					recorded.push(await recorder.record(plan, async () => await shots[plan.name](scene)));
				});
			}
		});
	} finally {
		await editor.close();
		await stop();
	}
	const film = join(cacheFolder, 'video', 'demo.webm');
	const gif = join(projectRoot, 'docs', 'images', 'demo.gif');
	const vp9 = ['-c:v', 'libvpx-vp9', '-crf', '36', '-b:v', '0', '-cpu-used', '5', '-row-mt', '1'];
	await mkdir(join(cacheFolder, 'video'), { recursive: true });
	await step('Encoding the film', async () => {
		await encode(ffmpeg, recorded.flatMap(layOut), 'fps=12', [...vp9, film]);
		const stills = recorded
			.filter(({ gifSeconds }) => gifSeconds > 0)
			.map(({ frames, caption, gifSeconds }) => {
				return { jpeg: frames[frames.length - 1].jpeg, caption, seconds: gifSeconds };
			});
		const palette = 'fps=2,scale=960:-1,split[a][b];[a]palettegen[p];[b][p]paletteuse';
		await encode(ffmpeg, stills, palette, [gif]);
	});
	const { size } = await stat(gif);
	if (size > MAX_GIF_BYTES) throw new Error(`The GIF is too large: ${size} bytes.`);
	log(`The film is ${film}, the GIF is ${gif}`);
}

function toPlan(row: string): Plan {
	const [, name, , caption, seconds, gifSeconds] = row.split('|').map((cell) => cell.trim());
	return { name, caption, seconds: Number(seconds), gifSeconds: Number(gifSeconds) };
}

async function startRecorder(page: Page) {
	let frames: Shot['frames'] = [];
	let startedAt = Date.now();
	let isLeftOut = false;
	const keep = (jpeg: Buffer) => frames.push({ time: Date.now() - startedAt, jpeg });
	/** Sharper than a frame of the screencast, which has no more pixels than the page has CSS pixels. */
	const takePicture = async () => {
		await page.waitForTimeout(SETTLE_MS);
		return await page.screenshot({ type: 'jpeg', quality: JPEG_QUALITY });
	};
	await page.screencast.start({
		size: PAGE_SIZE,
		quality: JPEG_QUALITY,
		onFrame: ({ data }) => {
			if (!isLeftOut) keep(data);
		},
	});
	let picture = await takePicture();
	return {
		async record(plan: Plan, work: () => Promise<void>): Promise<Shot> {
			frames = [];
			startedAt = Date.now();
			keep(picture);
			await work();
			picture = await takePicture();
			keep(picture);
			return { ...plan, frames, duration: Date.now() - startedAt };
		},
		/** Does some work that the film leaves out, such as loading a page. */
		async leaveOut<T>(work: () => Promise<T>): Promise<T> {
			const since = Date.now();
			isLeftOut = true;
			const result = await work();
			const shown = await takePicture();
			isLeftOut = false;
			startedAt += Date.now() - since;
			keep(shown);
			return result;
		},
	};
}

/** Makes a shot as long as planned: where n8n is slow, the film is faster. */
function layOut({ frames, duration, caption, seconds }: Shot): Picture[] {
	const speed = Math.max(1, duration / 1000 / (seconds - HOLD_SECONDS));
	const starts = [0, ...frames.slice(1).map(({ time }) => time / 1000 / speed), seconds];
	return frames.map(({ jpeg }, index) => {
		return { jpeg, caption, seconds: starts[index + 1] - starts[index] };
	});
}

/** Encodes pictures with their captions. ffmpeg breaks a long caption into lines. */
async function encode(ffmpeg: string, pictures: Picture[], filter: string, output: string[]) {
	const folder = await createRunFolder('video');
	const list = ['ffconcat version 1.0'];
	const captions: string[] = [];
	let time = 0;
	for (const [index, { jpeg, caption, seconds }] of pictures.entries()) {
		await writeFile(join(folder, `${index}.jpg`), jpeg);
		list.push(`file ${index}.jpg`, `duration ${seconds}`);
		captions.push(
			`${index}\n${toTimestamp(time)} --> ${toTimestamp(time + seconds)}\n${caption}\n`,
		);
		time += seconds;
	}
	// ffmpeg ignores how long the last file of a list stays.
	list.push(`file ${pictures.length - 1}.jpg`);
	await writeFile(join(folder, 'pictures.txt'), list.join('\n'));
	await writeFile(join(folder, 'captions.srt'), captions.join('\n'));
	const style = 'FontName=Liberation Sans,Bold=1,FontSize=9,Outline=0,MarginV=7';
	const filters = [
		`scale=${FILM.width}:${PAGE_SIZE.height * SCALE}`,
		`pad=${FILM.width}:${FILM.height}:0:0:0x101330`,
		`subtitles=captions.srt:force_style='${style}'`,
		filter,
	];
	await runCommand({
		command: ffmpeg,
		args: [
			...['-y', '-loglevel', 'error', '-f', 'concat', '-i', 'pictures.txt', '-t', String(time)],
			...['-vf', filters.join(), ...output],
		],
		cwd: folder,
		env: process.env,
		stdout: join(folder, 'ffmpeg.log'),
	});
}

/** The time as subtitles have it: 00:01:02,345. */
const toTimestamp = (seconds: number) =>
	new Date(Math.round(seconds * 1000)).toISOString().slice(11, 23).replace('.', ',');

runTool(main);
