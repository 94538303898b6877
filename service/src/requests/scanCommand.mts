import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { withinTime, type OpenScan } from './scan.mts';

const CLEAN = 0;
const HIT = 1;
/** What a shell and its programs need. The service has its secrets in the others. */
const PASSED = ['PATH', 'HOME', 'LANG', 'TMPDIR'];

/** Runs a command for each file, which comes at its standard input. Its exit code is the verdict. */
export function createCommandScan(command: string): OpenScan {
	return async () => {
		// A group of its own ends with all that the shell started.
		const child = spawn('/bin/sh', ['-c', command], {
			env: getEnvironment(),
			stdio: ['pipe', 'ignore', 'ignore'],
			detached: true,
		});
		const { stdin } = child;
		const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
		// A command can have its verdict before it has read everything.
		stdin.on('error', () => undefined);
		await once(child, 'spawn');
		return {
			async write(piece) {
				if (stdin.destroyed || stdin.write(piece)) return;
				const drained = async () => await once(stdin, 'drain').catch(() => undefined);
				await withinTime(Promise.race([drained(), ended]));
			},
			async end() {
				stdin.end();
				const code = await withinTime(ended);
				if (code === CLEAN) return undefined;
				if (code === HIT) return '';
				throw new Error(`SCAN_COMMAND ended with ${code ?? 'a signal'}`);
			},
			close() {
				if (child.exitCode === null && child.signalCode === null) {
					process.kill(-child.pid!, 'SIGKILL');
				}
			},
		};
	};
}

function getEnvironment(): NodeJS.ProcessEnv {
	const passed = PASSED.map((name) => [name, process.env[name]]);
	return Object.fromEntries(passed.filter(([, value]) => value !== undefined));
}
