import { readFileSync } from 'node:fs';
import Module from 'node:module';
import { join, sep } from 'node:path';
import { Script } from 'node:vm';
import { transformSync } from '@swc/core';

/** Stryker changes the folder of its processes after it has loaded this file. */
let root;
const scripts = new Map();
const importers = new Set();

const isOfProject = (file) =>
	file.startsWith(root) && !file.slice(root.length).includes(`node_modules${sep}`);

/**
 * Compiles the project's files once and loads them again for each test file, as jest does. The packages, n8n's
 * engine among them, are loaded once: they take longest by far.
 *
 * @param hooks.redirect returns the file to load in place of one that is required
 * @param hooks.onCompile is called with each file, its code and its source map
 * @param hooks.load calls the function that loads a file
 */
export function registerLoader({
	redirect = (request) => request,
	onCompile = () => undefined,
	load = (run) => run(),
} = {}) {
	root = process.cwd() + sep;
	const compile = (file) => {
		const { code, map } = transformSync(readFileSync(file, 'utf8'), {
			filename: file,
			swcrc: false,
			sourceMaps: true,
			jsc: { target: 'es2022', parser: { syntax: 'typescript', decorators: true } },
			module: { type: 'commonjs' },
		});
		onCompile(file, code, map);
		return new Script(Module.wrap(code), { filename: file });
	};
	const extension = (module, file) => {
		const script = scripts.get(file) ?? compile(file);
		scripts.set(file, script);
		const require = (request) => module.require(request);
		require.resolve = (request, options) =>
			Module._resolveFilename(request, module, false, options);
		const run = script.runInThisContext();
		load(() => run.call(module.exports, module.exports, require, module, file, join(file, '..')));
	};
	const { '.json': json, '.node': addon } = Module._extensions;
	// A name without extension means a source before the JSON beside it.
	for (const name of ['.json', '.node']) delete Module._extensions[name];
	Object.assign(Module._extensions, {
		'.ts': extension,
		'.cts': extension,
		'.json': json,
		'.node': addon,
	});
	const resolve = Module._resolveFilename;
	Module._resolveFilename = function (request, parent, ...more) {
		if (parent && !isOfProject(parent.filename ?? root)) importers.add(parent);
		return resolve.call(this, redirect(request), parent, ...more);
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
