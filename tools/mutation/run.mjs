import { mkdirSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Stryker } from '@stryker-mutator/core';
import { rooms } from './rooms.mjs';

const folder = '.cache/mutation';
const { projects } = createRequire(import.meta.url)('../../jest.config.js');

const { positionals, values } = parseArgs({
	allowPositionals: true,
	options: {
		tests: { type: 'string', multiple: true },
		force: { type: 'boolean' },
		sample: { type: 'string', default: '' },
	},
});
process.env.MUTATION_SAMPLE = values.sample;

const filesIn = (paths, extension) =>
	paths.map((path) =>
		!path.includes('*') && statSync(path).isDirectory() ? join(path, '**', `*${extension}`) : path,
	);

/** Changes the code at these paths; the tests of a room if the arguments name none. */
async function mutate(name, { paths, tests }) {
	console.log(`\n${name}`);
	// The tests decide what a mutant's state is, so each choice of them has a history of its own.
	const folderOfRoom = join(folder, name);
	mkdirSync(folderOfRoom, { recursive: true });
	const testMatch = filesIn(values.tests ?? tests, '.test.cts').map((path) => `<rootDir>/${path}`);
	await new Stryker({
		mutate: [...filesIn(paths, '.ts'), '!nodes/**/descriptions/**'],
		testRunner: 'jest',
		jest: {
			enableFindRelatedTests: false,
			config: {
				...projects[0],
				// Stryker knows no <rootDir>.
				testEnvironment: './tools/jest/environment.cjs',
				testMatch,
				projects: [],
				displayName: '',
				testTimeout: 10_000,
			},
		},
		// n8n's engine loads dist/.
		buildCommand: 'npm run build',
		disableTypeChecks: '{nodes,credentials}/**/*.ts',
		plugins: ['@stryker-mutator/jest-runner', './tools/mutation/plugins.mjs'],
		ignorers: ['editor texts', 'sample'],
		coverageAnalysis: 'perTest',
		concurrency: Math.min(2, availableParallelism()),
		// A new process now and then gives back what the engine leaves behind.
		maxTestRunnerReuse: 40,
		timeoutMS: 30_000,
		dryRunTimeoutMinutes: 30,
		incremental: values.sample === '',
		incrementalFile: join(folderOfRoom, 'incremental.json'),
		force: values.force ?? false,
		tempDirName: join(folder, 'sandbox'),
		ignorePatterns: ['.cache', '.github', 'dist', 'docs/images'],
		reporters: ['survivors', 'progress-append-only', 'html'],
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
