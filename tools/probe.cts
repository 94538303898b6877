import { join } from 'node:path';
import { isInterrupted, onInterrupt } from './interrupt.cts';
import { packPackage, unpackPackage } from './packPackage.cts';
import { loadOperations } from './probe/node.cts';
import { HELP, readOptions } from './probe/options.cts';
import { probe } from './probe/probe.cts';
import { consoleProgress } from './progress.cts';
import { createRunFolder } from './runFolder.cts';
import { runTool } from './runTool.cts';

async function main(): Promise<number> {
	const options = await readOptions(process.argv.slice(2), process.env);
	if (options === undefined) {
		process.stdout.write(HELP);
		return 0;
	}
	const { save, ...credential } = options;
	const progress = consoleProgress();
	const folder = await createRunFolder('probe');
	const packageFolder = join(folder, 'package');
	await unpackPackage(await packPackage(folder, progress), packageFolder);
	const run = await loadOperations(packageFolder);

	const interruption = new AbortController();
	const running = probe({ credential, run, save, signal: interruption.signal, log: progress.log });
	onInterrupt(async () => {
		progress.log('Stopping, and deleting what was created ...');
		interruption.abort();
		print((await running).leftovers);
	});
	const { report, failed, leftovers, error } = await running;
	if (isInterrupted()) return 1;
	process.stdout.write(`\n${report}\n\n`);
	if (error !== undefined) process.stderr.write(`The probe ended early: ${error}\n`);
	if (failed.length > 0) process.stderr.write(`The node failed at: ${failed.join(', ')}\n`);
	print(leftovers);
	if (leftovers.length > 0) return 2;
	return error === undefined && failed.length === 0 ? 0 : 1;
}

function print(leftovers: string[]): void {
	for (const leftover of leftovers)
		process.stderr.write(`Not deleted, delete it by hand: ${leftover}\n`);
}

runTool(main);
