import { statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Stryker } from '@stryker-mutator/core';

/** The tests of the nodes' behavior. Those directly in test/unit/ check the texts of the repository. */
const allTests = ['test/unit/*/**/*.test.cts', 'test/engine/**/*.test.cts'];

const { positionals, values } = parseArgs({
	allowPositionals: true,
	options: { tests: { type: 'string', multiple: true }, force: { type: 'boolean' } },
});
const filesIn = (paths, extension) =>
	paths.map((path) => (statSync(path).isDirectory() ? join(path, '**', `*${extension}`) : path));
const paths = positionals.length > 0 ? positionals : ['nodes', 'credentials'];
const mutate = filesIn(paths, '.ts');
const testFiles = values.tests === undefined ? allTests : filesIn(values.tests, '.test.cts');

const folder = '.cache/mutation';
await new Stryker({
	mutate: [...mutate, '!nodes/**/descriptions/**'],
	testFiles,
	testRunner: 'project',
	plugins: ['runner', 'editorTexts', 'survivors'].map((name) => `./tools/mutation/${name}.mjs`),
	ignorers: ['editor texts'],
	coverageAnalysis: 'perTest',
	concurrency: Math.min(2, availableParallelism()),
	// A new process now and then gives back what the engine leaves behind.
	maxTestRunnerReuse: 300,
	timeoutMS: 30_000,
	dryRunTimeoutMinutes: 30,
	disableTypeChecks: false,
	incremental: true,
	incrementalFile: `${folder}/incremental.json`,
	force: values.force ?? false,
	// No linter looks there.
	tempDirName: 'node_modules/.cache/mutation',
	ignorePatterns: ['.cache', '.github', 'benchmark/results.md', 'docs/*.png'],
	reporters: ['survivors', 'html'],
	htmlReporter: { fileName: `${folder}/report.html` },
	thresholds: { high: 95, low: 90, break: null },
	allowConsoleColors: false,
	warnings: { slow: false },
}).runMutationTest();
