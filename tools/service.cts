import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inheritedEnvironment, runCommand, startProcess, waitUntilReady } from './processes.cts';
import { projectRoot } from './project.cts';
import { step } from './tool.cts';

const sources = join(projectRoot, 'service');
const command = process.execPath;

/**
 * Builds the service and starts it with data of its own until this process ends. Its log, and what it
 * prints, are files beside the data.
 * @param folder where `data` is created
 */
export async function startService(folder: string) {
	const options = { command, cwd: folder, env: inheritedEnvironment() };
	await step('Building the service', async () => {
		const args = [join(sources, 'build.mjs')];
		await runCommand({ ...options, args, stdout: join(folder, 'service-build.log') });
	});
	const data = join(folder, 'data');
	const stdout = join(folder, 'service.txt');
	const running = startProcess({
		...options,
		args: [join(sources, 'dist', 'main.mjs'), '--data', data, '--port', '0'],
		stdout,
		stderr: join(folder, 'service.log'),
	});
	let printed = new Map<string, string>();
	await waitUntilReady(running, async () => {
		const lines = (await readFile(stdout, 'utf8')).matchAll(/^ {2}(\S+(?: \S+)*) {2,}(\S.*)\n/gm);
		printed = new Map([...lines].map(([, label, value]) => [label, value]));
		return printed.has('Mails');
	});
	const get = (label: string) => printed.get(label) ?? '';
	return {
		baseUrl: get('Base URL'),
		/** Without the advice to keep it. */
		apiKey: get('API key').split(' ')[0],
		caPath: get('CA file'),
		/** The folder of the mails. */
		mails: get('Mails'),
		ended: running.ended,
		stop: running.stop,
	};
}
