import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { declareClassPlugin, PluginKind } from '@stryker-mutator/api/plugin';
import { DryRunStatus, MutantRunStatus, TestStatus } from '@stryker-mutator/api/test-runner';
import { prepareProcess } from '../testRunner/testFile.mjs';
import { context, fileOfMutant, loader, runMutatedTestFile, whileLoading } from './testFile.mjs';

/** Written by the process of the first run, for the processes of the mutants, in Stryker's copy of the project. */
const durationsFile = 'durations.json';
const patience = 30_000;

const groupBy = (values, keyOf) => {
	const groups = new Map();
	for (const value of values) {
		const key = keyOf(value);
		const group = groups.get(key);
		if (group === undefined) groups.set(key, [value]);
		else group.push(value);
	}
	return groups;
};

const fileOf = (id) => id.slice(0, id.indexOf(':'));

/**
 * Which tests must run for each mutant. A mutant that runs while its file is loaded is covered by the tests
 * that also run a function of this file, because loading alone says little; if there are none, by all tests
 * of the files that load it. One that a hook of a test file runs is covered by all tests of this file.
 */
function coverageOf(runs) {
	const perTest = {};
	const cover = (test, mutant) => ((perTest[test] ??= {})[mutant] ??= 1);
	const testsOfSource = new Map();
	for (const { coverage } of runs) {
		for (const [test, mutants] of Object.entries(coverage.perTest)) {
			if (test === whileLoading) continue;
			perTest[test] = mutants;
			for (const mutant of Object.keys(mutants)) {
				const source = fileOfMutant.get(mutant);
				if (!testsOfSource.has(source)) testsOfSource.set(source, new Set());
				testsOfSource.get(source).add(test);
			}
		}
	}
	for (const { results, coverage } of runs) {
		const tests = results.map(({ id }) => id);
		for (const mutant of Object.keys(coverage.static)) {
			for (const test of tests) cover(test, mutant);
		}
		for (const mutant of Object.keys(coverage.perTest[whileLoading] ?? {})) {
			const users = testsOfSource.get(fileOfMutant.get(mutant)) ?? tests;
			for (const test of users) cover(test, mutant);
		}
	}
	return { static: {}, perTest };
}

const toTestResult = ({ id, file, duration, failure }) => ({
	id,
	name: id.slice(file.length + 2),
	fileName: resolve(file),
	timeSpentMs: duration,
	...(failure === undefined
		? { status: TestStatus.Success }
		: { status: TestStatus.Failed, failureMessage: failure }),
});

/**
 * Runs the project's jest tests in Stryker's process, one file after the other. Jest itself starts anew for each
 * mutant, and loads n8n's engine for each test file: that takes a hundred times longer.
 */
class ProjectTestRunner {
	durations = {};
	killsOf = new Map();
	mustRestart = false;

	capabilities() {
		return { reloadEnvironment: true };
	}

	init() {
		this.folder = prepareProcess(loader, patience);
		try {
			this.durations = JSON.parse(readFileSync(durationsFile, 'utf8'));
		} catch {
			// The first run writes it.
		}
	}

	dispose() {
		rmSync(this.folder, { recursive: true, force: true });
	}

	async dryRun({ testFiles }) {
		const runs = [];
		for (const file of testFiles.map((path) => relative(process.cwd(), path)).sort()) {
			context.mutantCoverage = { static: {}, perTest: {} };
			const results = await runMutatedTestFile(file, { timeoutOf: () => patience });
			runs.push({ results, coverage: context.mutantCoverage });
		}
		const results = runs.flatMap(({ results }) => results);
		for (const { id, duration } of results) this.durations[id] = duration;
		writeFileSync(durationsFile, JSON.stringify(this.durations));
		return {
			status: DryRunStatus.Complete,
			tests: results.map(toTestResult),
			mutantCoverage: coverageOf(runs),
		};
	}

	async mutantRun({ activeMutant, testFilter, hitLimit }) {
		// What a test that took too long has started could disturb the next ones. Stryker tries again in a new process.
		if (this.mustRestart) throw new Error('A test took too long');
		const kills = this.killsOf.get(activeMutant.fileName) ?? new Map();
		this.killsOf.set(activeMutant.fileName, kills);
		const only = new Set(testFilter);
		let nrOfTests = 0;
		for (const file of this.order(only, kills)) {
			context.activeMutant = activeMutant.id;
			context.mutantCoverage = { static: {}, perTest: {} };
			context.hitCount = hitLimit === undefined ? undefined : 0;
			context.hitLimit = hitLimit;
			const results = await this.run(file, only, true);
			const isEndless = hitLimit !== undefined && context.hitCount > hitLimit;
			context.activeMutant = context.hitCount = context.hitLimit = undefined;
			nrOfTests += results.length;
			const failed = results.find(({ failure }) => failure !== undefined);
			if (failed === undefined && !isEndless) continue;
			kills.set(file, (kills.get(file) ?? 0) + 1);
			if (isEndless || failed.failure.includes('Exceeded timeout')) {
				this.mustRestart = true;
				return { status: MutantRunStatus.Timeout };
			}
			await this.verify(failed, file);
			const { id, failure } = failed;
			return { status: MutantRunStatus.Killed, killedBy: [id], failureMessage: failure, nrOfTests };
		}
		return { status: MutantRunStatus.Survived, nrOfTests };
	}

	async run(file, only, bail) {
		const timeoutOf = (id) => 5_000 + 5 * (this.durations[id] ?? 0);
		return await runMutatedTestFile(file, { only, bail, timeoutOf });
	}

	/** A test that also fails without the mutant has not noticed it: something else disturbs this process. */
	async verify({ id }, file) {
		const results = await this.run(file, id === file ? new Set() : new Set([id]), true);
		const failed = results.find(({ failure }) => failure !== undefined);
		if (failed !== undefined) throw new Error(`${failed.id} fails without a mutant`);
	}

	/** Test files that noticed the most mutants of the same source come first, then the fastest. */
	order(tests, kills) {
		const files = [...groupBy(tests, fileOf)].map(([file, ids]) => ({
			file,
			kills: kills.get(file) ?? 0,
			duration: ids.reduce((sum, id) => sum + (this.durations[id] ?? 0), 0),
		}));
		files.sort((a, b) => b.kills - a.kills || a.duration - b.duration);
		return files.map(({ file }) => file);
	}
}

export const strykerPlugins = [
	declareClassPlugin(PluginKind.TestRunner, 'project', ProjectTestRunner),
];
