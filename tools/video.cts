import { mkdir, readFile, writeFile } from 'node:fs/promises';
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
const JPEG_QUALITY = 90;
/** The last picture of each shot stays at least this long. */
const HOLD_SECONDS = 2.5;
/** Until the page has drawn the result of the last action. */
const SETTLE_MS = 700;

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
	const rows = storyboard.split('\n').filter((line) => /^\| [a-z]/.test(line));
	const environment = await startEditorEnvironment();
	const { server, profile } = environment;
	const editor = await openEditor(server.access, { profile, ...PAGE_SIZE, scale: SCALE });
	const { page } = editor;
	const film: Picture[] = [];
	const stills: Picture[] = [];
	try {
		await editor.record(join(cacheFolder, 'browser', 'failures', 'video'), async () => {
			await page.addInitScript({ path: join(__dirname, 'video', 'pointer.js') });
			await page.goto(`${server.url}/settings/community-nodes`);
			const record = await startRecorder(page);
			const scene: Scene = { ...environment, ...editor, form: '' };
			for (const row of rows) {
				const [, name, , caption, seconds, inGif] = row.split('|').map((cell) => cell.trim());
				log(`Recording "${name}" ...`);
				const shot = await record(Number(seconds), async () => await shots[name](scene));
				film.push(...shot.map((picture) => ({ ...picture, caption })));
				if (inGif !== '') stills.push({ ...film[film.length - 1], seconds: Number(inGif) });
			}
		});
	} finally {
		await editor.close();
		await environment.stop();
	}
	const folder = join(cacheFolder, 'video');
	const path = join(folder, 'demo.webm');
	const gif = join(projectRoot, 'docs', 'images', 'demo.gif');
	const vp9 = ['-c:v', 'libvpx-vp9', '-crf', '36', '-b:v', '0', '-cpu-used', '5', '-row-mt', '1'];
	await mkdir(folder, { recursive: true });
	await step('Encoding the film', async () => {
		await encode(ffmpeg, film, 'fps=12', [...vp9, path]);
		const palette = 'fps=2,scale=960:-1,split[a][b];[a]palettegen[p];[b][p]paletteuse';
		await encode(ffmpeg, stills, palette, [gif]);
	});
	log(`The film is ${path}, the GIF is ${gif}`);
}

async function startRecorder(page: Page) {
	let frames: Array<{ time: number; jpeg: Buffer }> = [];
	let startedAt = 0;
	const keep = (jpeg: Buffer) => frames.push({ time: (Date.now() - startedAt) / 1000, jpeg });
	/** Sharper than a frame of the screencast, which has no more pixels than the page has CSS pixels. */
	const takePicture = async () => {
		await page.waitForTimeout(SETTLE_MS);
		return await page.screenshot({ type: 'jpeg', quality: JPEG_QUALITY });
	};
	const onFrame = ({ data }: { data: Buffer }) => void keep(data);
	await page.screencast.start({ size: PAGE_SIZE, quality: JPEG_QUALITY, onFrame });
	let picture = await takePicture();
	/** Records a shot of this length: where n8n is slow, the film is faster. */
	return async (seconds: number, work: () => Promise<void>) => {
		frames = [];
		startedAt = Date.now();
		keep(picture);
		await work();
		picture = await takePicture();
		keep(picture);
		const speed = Math.max(1, frames[frames.length - 1].time / (seconds - HOLD_SECONDS));
		const starts = [0, ...frames.slice(1).map(({ time }) => time / speed), seconds];
		return frames.map(({ jpeg }, i) => ({ jpeg, seconds: starts[i + 1] - starts[i] }));
	};
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
		const [start, end] = [time, time + seconds].map(toTimestamp);
		captions.push(`${index}\n${start} --> ${end}\n${caption}\n`);
		time += seconds;
	}
	// ffmpeg ignores how long the last file of a list stays.
	list.push(`file ${pictures.length - 1}.jpg`);
	await writeFile(join(folder, 'pictures.txt'), list.join('\n'));
	await writeFile(join(folder, 'captions.srt'), captions.join('\n'));
	const style = 'FontName=Liberation Sans,Bold=1,FontSize=9,Outline=0,MarginV=7';
	const filters = [
		'scale=1920:1080,pad=1920:1200:0:0:0x101330',
		`subtitles=captions.srt:force_style='${style}'`,
		filter,
	];
	const input = ['-y', '-loglevel', 'error', '-f', 'concat', '-i', 'pictures.txt'];
	const args = [...input, '-t', String(time), '-vf', filters.join(), ...output];
	const stdout = join(folder, 'ffmpeg.log');
	await runCommand({ command: ffmpeg, args, cwd: folder, env: process.env, stdout });
}

/** The time as subtitles have it: 00:01:02,345. */
const toTimestamp = (seconds: number) =>
	new Date(Math.round(seconds * 1000)).toISOString().slice(11, 23).replace('.', ',');

runTool(main);
