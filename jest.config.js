const { availableParallelism } = require('node:os');

/** The command line tool hoists a second copy of n8n's service container; n8n-core must find its own. */
const containerOfCore = require.resolve('@n8n/di', { paths: [require.resolve('n8n-core')] });

/** Packages that are only ES modules. jest loads CommonJS, so these are compiled as well. */
const esModules =
	'(@formatjs/[^/]+|@noble/[^/]+|@scure/base|age-encryption|cctv-age|client-zip|get-port|intl-messageformat|markdown-table|mime|p-(limit|timeout|wait-for)|yocto-queue)';

const shared = {
	// Otherwise jest lists all files of node_modules and .cache at each start.
	roots: ['<rootDir>/test'],
	moduleFileExtensions: ['js', 'cjs', 'ts', 'cts', 'mts', 'json', 'node'],
	moduleNameMapper: { '^@n8n/di$': containerOfCore },
	// n8n's engine keeps what it found in the global scope of the test file before.
	testEnvironmentOptions: { globalsCleanup: 'off' },
	transform: {
		[`(\\.[cm]?ts|/node_modules/${esModules}/.+\\.js)$`]: [
			'@swc/jest',
			{
				jsc: { target: 'es2022', parser: { syntax: 'typescript', decorators: true } },
				module: { type: 'commonjs' },
			},
		],
	},
	transformIgnorePatterns: [`/node_modules/(?!${esModules}/)`],
};

/** One project per kind of test; to run one: jest --selectProjects unit */
const project = (name, options = {}) => ({
	...shared,
	displayName: name,
	testMatch: [`<rootDir>/test/${name}/**/*.test.cts`],
	...options,
});

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

/** Tests of the service: each file starts services of its own, from the last build. */
const service = (name, options) =>
	project(name, {
		roots: ['<rootDir>/service/test'],
		testMatch: ['<rootDir>/service/test/**/*.test.mts'],
		testPathIgnorePatterns: ['/test/(browser|crash|image)/'],
		...options,
	});

/** PostgreSQL and S3 instead of SQLite and a folder. */
const servers = {
	globals: { usesServers: true },
	globalSetup: '<rootDir>/service/test/support/globalSetup.cts',
	globalTeardown: '<rootDir>/service/test/support/globalTeardown.cts',
};

const door = { roots: ['<rootDir>/service/test/browser'], testPathIgnorePatterns: [] };
const image = { roots: ['<rootDir>/service/test/image'], testPathIgnorePatterns: [] };
/** All pages of the service in each language and width. */
const pages = {
	globals: { allPages: true },
	testMatch: ['<rootDir>/service/test/browser/pages.test.mts'],
};
/** Zips of thousands of names, and of more than 4 GB. */
const archives = {
	globals: { allArchives: true },
	testMatch: ['<rootDir>/service/test/door/archive.test.mts'],
};
/** All files that are made to do harm. Each can take ten seconds. */
const hostile = {
	globals: { allHostileFiles: true },
	testMatch: ['<rootDir>/service/test/viewing/hostile.test.mts'],
};
/** Many ends of n8n at any moment. */
const kills = {
	...realN8n,
	globals: { manyKills: true },
	testMatch: ['<rootDir>/test/e2e/instantTrigger.test.cts'],
};
const crash = { roots: ['<rootDir>/service/test/crash'], testPathIgnorePatterns: [] };

module.exports = {
	// A busy machine must not fail a test. Tests that check a time set their own.
	testTimeout: 180_000,
	// Many tests wait, some for seconds.
	maxWorkers: Math.ceil(1.5 * availableParallelism()),
	// The engine leaves some megabytes behind in each test file.
	workerIdleMemoryLimit: '1GB',
	projects: [
		project('unit', { setupFiles: ['<rootDir>/test/unit/support/timers.cts'] }),
		project('engine'),
		project('faults'),
		project('interop'),
		project('e2e', realN8n),
		project('kills', kills),
		project('queue', realN8n),
		project('compose', { setupFilesAfterEnv: realN8n.setupFilesAfterEnv }),
		browser,
		service('service'),
		service('service-servers', servers),
		service('service-browser', door),
		service('service-pages', { ...door, ...pages }),
		service('service-archives', archives),
		service('hostile', hostile),
		service('image', image),
		service('crash', crash),
		service('crash-servers', { ...crash, ...servers }),
	],
};
