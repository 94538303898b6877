import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { ensureChromium } from './editor/chromium.cts';
import { onInterrupt } from './interrupt.cts';
import { buildPackage } from './packPackage.cts';
import { projectRoot } from './paths.cts';
import { consoleProgress } from './progress.cts';
import { createRunFolder } from './runFolder.cts';
import { runTool } from './runTool.cts';

/**
 * Tests the editor in a browser: finds or installs Chromium, builds the package and runs the jest
 * project `browser`. Arguments are passed on to jest, such as `--testPathPatterns icons`.
 */
async function main() {
	const progress = consoleProgress();
	const log = join(await createRunFolder('browser-tests'), 'preparation.log');
	await ensureChromium(progress, log);
	await progress.step('Building the package', async () => await buildPackage(log));
	const args = ['--selectProjects', 'browser', '--runInBand', ...process.argv.slice(2)];
	const jest = spawn(process.execPath, [require.resolve('jest/bin/jest'), ...args], {
		cwd: projectRoot,
		stdio: 'inherit',
	});
	const ended = once(jest, 'close');
	onInterrupt(async () => {
		jest.kill('SIGTERM');
		await ended;
	});
	const [code] = await ended;
	if (code !== 0) throw new Error('Tests of the editor failed. Screenshots are in .cache.');
}

runTool(main);
