import { createRequire } from 'node:module';

const { projects } = createRequire(import.meta.url)('../jest.config.js');
const unit = projects.find(({ displayName }) => displayName === 'unit');
/** With the code, so that jest finds the tests of a file. */
const roots = ['test', 'nodes', 'credentials'].map((folder) => `<rootDir>/${folder}`);
// Those beside the folders read the project itself, which Stryker doesn't copy as a whole.
const testMatch = ['<rootDir>/test/unit/*/**/*.test.cts'];

/** Changes the code of the nodes, and runs the unit tests that reach the change. See CONTRIBUTING.md. */
export default {
	mutate: ['nodes/**/*.ts', 'credentials/**/*.ts'],
	testRunner: 'jest',
	plugins: ['@stryker-mutator/jest-runner'],
	coverageAnalysis: 'off',
	jest: {
		projectType: 'custom',
		config: { projects: [{ ...unit, roots, testMatch }] },
		enableFindRelatedTests: true,
	},
	ignorePatterns: ['.cache', 'dist', 'service/dist'],
	tempDirName: '.cache/stryker',
	reporters: ['clear-text', 'progress'],
	concurrency: 2,
};
