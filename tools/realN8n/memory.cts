import { readdirSync, readFileSync } from 'node:fs';

export interface PeakMemory {
	/** The sum of the highest resident set of each process of the group, in bytes. */
	total: number;
	/** The same for the group's first process alone. */
	main: number;
}

const SAMPLE_MS = 100;

/**
 * Follows the highest resident set (VmHWM, kept by the kernel) of every process of a group.
 * Elsewhere than on Linux there is nothing to read and `peak()` is undefined.
 */
export function watchMemory(group: number): { stop(): void; peak(): PeakMemory | undefined } {
	const peaks = new Map<number, number>();
	const sample = () => {
		for (const pid of processesOf(group)) {
			const bytes = highWaterMark(pid);
			if (bytes !== undefined) peaks.set(pid, Math.max(bytes, peaks.get(pid) ?? 0));
		}
	};
	sample();
	const timer = setInterval(sample, SAMPLE_MS);
	timer.unref();
	return {
		stop: () => clearInterval(timer),
		peak() {
			if (peaks.size === 0) return undefined;
			const total = [...peaks.values()].reduce((sum, bytes) => sum + bytes, 0);
			return { total, main: peaks.get(group) ?? 0 };
		},
	};
}

/** The ids of the processes in a group; empty where there is no /proc. */
export function processesOf(group: number): number[] {
	return processIds().filter((pid) => statFields(pid)?.[2] === String(group));
}

/** What tells a process from a later one that got the same id; undefined when there is none. */
export function processIdentity(pid: number): string | undefined {
	if (process.platform === 'linux') return statFields(pid)?.[19];
	try {
		process.kill(pid, 0);
		return 'alive';
	} catch (error) {
		return (error as NodeJS.ErrnoException).code === 'EPERM' ? 'alive' : undefined;
	}
}

function processIds(): number[] {
	try {
		return readdirSync('/proc').map(Number).filter(Number.isInteger);
	} catch {
		return [];
	}
}

/** /proc/<pid>/stat from the state on: [state, parent, group, …, start time at 19] (man 5 proc). */
function statFields(pid: number): string[] | undefined {
	const text = readProc(pid, 'stat');
	return text?.slice(text.lastIndexOf(')') + 2).split(' ');
}

function highWaterMark(pid: number): number | undefined {
	const match = /^VmHWM:\s+(\d+) kB$/m.exec(readProc(pid, 'status') ?? '');
	return match ? Number(match[1]) * 1024 : undefined;
}

function readProc(pid: number, file: string): string | undefined {
	try {
		return readFileSync(`/proc/${pid}/${file}`, 'utf8');
	} catch {
		return undefined;
	}
}
