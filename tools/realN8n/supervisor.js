// Runs one command as the head of a process group of its own and ends the whole group as soon as
// the process that asked for it is gone, in whatever way it went (kill -9 closes the channel too).
// Plain JavaScript, so that it starts at once and needs no loader.
const { spawn } = require('node:child_process');

const GRACE_MS = 8000;
const [command, ...args] = process.argv.slice(2);
const child = spawn(command, args, { detached: true, stdio: ['ignore', 'inherit', 'inherit'] });

function signalGroup(signal) {
	if (child.pid === undefined) return;
	try {
		process.kill(-child.pid, signal);
	} catch (error) {
		if (error.code !== 'ESRCH') throw error;
	}
}

function tell(message) {
	if (process.connected) process.send(message, () => {});
}

let ending = false;
function endGroup() {
	if (ending) return;
	ending = true;
	signalGroup('SIGTERM');
	setTimeout(() => signalGroup('SIGKILL'), GRACE_MS).unref();
}

child.on('spawn', () => tell({ pid: child.pid }));
child.on('error', (error) => {
	tell({ failure: error.message });
	process.exitCode = 127;
	if (process.connected) process.disconnect();
});
child.on('exit', (code, signal) => {
	signalGroup('SIGKILL');
	tell({ code, signal });
	if (process.connected) process.disconnect();
});

process.on('message', (message) => {
	if (message === 'stop') endGroup();
});
// Nobody will look at what it leaves behind.
process.on('disconnect', () => signalGroup('SIGKILL'));
process.on('SIGTERM', endGroup);
// Ctrl-C reaches the process that asked; it decides what ends and when.
process.on('SIGINT', () => {});
process.on('SIGHUP', () => {});
