import { fileURLToPath } from 'node:url';
import { Worker } from 'jest-worker';

/**
 * A runner for jest that loads packages once for each of its processes. jest's own loads n8n's engine again for
 * each test file, which takes longer than the tests.
 */
export default class TestRunner {
	constructor(globalConfig) {
		this.globalConfig = globalConfig;
	}

	async runTests(tests, watcher, onStart, onResult, onFailure) {
		const { globalConfig } = this;
		const numWorkers = Math.min(globalConfig.maxWorkers, tests.length);
		const worker = new Worker(fileURLToPath(new URL('worker.mjs', import.meta.url)), {
			numWorkers,
			exposedMethods: ['run'],
			forkOptions: { stdio: 'pipe' },
			setupArgs: [{ testTimeout: globalConfig.testTimeout ?? 30_000 }],
		});
		worker.getStdout()?.pipe(process.stdout);
		worker.getStderr()?.pipe(process.stderr);
		const queue = [...tests];
		const runQueue = async () => {
			while (queue.length > 0 && !watcher.isInterrupted()) {
				const test = queue.shift();
				const { config } = test.context;
				await onStart(test);
				try {
					await onResult(test, await worker.run({ file: test.path, config, globalConfig }));
				} catch (error) {
					await onFailure(test, error);
				}
			}
		};
		await Promise.all(Array.from({ length: numWorkers }, runQueue));
		await worker.end();
	}
}
