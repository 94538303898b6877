// Runs one command and ends everything that it started as soon as the process that started this one is
// gone, even after kill -9: then the channel to it closes.
// Not execa or tree-kill alone: they run in the process that was killed, and tree-kill misses the children
// of a parent that has already ended. Windows has no process groups; there, tree-kill does it.
// Plain JavaScript, because it then starts fast and needs no loader.
const { readFileSync } = require('node:fs');
const spawn = require('cross-spawn');
const killTree = require('tree-kill');

const GRACE_MS = 8000;
const MEMORY_SAMPLE_MS = 100;
const isWindows = process.platform === 'win32';

/** This process leads the group, so the signal ends it as well. On Windows, its own tree would include the killer. */
const killGroup = () => {
	if (isWindows) killTree(child.pid, 'SIGKILL', () => process.exit());
	else process.kill(-process.pid, 'SIGKILL');
};

let stopping = false;
function stop() {
	if (stopping) return;
	stopping = true;
	if (isWindows) return killTree(child.pid);
	process.kill(-process.pid, 'SIGTERM');
	setTimeout(killGroup, GRACE_MS);
}

process.on('message', stop);
process.on('SIGTERM', stop);
process.on('disconnect', killGroup);
// The process that started this one decides what Ctrl+C ends.
process.on('SIGINT', () => {});
process.on('SIGHUP', () => {});

const [command, ...args] = process.argv.slice(2);
const child = spawn(command, args, { stdio: ['ignore', 'inherit', 'inherit'] });
const report = (end) => process.send(end, killGroup);
child.on('error', (error) => report({ failure: error.message }));
child.on('exit', (code, signal) => report({ code, signal, peakMemory, processorSeconds }));

/** In bytes. The kernel keeps the peak (VmHWM) on Linux; there is no such file on other systems. */
let peakMemory;
let processorSeconds;
setInterval(() => {
	try {
		const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
		const [, kilobytes] = /^VmHWM:\s+(\d+) kB$/m.exec(status) ?? [];
		if (kilobytes !== undefined) peakMemory = Number(kilobytes) * 1024;
		// After the name in parentheses; in hundredths of a second, its own and the system's.
		const times = readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ')[1].split(' ');
		processorSeconds = (Number(times[11]) + Number(times[12])) / 100;
	} catch {
		// Not Linux, or the command has just ended.
	}
}, MEMORY_SAMPLE_MS);
