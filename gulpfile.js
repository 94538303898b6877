const { rm } = require('node:fs/promises');
const { builtinModules } = require('node:module');
const { join, sep } = require('node:path');
const typescript = require('@rollup/plugin-typescript');
const { dest, parallel, series, src } = require('gulp');
const { rollup } = require('@rollup/wasm-node');
const { n8n } = require('./package.json');

const sharedFolder = join(__dirname, 'nodes', 'shared') + sep;

/** Removes the last build, so that deleted source files are not packed. */
async function clean() {
	await rm('dist', { recursive: true, force: true });
}

/**
 * Compiles each node and the credential into one file, and what they share into another: n8n loads all files at its
 * start. A type error fails the build.
 */
async function compile() {
	const files = [...n8n.nodes, ...n8n.credentials].map((file) =>
		file.slice('dist/'.length, -'.js'.length),
	);
	const bundle = await rollup({
		input: Object.fromEntries(files.map((file) => [file, `${file}.ts`])),
		external: ['n8n-workflow', ...builtinModules],
		plugins: [typescript({ module: 'esnext', moduleResolution: 'bundler', noEmitOnError: true })],
		onwarn({ message }) {
			throw new Error(message);
		},
	});
	await bundle.write({
		dir: 'dist',
		format: 'cjs',
		generatedCode: { preset: 'es2015', symbols: false },
		manualChunks: (file) => (file.startsWith(sharedFolder) ? 'nodes/shared' : undefined),
		chunkFileNames: '[name].js',
	});
}

/** Copies icons, codex files and the schemas of the outputs. */
function assets() {
	const files = ['icons/*.svg', 'nodes/**/*.node.json', 'nodes/*/__schema__/**/*.json'];
	return src(files, { base: '.', encoding: false }).pipe(dest('dist'));
}

exports.default = series(clean, parallel(compile, assets));
exports.clean = clean;
