import { readFile, writeFile } from 'node:fs/promises';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { lastLines } from '../tools/processes.cts';
import type { N8n } from '../tools/realN8n/n8n.cts';
import { toExecution, type CredentialJson, type WorkflowJson } from '../tools/realN8n/workflow.cts';

const MEASURE_MS = 100;

/** n8n's command line. Each command is a process of its own, which can be measured. */
export function useCommandLine({ folder, launch }: N8n) {
	let imports = 0;
	/** @throws with the end of its log when `read` can't use the output */
	const run = async <T,>(
		args: string[],
		read: (output: string) => T,
		env?: Record<string, string>,
	) => {
		const started = await launch(args, env);
		let used = readProcess(0);
		const timer = setInterval(() => {
			const now = readProcess(started.pid);
			if (now.peak > 0) used = now;
		}, MEASURE_MS);
		await started.ended.finally(() => clearInterval(timer));
		try {
			return { result: read(await readFile(started.logs[0], 'utf8')), used };
		} catch (error) {
			const [title, log] = [`n8n ${args.join(' ')}`, await lastLines(started)];
			throw new Error(`${title} failed: ${(error as Error).message}\n${log}`);
		}
	};
	const importFile = async (command: string, entries: unknown[]) => {
		const path = join(folder, 'tmp', `import-${(imports += 1)}.json`);
		await writeFile(path, JSON.stringify(entries));
		await run([command, `--input=${path}`], (output) => {
			if (!output.includes(`Successfully imported ${entries.length} `)) throw new Error(output);
		});
	};
	return {
		importWorkflows: async (workflows: WorkflowJson[]) =>
			await importFile(
				'import:workflow',
				workflows.map((workflow) => ({ active: false, ...workflow })),
			),
		importCredentials: async (credentials: CredentialJson[]) =>
			await importFile('import:credentials', credentials),
		/** Runs an imported workflow, and also returns what its process needed. A workflow that fails is an execution, too. */
		async execute(id: string, env?: Record<string, string>) {
			const args = ['execute', `--id=${id}`, '--rawOutput'];
			const { result, used } = await run(args, parseExecution, env);
			return { ...result, used };
		},
	};
}

/** Parses the execution in the output of `n8n execute`. After a failure there are log lines around it. */
function parseExecution(output: string) {
	const lines = output.split('\n');
	const start = lines.findIndex((line) => line.trimEnd() === '{');
	const end = lines.findLastIndex((line) => line.trimEnd() === '}');
	if (start < 0 || end < start) throw new Error('n8n printed no execution.');
	return toExecution(JSON.parse(lines.slice(start, end + 1).join('\n')));
}

/** The processor time of a process until now in seconds, and its memory in bytes; NaN except on Linux, and after its end. */
export function readProcess(pid: number) {
	const read = (name: string) => {
		try {
			return readFileSync(`/proc/${pid}/${name}`, 'utf8');
		} catch {
			return '';
		}
	};
	const [stat, status] = [read('stat'), read('status')];
	// After the name in parentheses; in hundredths of a second, its own and the system's.
	const times = stat.split(') ').at(-1)!.split(' ');
	const readBytes = (name: string) =>
		Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]) * 1024;
	return {
		processorSeconds: (Number(times[11]) + Number(times[12])) / 100,
		memory: readBytes('VmRSS'),
		peak: readBytes('VmHWM'),
	};
}

/** The peak of a process is counted anew from here on. */
export function forgetPeak(pid: number): void {
	if (existsSync(`/proc/${pid}`)) writeFileSync(`/proc/${pid}/clear_refs`, '5');
}
