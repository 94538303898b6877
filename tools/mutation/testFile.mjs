import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { context, unloadProject } from './modules.mjs';

const require = createRequire(import.meta.url);
const { ModernFakeTimers } = require('@jest/fake-timers');
const { jestExpect } = require('@jest/expect');
const circus = require('jest-circus');
const { ModuleMocker } = require('jest-mock');
const mocker = new ModuleMocker(globalThis);
const timers = new ModernFakeTimers({
	config: { rootDir: process.cwd(), fakeTimers: {} },
	global: globalThis,
});

/** What the tests use of jest's object. */
const jest = {
	fn: mocker.fn.bind(mocker),
	spyOn: mocker.spyOn.bind(mocker),
	restoreAllMocks: () => mocker.restoreAllMocks(),
	useFakeTimers: (config) => timers.useFakeTimers(config),
	useRealTimers: () => timers.useRealTimers(),
	advanceTimersByTimeAsync: async (time) => await timers.advanceTimersByTimeAsync(time),
	getTimerCount: () => timers.getTimerCount(),
	setSystemTime: (now) => timers.setSystemTime(now),
};

const { describe, it, test, beforeAll, beforeEach, afterAll, afterEach } = circus;
Object.assign(globalThis, { describe, it, test, beforeAll, beforeEach, afterAll, afterEach });
Object.assign(globalThis, { expect: jestExpect, jest });

/** jest-circus exports all of its state but this: it makes unhandled rejections fail their test. */
function dispatch(event) {
	for (const handler of globalThis[Symbol.for('EVENT_HANDLERS')]) handler(event, circus.getState());
}

const allTests = (block) =>
	block.children.flatMap((child) => (child.type === 'test' ? [child] : allTests(child)));

function nameOf({ name, parent }) {
	return parent.parent === undefined ? name : `${nameOf(parent)} ${name}`;
}

/** The ID of a test: its file and its name. */
const idOf = (file, test) => `${file}: ${nameOf(test)}`;

/**
 * Runs the tests of a file in this process.
 *
 * @param options.only IDs of the tests to run, all by default
 * @param options.bail whether to skip the other tests after the first that fails
 * @param options.timeoutOf milliseconds that a test may take, by its ID
 */
export async function runTestFile(file, { only, bail = false, timeoutOf }) {
	const environment = { ...process.env };
	circus.resetState();
	dispatch({ name: 'setup', parentProcess: process });
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
			for (const other of allTests(circus.getState().rootDescribeBlock)) other.mode = 'skip';
		}
	};
	circus.addEventHandler(onEvent);
	try {
		require(resolve(file));
		for (const test of allTests(circus.getState().rootDescribeBlock)) {
			const id = idOf(file, test);
			if (only !== undefined && !only.has(id)) test.mode = 'skip';
			test.timeout ??= timeoutOf(id);
		}
		const { unhandledErrors } = await circus.run();
		const [failure] = unhandledErrors;
		if (failure !== undefined) results.push({ id: file, file, duration: 0, failure });
	} catch (error) {
		results.push({ id: file, file, duration: 0, failure: `${file} cannot be loaded: ${error}` });
	} finally {
		circus.removeEventHandler(onEvent);
		dispatch({ name: 'teardown' });
		context.currentTestId = undefined;
		jest.restoreAllMocks();
		jest.useRealTimers();
		unloadProject();
		for (const name of Object.keys(process.env)) {
			if (!(name in environment)) delete process.env[name];
		}
		Object.assign(process.env, environment);
	}
	return results;
}
