import { readFileSync } from 'node:fs';
import Module from 'node:module';
import { join, sep } from 'node:path';
import { Script } from 'node:vm';
import { transformSync } from '@swc/core';

/** What the mutated code reads and writes: the mutant that is active, and which mutants a test reached. */
export const context = (globalThis.__stryker__ ??= {});

/** In place of a test's ID while the file of a mutant is loaded. */
export const whileLoading = 'while loading';

/** The source file of each mutant, by the mutant's ID. */
export const fileOfMutant = new Map();

/** Stryker's copy of the project. */
let root;
const scripts = new Map();
const importers = new Set();

const isOfProject = (file) =>
	file.startsWith(root) && !file.slice(root.length).includes(`node_modules${sep}`);

function compile(file) {
	const { code } = transformSync(readFileSync(file, 'utf8'), {
		filename: file,
		swcrc: false,
		jsc: { target: 'es2022', parser: { syntax: 'typescript', decorators: true } },
		module: { type: 'commonjs' },
	});
	for (const [, id] of code.matchAll(/stryMutAct_\w+\("(\d+)"\)/g)) fileOfMutant.set(id, file);
	return new Script(Module.wrap(code), { filename: file });
}

function load(module, file) {
	const script = scripts.get(file) ?? compile(file);
	scripts.set(file, script);
	const require = (request) => module.require(request);
	require.resolve = (request, options) => Module._resolveFilename(request, module, false, options);
	const { currentTestId } = context;
	context.currentTestId = whileLoading;
	try {
		const run = script.runInThisContext();
		run.call(module.exports, module.exports, require, module, file, join(file, '..'));
	} finally {
		context.currentTestId = currentTestId;
	}
}

/**
 * Compiles the project's files once and loads them again for each test file, as jest does. The packages, n8n's
 * engine among them, are loaded once: they take longest by far. What the engine loads from dist/ is
 * loaded from the sources, which have the mutants.
 */
export function registerLoader() {
	root = process.cwd() + sep;
	const { '.json': json, '.node': addon } = Module._extensions;
	// A name without extension means a source before the JSON beside it.
	for (const name of ['.json', '.node']) delete Module._extensions[name];
	Object.assign(Module._extensions, { '.ts': load, '.cts': load, '.json': json, '.node': addon });
	const resolve = Module._resolveFilename;
	Module._resolveFilename = function (request, parent, ...more) {
		if (parent && !isOfProject(parent.filename ?? root)) importers.add(parent);
		const source =
			request.startsWith(`${root}dist${sep}`) && request.endsWith('.js')
				? `${root}${request.slice(`${root}dist${sep}`.length, -'.js'.length)}.ts`
				: request;
		return resolve.call(this, source, parent, ...more);
	};
}

/** Forgets the loaded files of the project. */
export function unloadProject() {
	for (const file of Object.keys(Module._cache)) if (isOfProject(file)) delete Module._cache[file];
	for (const importer of importers) {
		importer.children = importer.children?.filter(({ filename }) => !isOfProject(filename ?? ''));
	}
	importers.clear();
}
