import { cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { listTrackedFiles, runCommand } from './commands.cts';
import { projectRoot } from '../project.cts';
import { onInterrupt } from '../tool.cts';
import { ACTIVE_FILE, instrument, REACHED_FILE } from './instrument.cts';

/** Outside of the project: jest compiles nothing below a folder named node_modules, and n8n's lint reads all other folders. */
const copies = mkdtempSync(join(tmpdir(), 'mutants-'));
process.once('exit', () => rmSync(copies, { recursive: true, force: true, maxRetries: 3 }));
// A signal that nobody listens to ends the process without that.
onInterrupt(async () => undefined);

const SOURCE = /^(nodes|credentials|service\/src)\/.*\.m?ts$/;

export interface Outcome {
	passed: boolean;
	seconds: number;
	ranOutOfTime: boolean;
}

/** A test file, and how long it usually takes */
export interface UsualTest {
	file: string;
	seconds: number;
}

export type Copy = Awaited<ReturnType<typeof createCopy>>;

/** A copy of the project, built with all mutants of the given files in it. */
export async function createCopy(name: string, mutated: string[]) {
	const folder = join(copies, name);
	await copyProject(folder);
	const mutants = await instrument(folder, mutated);
	await activate('');
	await runCommand(folder, 'node', ['node_modules/gulp/bin/gulp.js']);
	await runCommand(folder, 'node', ['service/build.mjs']);

	async function activate(mutant: string): Promise<void> {
		await writeFile(join(folder, ACTIVE_FILE), mutant);
		await writeFile(join(folder, REACHED_FILE), '');
	}

	/** Runs test files until one fails. One that hangs is a failure. */
	async function test(tests: UsualTest[]): Promise<Outcome> {
		const startedAt = Date.now();
		const jest = [
			'node_modules/jest/bin/jest.js',
			'--bail',
			'--silent',
			'--runInBand',
			'--forceExit',
		];
		const projects = ['--selectProjects', 'unit', 'engine', 'service'];
		const files = tests.map(({ file }) => file);
		const args = [...jest, ...projects, '--runTestsByPath', ...files];
		const usual = tests.reduce((sum, { seconds }) => sum + seconds, 0);
		const failure = await runCommand(folder, 'node', args, 60 + 4 * usual).then(
			() => undefined,
			(error: Error) => error.message,
		);
		const seconds = (Date.now() - startedAt) / 1000;
		const ranOutOfTime = failure !== undefined && isTimeOut(failure);
		return { passed: failure === undefined, seconds, ranOutOfTime };
	}

	/** The mutants that code reached since the last call of activate('') */
	async function readReached(): Promise<Set<string>> {
		const text = await readFile(join(folder, REACHED_FILE), 'utf8');
		return new Set(text.split('\n').filter((line) => line !== ''));
	}

	return { folder, mutants, activate, test, readReached };
}

/** Of a test, or of jest, which then says nothing of how it ended */
function isTimeOut(output: string): boolean {
	return /Exceeded timeout of|timed out/i.test(output) || !/^Tests: /m.test(output);
}

async function copyProject(folder: string): Promise<void> {
	for (const file of await listTrackedFiles()) {
		const target = join(folder, file);
		await mkdir(dirname(target), { recursive: true });
		await cp(join(projectRoot, file), target);
		// The types of an instrumented file are no longer those that others expect.
		if (SOURCE.test(file)) await ignoreTypes(target);
	}
	for (const modules of ['node_modules', 'service/node_modules']) {
		const source = join(projectRoot, modules);
		if (existsSync(source)) await symlink(source, join(folder, modules));
	}
}

async function ignoreTypes(file: string): Promise<void> {
	const text = await readFile(file, 'utf8');
	const shebang = /^#!.*\n/.exec(text)?.[0] ?? '';
	await writeFile(file, `${shebang}// @ts-nocheck\n${text.slice(shebang.length)}`);
}
