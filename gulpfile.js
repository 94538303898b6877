const { execFile } = require('node:child_process');
const { rm } = require('node:fs/promises');
const { promisify } = require('node:util');
const { dest, parallel, series, src } = require('gulp');

const run = promisify(execFile);

/** Removes the last build, so that deleted source files are not packed. */
async function clean() {
	await rm('dist', { recursive: true, force: true });
}

/** Compiles nodes and credentials. A type error fails the build. */
async function compile() {
	try {
		await run(process.execPath, [
			require.resolve('typescript/bin/tsc'),
			'--project',
			'tsconfig.json',
		]);
	} catch (error) {
		throw new Error(`Compiling failed:\n${error.stdout}`);
	}
}

/** Copies icons and codex files. */
function assets() {
	return src(['icons/*.svg', 'nodes/**/*.node.json'], { base: '.', encoding: false }).pipe(
		dest('dist'),
	);
}

exports.default = series(clean, parallel(compile, assets));
exports.clean = clean;
