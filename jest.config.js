/** A second copy of n8n's service container is hoisted with the command line tool: n8n-core must find its own. */
const containerOfCore = require.resolve('@n8n/di', { paths: [require.resolve('n8n-core')] });

const shared = {
	testEnvironment: 'node',
	moduleFileExtensions: ['js', 'cjs', 'ts', 'cts', 'json', 'node'],
	moduleNameMapper: { '^@n8n/di$': containerOfCore },
	modulePathIgnorePatterns: ['<rootDir>/.cache', '<rootDir>/dist/package.json'],
	transform: {
		'^.+\\.c?ts$': [
			'@swc/jest',
			{
				jsc: { target: 'es2022', parser: { syntax: 'typescript', decorators: true } },
				module: { type: 'commonjs' },
			},
		],
	},
};

/** One project for each kind of test, so that each can be run alone: jest --selectProjects unit */
const project = (name, options = {}) => ({
	...shared,
	displayName: name,
	testMatch: [`<rootDir>/test/${name}/**/*.test.cts`],
	...options,
});

/** What every test of a real n8n needs: n8n installed, the package packed, and time to start servers. */
const realN8n = {
	globalSetup: '<rootDir>/test/e2e/support/globalSetup.cts',
	setupFilesAfterEnv: ['<rootDir>/test/e2e/support/timeouts.cts'],
};

/** The editor in a browser: one n8n for all files. */
const browser = project('browser', {
	globalSetup: '<rootDir>/test/browser/support/globalSetup.cts',
	globalTeardown: '<rootDir>/test/browser/support/globalTeardown.cts',
});

module.exports = {
	projects: [
		project('unit'),
		project('engine'),
		project('sandbox'),
		project('faults'),
		project('e2e', realN8n),
		project('queue', realN8n),
		browser,
	],
};
