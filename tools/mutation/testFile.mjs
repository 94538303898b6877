import { sep } from 'node:path';
import { loadedTests, runTestFile } from '../testRunner/testFile.mjs';

/** What the mutated code reads and writes: the mutant that is active, and which mutants a test reached. */
export const context = (globalThis.__stryker__ ??= {});

/** In place of a test's ID while the file of a mutant is loaded. */
export const whileLoading = 'while loading';

/** The source file of each mutant, by the mutant's ID. */
export const fileOfMutant = new Map();

/** What the engine loads from dist/ is loaded from the sources, which have the mutants. */
export const loader = {
	redirect(request) {
		const root = process.cwd() + sep;
		const dist = `${root}dist${sep}`;
		if (!request.startsWith(dist) || !request.endsWith('.js')) return request;
		return `${root}${request.slice(dist.length, -'.js'.length)}.ts`;
	},
	onCompile(file, code) {
		for (const [, id] of code.matchAll(/stryMutAct_\w+\("(\d+)"\)/g)) fileOfMutant.set(id, file);
	},
	load(run) {
		const { currentTestId } = context;
		context.currentTestId = whileLoading;
		try {
			run();
		} finally {
			context.currentTestId = currentTestId;
		}
	},
};

function nameOf({ name, parent }) {
	return parent.parent === undefined ? name : `${nameOf(parent)} ${name}`;
}

/** The ID of a test: its file and its name. */
const idOf = (file, test) => `${file}: ${nameOf(test)}`;

/**
 * Runs the tests of a file for mutants.
 *
 * @param options.only IDs of the tests to run, all by default
 * @param options.bail whether to skip the other tests after the first that fails
 * @param options.timeoutOf milliseconds that a test may take, by its ID
 */
export async function runMutatedTestFile(file, { only, bail = false, timeoutOf }) {
	const results = [];
	const onEvent = ({ name, test }) => {
		if (name === 'test_start') context.currentTestId = idOf(file, test);
		if (name !== 'test_done') return;
		context.currentTestId = undefined;
		const [error] = test.errors.map((entry) =>
			Array.isArray(entry) ? (entry[0] ?? entry[1]) : entry,
		);
		results.push({
			id: idOf(file, test),
			file,
			duration: test.duration ?? 0,
			failure: test.errors.length === 0 ? undefined : String(error?.message ?? error),
		});
		if (bail && test.errors.length > 0) {
			for (const other of loadedTests()) other.mode = 'skip';
		}
	};
	const onLoaded = () => {
		for (const test of loadedTests()) {
			const id = idOf(file, test);
			if (only !== undefined && !only.has(id)) test.mode = 'skip';
			test.timeout ??= timeoutOf(id);
		}
	};
	try {
		const { unhandledErrors } = await runTestFile(file, { onEvent, onLoaded });
		const [failure] = unhandledErrors;
		if (failure !== undefined) results.push({ id: file, file, duration: 0, failure });
	} catch (error) {
		results.push({ id: file, file, duration: 0, failure: `${file} cannot be loaded: ${error}` });
	} finally {
		context.currentTestId = undefined;
	}
	return results;
}
