import { mkdtempSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { registerLoader, unloadProject } from './modules.mjs';

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

/** jest-circus exports all of its state but this: it notes errors that nobody catches. */
function dispatch(event) {
	for (const handler of globalThis[Symbol.for('EVENT_HANDLERS')]) handler(event, circus.getState());
}

/** What jest-circus leaves to jest: a rejection that nobody handles fails its test, or else the file. */
function failOnRejections({ name, test, hook }, state) {
	const fail = (errors, rejections = new Map()) => {
		errors.push(...rejections.values());
		rejections.clear();
	};
	const hooks = state.unhandledRejectionErrorByPromiseByHook;
	if (/^test_fn_(success|failure)$/.test(name)) {
		fail(test.errors, test.unhandledRejectionErrorByPromise);
	} else if (/^hook_(success|failure)$/.test(name)) {
		fail(test?.errors ?? state.unhandledErrors, hooks.get(hook));
	} else if (name === 'run_finish') {
		fail(state.unhandledErrors, state.unhandledRejectionErrorByPromise);
		for (const one of loadedTests()) {
			fail(state.unhandledErrors, one.unhandledRejectionErrorByPromise);
		}
	}
}

const allTests = (block) =>
	block.children.flatMap((child) => (child.type === 'test' ? [child] : allTests(child)));

/** All tests of the file that is loaded. */
export const loadedTests = () => allTests(circus.getState().rootDescribeBlock);

/**
 * Prepares this process to run test files, and loads n8n's engine.
 *
 * @param loader hooks of the loader of the project's files
 * @param patience milliseconds that a test or hook may take unless it sets its own time
 * @returns a folder for temporary files
 */
export function prepareProcess(loader, patience) {
	const folder = mkdtempSync(join(tmpdir(), 'encrypted-containers-tests-'));
	Object.assign(process.env, {
		NODE_ENV: 'test',
		N8N_USER_FOLDER: folder,
		N8N_ENCRYPTION_KEY: 'a-key-for-tests-only',
		N8N_EXPRESSION_ENGINE: 'legacy',
		N8N_LOG_LEVEL: 'silent',
	});
	globalThis[Symbol.for('TEST_TIMEOUT_SYMBOL')] = patience;
	registerLoader(loader);
	require('reflect-metadata');
	require('n8n-core');
	return folder;
}

/**
 * Runs the tests of a file in this process, with jest's own test framework.
 *
 * @param options.onEvent is called with each event of jest-circus
 * @param options.onLoaded is called between the load of the file and its tests
 * @param options.namePattern only tests whose names match it run
 * @returns the results of jest-circus
 * @throws when the file cannot be loaded
 */
export async function runTestFile(file, { onEvent, onLoaded, namePattern } = {}) {
	const environment = { ...process.env };
	circus.resetState();
	dispatch({ name: 'setup', parentProcess: process, testNamePattern: namePattern });
	const handlers = [failOnRejections, onEvent].filter(Boolean);
	for (const handler of handlers) circus.addEventHandler(handler);
	try {
		require(resolve(file));
		onLoaded?.();
		return await circus.run();
	} finally {
		for (const handler of handlers) circus.removeEventHandler(handler);
		dispatch({ name: 'teardown' });
		jest.restoreAllMocks();
		jest.useRealTimers();
		unloadProject();
		for (const name of Object.keys(process.env)) {
			if (!(name in environment)) delete process.env[name];
		}
		Object.assign(process.env, environment);
	}
}
