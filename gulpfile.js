const { execFile } = require('node:child_process');
const { rm } = require('node:fs/promises');
const { promisify } = require('node:util');
const { dest, parallel, series, src } = require('gulp');

const run = promisify(execFile);

/** Starts from nothing, so that a file that was removed from the source is not packed. */
async function clean() {
	await rm('dist', { recursive: true, force: true });
}

/** Compiles nodes and credentials; a type error fails the build and prints where it is. */
async function types() {
	try {
		await run(process.execPath, [
			require.resolve('typescript/bin/tsc'),
			'--project',
			'tsconfig.json',
		]);
	} catch (error) {
		throw new Error(`The types do not compile:\n${error.stdout}`);
	}
}

/** Copies what the compiler leaves behind: icons and codex files, byte for byte. */
function assets() {
	return src(['icons/*.svg', 'nodes/**/*.node.json'], { base: '.', encoding: false }).pipe(
		dest('dist'),
	);
}

exports.default = series(clean, parallel(types, assets));
exports.clean = clean;
