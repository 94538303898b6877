import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { openEditor } from './editor/editor.cts';
import { startEditorEnvironment } from './editor/editorEnvironment.cts';
import { cacheFolder, projectRoot } from './paths.cts';
import { consoleProgress } from './progress.cts';
import { runTool } from './runTool.cts';
import { encodeGif, encodeVideo } from './video/film.cts';
import {
	layOut,
	PAGE_SIZE,
	recordShots,
	SCALE,
	selectStills,
	type Shot,
} from './video/recording.cts';
import { openFirstPage, shots, type Scene } from './video/shots.cts';
import { readStoryboard } from './video/storyboard.cts';

const videoPath = join(cacheFolder, 'video', 'demo.webm');
const gifPath = join(projectRoot, 'docs', 'images', 'demo.gif');

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
			await writeFile(videoPath, await encodeVideo(page.context(), layOut(recorded)));
			await writeFile(gifPath, await encodeGif(page.context(), selectStills(recorded)));
		});
	} finally {
		await editor.close();
		await stop();
	}
	progress.log(`The film is ${videoPath}, the GIF is ${gifPath}`);
}

runTool(main);
