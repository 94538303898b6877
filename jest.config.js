const { availableParallelism } = require('node:os');

/** The command line tool hoists a second copy of n8n's service container; n8n-core must find its own. */
const containerOfCore = require.resolve('@n8n/di', { paths: [require.resolve('n8n-core')] });

const shared = {
	testEnvironment: 'node',
	// Otherwise jest lists all files of node_modules and .cache at each start.
	roots: ['<rootDir>/test'],
	moduleFileExtensions: ['js', 'cjs', 'ts', 'cts', 'json', 'node'],
	moduleNameMapper: { '^@n8n/di$': containerOfCore },
	transform: {
		'(\\.c?ts|/node_modules/(get-port|markdown-table|p-timeout|p-wait-for)/.+\\.js)$': [
			'@swc/jest',
			{
				jsc: { target: 'es2022', parser: { syntax: 'typescript', decorators: true } },
				module: { type: 'commonjs' },
			},
		],
	},
	// jest loads CommonJS, so these ES modules are compiled as well.
	transformIgnorePatterns: ['/node_modules/(?!(get-port|markdown-table|p-timeout|p-wait-for)/)'],
};

/** One project per kind of test; to run one: jest --selectProjects unit */
const project = (name, options = {}) => ({
	...shared,
	displayName: name,
	testMatch: [`<rootDir>/test/${name}/**/*.test.cts`],
	...options,
});

/** Loads packages once, not for each test file. */
const fast = { runner: '<rootDir>/tools/testRunner/runner.mjs' };

/** Tests of a real n8n: they install n8n, pack the package and have time to start servers. */
const realN8n = {
	globalSetup: '<rootDir>/test/e2e/support/globalSetup.cts',
	setupFilesAfterEnv: ['<rootDir>/test/e2e/support/timeouts.cts'],
};

/** Tests of the editor in a browser: all files use one n8n. */
const browser = project('browser', {
	globalSetup: '<rootDir>/test/browser/support/globalSetup.cts',
	globalTeardown: '<rootDir>/test/browser/support/globalTeardown.cts',
});

module.exports = {
	// A busy machine must not fail a test. Tests that check a time set their own.
	testTimeout: 30_000,
	// Many tests wait, some for seconds.
	maxWorkers: Math.ceil(1.5 * availableParallelism()),
	testSequencer: '<rootDir>/tools/slowTestsFirst.cjs',
	// The engine leaves some megabytes behind in each test file.
	workerIdleMemoryLimit: '1GB',
	projects: [
		project('unit', fast),
		project('engine', fast),
		project('sandbox', fast),
		project('faults'),
		project('interop', { setupFilesAfterEnv: ['<rootDir>/test/e2e/support/timeouts.cts'] }),
		project('e2e', realN8n),
		project('queue', realN8n),
		browser,
	],
};
