import { rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { formatExecError, formatResultsErrors } from 'jest-message-util';
import { prepareProcess, runTestFile } from './testFile.mjs';

const ROOT = 'ROOT_DESCRIBE_BLOCK';
const require = createRequire(import.meta.url);
const { SourceMapSupport } = require('@jest/source-map');
const { createEmptyTestResult } = require('@jest/test-result');

let folder;

/** Prepares a process of the runner. */
export function setup({ testTimeout }) {
	const sourceMaps = new Map();
	const onCompile = (file, _code, map) => {
		const path = join(folder, `${sourceMaps.size}.map`);
		writeFileSync(path, map);
		sourceMaps.set(file, path);
	};
	folder = prepareProcess({ onCompile }, testTimeout);
	new SourceMapSupport().install(sourceMaps);
}

/** Removes the files of the process. */
export function teardown() {
	rmSync(folder, { recursive: true, force: true });
}

function toAssertionResult({ testPath, status, errors, errorsDetailed, ...result }) {
	const ancestorTitles = testPath.filter((title) => title !== ROOT);
	const fullName = ancestorTitles.join(' ');
	const title = ancestorTitles.pop();
	const ended = errors.length > 0 ? 'failed' : 'passed';
	return {
		...result,
		ancestorTitles,
		failureDetails: errorsDetailed,
		failureMessages: errors,
		fullName,
		status: status === 'skip' ? 'pending' : status === 'todo' ? status : ended,
		title,
	};
}

/** Runs a test file, and returns its result as jest's own runner does. */
export async function run({ file, config, globalConfig }) {
	const start = Date.now();
	const options = { namePattern: globalConfig.testNamePattern };
	const { testResults, unhandledErrors } = await runTestFile(file, options);
	const end = Date.now();
	const results = testResults.map(toAssertionResult);
	const count = (status) => results.filter((result) => result.status === status).length;
	const messages = [
		formatResultsErrors(results, config, globalConfig, file) ?? '',
		...unhandledErrors.map((error) => formatExecError(error, config, globalConfig, file)),
	].filter(Boolean);
	return {
		...createEmptyTestResult(),
		displayName: config.displayName,
		failureMessage: messages.length === 0 ? null : messages.join('\n'),
		numFailingTests: count('failed'),
		numPassingTests: count('passed'),
		numPendingTests: count('pending'),
		numTodoTests: count('todo'),
		perfStats: {
			start,
			end,
			runtime: end - start,
			slow: end - start > config.slowTestThreshold * 1000,
		},
		testExecError:
			unhandledErrors.length === 0 ? undefined : { message: '', stack: unhandledErrors.join('\n') },
		testFilePath: file,
		testResults: results,
	};
}
