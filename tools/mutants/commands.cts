import { execFile, spawn } from 'node:child_process';
import { promisify } from 'node:util';
import { projectRoot } from '../project.cts';

/** @throws with the end of the output where the command fails, or runs longer than the given time */
export async function runCommand(
	cwd: string,
	command: string,
	args: string[],
	timeoutSeconds = 600,
): Promise<string> {
	// In a process group of its own: tests start services, which end with it.
	const child = spawn(command, args, { cwd, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
	let output = '';
	child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
	child.stderr.setEncoding('utf8').on('data', (text: string) => (output += text));
	const timer = setTimeout(() => endGroup(child.pid!), timeoutSeconds * 1000);
	const code = await new Promise((resolve) => child.once('close', resolve));
	clearTimeout(timer);
	endGroup(child.pid!);
	if (code !== 0) throw new Error(output.slice(-3000));
	return output;
}

function endGroup(id: number): void {
	try {
		process.kill(-id, 'SIGKILL');
	} catch {
		// All have ended.
	}
}

export async function listTrackedFiles(): Promise<string[]> {
	const { stdout } = await promisify(execFile)('git', ['ls-files'], { cwd: projectRoot });
	return stdout.split('\n').filter((file) => file !== '');
}
