import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { openEditor } from './editor/editor.cts';
import { startEditorEnvironment } from './editor/editorEnvironment.cts';
import { cacheFolder, projectRoot } from './project.cts';
import { consoleProgress, runTool } from './tool.cts';
import { encodeGif, encodeVideo } from './video/film.cts';
import {
	layOut,
	PAGE_SIZE,
	readStoryboard,
	recordShots,
	SCALE,
	selectStills,
	type Shot,
} from './video/recording.cts';
import { openFirstPage, shots, type Scene } from './video/shots.cts';

const videoPath = join(cacheFolder, 'video', 'demo.webm');
const gifPath = join(projectRoot, 'docs', 'images', 'demo.gif');
const MAX_GIF_BYTES = 3_000_000;

/** Records the demo film in the real n8n, with the sandbox as its service. */
async function main() {
	const progress = consoleProgress();
	const plans = await readStoryboard();
	const { sandbox, server, profile, file, stop } = await startEditorEnvironment(progress);
	const editor = await openEditor(server, { profile, ...PAGE_SIZE, scale: SCALE });
	const { page } = editor;
	try {
		const scene: Scene = { editor, page, server, sandbox, file, form: '' };
		let recorded: Shot[] = [];
		await editor.record(join(cacheFolder, 'browser', 'failures', 'video'), async () => {
			await page.addInitScript({ path: join(__dirname, 'video', 'pointer.js') });
			await openFirstPage(scene);
			recorded = await recordShots(page, plans, async ({ name }, leaveOut) => {
				await progress.step(`Recording "${name}"`, async () => {
					await shots[name](scene, leaveOut);
				});
			});
		});
		await mkdir(dirname(videoPath), { recursive: true });
		await progress.step('Encoding the film', async () => {
			const video = await encodeVideo(page.context(), layOut(recorded));
			await writeFile(videoPath, video);
			const gif = await encodeGif(page.context(), selectStills(recorded));
			if (gif.length > MAX_GIF_BYTES) throw new Error(`The GIF is too large: ${gif.length} bytes.`);
			await writeFile(gifPath, gif);
		});
	} finally {
		await editor.close();
		await stop();
	}
	progress.log(`The film is ${videoPath}, the GIF is ${gifPath}`);
}

runTool(main);
