const { join, sep } = require('node:path');
const vm = require('node:vm');
const { ModernFakeTimers } = require('@jest/fake-timers');
const { ModuleMocker } = require('jest-mock');

// jest compiles each test file for a context of its own. Packages that are loaded once need one context for all.
const { compileFunction } = vm;
vm.compileFunction = (code, parameters, { parsingContext, ...options }) =>
	compileFunction(
		code,
		parameters,
		parsingContext === globalThis ? options : { ...options, parsingContext },
	);

/** For packages.cjs: test files have a `require` of jest's. */
globalThis.requirePackage = require;

/**
 * Runs test files in this process's own context, with packages that are loaded once. jest's own environment loads n8n's
 * engine again for each test file, which takes longer than the tests.
 */
module.exports = class SharedContextEnvironment {
	global = globalThis;
	fakeTimers = null;
	moduleMocker = new ModuleMocker(globalThis);
	variables = { ...process.env };

	constructor({ projectConfig }) {
		this.dist = join(projectConfig.rootDir, 'dist', sep);
		this.fakeTimersModern = new ModernFakeTimers({ config: projectConfig, global: globalThis });
	}

	async setup() {}

	async teardown() {
		this.fakeTimersModern.dispose();
		this.moduleMocker.restoreAllMocks();
		for (const name of Object.keys(process.env)) {
			if (!(name in this.variables)) delete process.env[name];
		}
		Object.assign(process.env, this.variables);
		// n8n's engine loads the built node, which keeps what it has learned.
		for (const [file, { parent }] of Object.entries(require.cache)) {
			if (!file.startsWith(this.dist)) continue;
			delete require.cache[file];
			parent.children = parent.children.filter(({ filename }) => filename !== file);
		}
	}

	exportConditions() {
		return ['node', 'node-addons'];
	}

	getVmContext() {
		return globalThis;
	}
};
