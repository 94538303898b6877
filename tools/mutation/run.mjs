import { createRequire } from 'node:module';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Stryker } from '@stryker-mutator/core';

const files = ['../../jest.config.js', '../../package.json'];
const [{ projects }, { n8n }] = files.map(createRequire(import.meta.url));

const node = 'nodes/EncryptedContainers';
const resources = `${node}/resources`;
const container = `${resources}/container`;
const ofOperations = ['engine/*', 'engine/retryOnFail/*', 'unit/EncryptedContainers/*'];

/** What is changed together, and the tests that are nearest to it, beside its unit tests. */
const rooms = {
	credentials: { code: ['credentials/*'], tests: ['engine/credential'] },
	errors: { code: ['nodes/shared/errors/*'] },
	parameters: { code: ['nodes/**/parameters/*'], tests: ['engine/guardrails'] },
	responses: { code: ['nodes/shared/responses/*'], tests: ['unit/shared/client/responses'] },
	api: { code: ['nodes/shared/api/*'] },
	client: { code: ['nodes/shared/client/*'], tests: ['*/**/{connection,alone}', 'engine/lists'] },
	execution: {
		code: [`${node}/*`, `${node}/execution/*`],
		tests: ['engine/contact/*', ...ofOperations],
	},
	listSearch: { code: [`${node}/listSearch/*`], tests: ['engine/listSearch'] },
	resources: { code: [`${resources}/*`, `${resources}/user/*`], tests: ofOperations },
	contact: { code: [`${resources}/contact/*`], tests: ['engine/contact/*', ...ofOperations] },
	container: { code: [`${container}/*`], tests: ['engine/container/*', ...ofOperations] },
	encode: {
		code: [`${container}/encode/*`],
		// Tests of object stores take long and notice nothing more.
		tests: ['engine/container/encode/!(objectStore)', ...ofOperations],
	},
	drm: { code: [`${resources}/drm/*`], tests: ['engine/drm/*', ...ofOperations] },
	trigger: { code: ['nodes/EncryptedContainersTrigger/**/*'], tests: ['engine/trigger/**/*'] },
};

const { positionals, values } = parseArgs({
	allowPositionals: true,
	options: { sample: { type: 'string', default: '' } },
});
process.env.MUTATION_SAMPLE = values.sample;

async function mutate(name) {
	console.log(`\n${name}`);
	const { code, tests = [] } = rooms[name];
	const unitTests = code.map((pattern) => pattern.replace(/^(nodes\/)?/, 'unit/'));
	// The tests decide what a mutant's state is, so each choice of them has a history of its own.
	const folder = join('.cache/mutation', name);
	await new Stryker({
		mutate: [...code.map((pattern) => `${pattern}.ts`), '!nodes/**/descriptions/**'],
		testRunner: 'jest',
		jest: {
			enableFindRelatedTests: false,
			config: {
				...projects[0],
				// What runs when a file is loaded is of no test: else, it would be of the first one alone.
				globals: { preloaded: [...n8n.nodes, ...n8n.credentials] },
				// Stryker knows no <rootDir>.
				testEnvironment: './tools/jest/environment.cjs',
				testMatch: [...unitTests, ...tests].map((path) => `<rootDir>/test/${path}.test.cts`),
				projects: [],
				displayName: '',
				testTimeout: 15_000,
			},
		},
		// n8n's engine loads dist/.
		buildCommand: 'npm run build',
		disableTypeChecks: '{nodes,credentials}/**/*.ts',
		plugins: ['@stryker-mutator/jest-runner', './tools/mutation/plugins.mjs'],
		ignorers: ['skip'],
		concurrency: 2,
		// A new process now and then gives back what the engine leaves behind.
		maxTestRunnerReuse: 40,
		timeoutMS: 30_000,
		dryRunTimeoutMinutes: 30,
		incremental: values.sample === '',
		incrementalFile: join(folder, 'incremental.json'),
		tempDirName: '.cache/mutation/sandbox',
		ignorePatterns: ['.cache', '.github', 'dist', 'docs/images'],
		reporters: ['survivors', 'progress-append-only', 'html'],
		htmlReporter: { fileName: join(folder, 'report.html') },
		logLevel: 'warn',
		warnings: { slow: false },
	}).runMutationTest();
}

const unknown = positionals.filter((name) => !Object.hasOwn(rooms, name));
if (unknown.length > 0) throw new Error(`${unknown.join()}: the rooms are ${Object.keys(rooms)}.`);
for (const name of positionals.length > 0 ? positionals : Object.keys(rooms)) await mutate(name);
