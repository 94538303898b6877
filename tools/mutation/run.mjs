import { readFileSync, statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, relative } from 'node:path';
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
const results = await new Stryker({
	mutate: [...mutate, '!nodes/**/descriptions/**'],
	testFiles,
	testRunner: 'project',
	plugins: ['./tools/mutation/runner.mjs', './tools/mutation/editorTexts.mjs'],
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
	tempDirName: `${folder}/sandbox`,
	ignorePatterns: ['.cache', '.github', 'benchmark/results.md', 'docs/*.png'],
	reporters: ['html'],
	htmlReporter: { fileName: `${folder}/report.html` },
	thresholds: { high: 95, low: 90, break: null },
	allowConsoleColors: false,
	warnings: { slow: false },
}).runMutationTest();

const chosen = results.filter(({ fileName }) =>
	paths.some((path) => !relative(path, fileName).startsWith('..')),
);
const scores = {};
for (const { fileName, status, mutatorName, location, replacement } of chosen) {
	const score = (scores[relative('', fileName)] ??= { killed: 0, survived: 0 });
	if (status === 'Killed' || status === 'Timeout') score.killed += 1;
	if (status !== 'Survived' && status !== 'NoCoverage') continue;
	score.survived += 1;
	const { start, end } = location;
	const lines = readFileSync(fileName, 'utf8')
		.split('\n')
		.slice(start.line - 1, end.line);
	lines.push(lines.pop().slice(0, end.column - 1));
	lines[0] = lines[0].slice(start.column - 1);
	const shorten = (text) => text.replace(/\s+/g, ' ').slice(0, 150);
	const place = `${relative('', fileName)}:${start.line}:${start.column}`;
	console.log(`${place} ${mutatorName}${status === 'NoCoverage' ? ', not covered' : ''}`);
	console.log(`  - ${shorten(lines.join('\n'))}\n  + ${shorten(replacement)}`);
}
const percent = ({ killed, survived }) => Math.round((1000 * killed) / (killed + survived)) / 10;
const total = { killed: 0, survived: 0 };
for (const score of Object.values(scores)) {
	total.killed += score.killed;
	total.survived += score.survived;
}
console.table(
	Object.fromEntries(
		Object.entries({ ...scores, total }).map(([file, score]) => [
			file,
			{ ...score, '%': percent(score) },
		]),
	),
);
