import { mkdirSync, statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Stryker } from '@stryker-mutator/core';
import { rooms } from './rooms.mjs';

const folder = '.cache/mutation';

const { positionals, values } = parseArgs({
	allowPositionals: true,
	options: { tests: { type: 'string', multiple: true }, force: { type: 'boolean' } },
});

const filesIn = (paths, extension) =>
	paths.map((path) =>
		!path.includes('*') && statSync(path).isDirectory() ? join(path, '**', `*${extension}`) : path,
	);

/** Changes the code at these paths; the tests of a room if the arguments name none. */
async function mutate(name, { paths, tests }) {
	// The tests decide what a mutant's state is, so each choice of them has a history of its own.
	console.log(`\n${name}`);
	const folderOfRoom = join(folder, name);
	mkdirSync(folderOfRoom, { recursive: true });
	await new Stryker({
		mutate: [...filesIn(paths, '.ts'), '!nodes/**/descriptions/**'],
		testFiles: filesIn(values.tests ?? tests, '.test.cts'),
		testRunner: 'project',
		plugins: ['runner', 'editorTexts', 'survivors'].map(
			(plugin) => `./tools/mutation/${plugin}.mjs`,
		),
		ignorers: ['editor texts'],
		coverageAnalysis: 'perTest',
		concurrency: Math.min(2, availableParallelism()),
		// A new process now and then gives back what the engine leaves behind.
		maxTestRunnerReuse: 300,
		timeoutMS: 30_000,
		dryRunTimeoutMinutes: 30,
		disableTypeChecks: false,
		incremental: true,
		incrementalFile: join(folderOfRoom, 'incremental.json'),
		force: values.force ?? false,
		// No linter looks there.
		tempDirName: 'node_modules/.cache/mutation',
		ignorePatterns: ['.cache', '.github', 'benchmark/results.md', 'docs/*.png'],
		reporters: ['survivors', 'html'],
		htmlReporter: { fileName: join(folderOfRoom, 'report.html') },
		thresholds: { high: 95, low: 90, break: null },
		allowConsoleColors: false,
		logLevel: 'warn',
		warnings: { slow: false },
	}).runMutationTest();
}

const isRoom = (name) => Object.hasOwn(rooms, name);
const paths = positionals.filter((name) => !isRoom(name));
const names = positionals.length === 0 ? Object.keys(rooms) : positionals.filter(isRoom);
if (paths.length > 0 && values.tests === undefined) {
	console.error(`Name a room (${Object.keys(rooms).join(', ')}), or paths and their --tests.`);
	process.exitCode = 2;
} else {
	for (const name of names) await mutate(name, rooms[name]);
	if (paths.length > 0) await mutate('paths', { paths });
}
