/**
 * Draws real PDFs and pictures of strangers, and compares PDFs with what pdftocairo draws. They come from packages of
 * Debian and npm, into .cache/corpus. It needs apt-get, dpkg-deb, pdftocairo (poppler-utils), and poppler-data: without it,
 * pdftocairo draws no Chinese.
 *
 * npm run test:corpus -- [how many files at most]
 *
 * On 2026-11-29, on a busy machine: 363 files, and 197 PDFs with a median similarity of 0.991. The ten that are least alike, from
 * 0.842 on, show the same: thin lines and small letters are smoothed in another way. Nine files ran out of time, and were drawn
 * within 1.5 s each afterwards. Two are refused: a Makefile whose name ends in .svg, and a PDF without pages, which pdftocairo refuses, too.
 */
import { execFileSync } from 'node:child_process';
import {
	existsSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	rmSync,
	statSync,
	writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { extname, join, relative } from 'node:path';
import {
	ImageMagick,
	initializeImageMagick,
	MagickFormat,
	MagickGeometry,
} from '@imagemagick/magick-wasm';
import { ssim } from 'ssim.js';
import { createViewing } from './dist/viewing/viewing.mjs';

const DEBIAN = [
	'asymptote-doc',
	'bash-doc',
	'fftw-docs',
	'ghostscript-doc',
	'gnuplot-doc',
	'gsl-doc-pdf',
	'hplip-doc',
	'imagemagick-6-doc',
	'libreoffice-common',
	'maxima-doc',
	'octave-doc',
	'r-doc-pdf',
	'tango-icon-theme',
	'texlive-fonts-recommended-doc',
	'texlive-lang-chinese',
	'texlive-lang-cyrillic',
	'texlive-latex-base-doc',
	'texlive-latex-recommended-doc',
];
const NPM = ['pdf-parse@1.1.1', 'pdf2json@3.1.4', 'leaflet@1.9.4', 'openseadragon@4.1.0'];

const folder = join(import.meta.dirname, '../.cache/corpus');
const archives = join(folder, 'archives');
const worstFolder = join(folder, 'worst');
const PICTURES = new Set([
	'.png',
	'.jpg',
	'.jpeg',
	'.gif',
	'.tif',
	'.tiff',
	'.webp',
	'.bmp',
	'.svg',
]);
/** So that none of them counts for all. */
const MAX_OF_PACKAGE = { pdf: 40, picture: 12 };
const MIN_FILES = 200;
/** What was drawn until then is reported. */
const MAX_MS = 20 * 60 * 1000;
const WORST = 10;
/** Of the side of a picture that is compared. */
const COMPARED_PIXELS = 900;

const run = (program, args, cwd = archives) =>
	execFileSync(program, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'], timeout: 120_000 });

/** @returns the folder with what is in the package; nothing where there is no such package */
function fetchPackage(name, download, unpack) {
	const target = join(folder, 'packages', name.replaceAll('/', '+'));
	if (existsSync(target)) return target;
	try {
		const archive = download();
		mkdirSync(target, { recursive: true });
		unpack(archive, target);
		rmSync(join(archives, archive));
		return target;
	} catch (error) {
		console.log(`not fetched: ${name} (${String(error.message).split('\n')[0]})`);
		return undefined;
	}
}

function fetchDebian(name) {
	const download = () => {
		run('apt-get', ['-qq', 'download', name]);
		return readdirSync(archives).find((file) => file.startsWith(`${name}_`));
	};
	return fetchPackage(name, download, (archive, target) =>
		run('dpkg-deb', ['-x', archive, target]),
	);
}

function fetchNpm(name) {
	const download = () => run('npm', ['pack', '--silent', name]).toString().trim();
	return fetchPackage(name, download, (archive, target) =>
		run('tar', ['-xzf', archive, '-C', target]),
	);
}

/** The files of a package: spread over it where there are too many. */
function chooseFiles(place) {
	const all = readdirSync(place, { recursive: true, withFileTypes: true })
		.filter((entry) => entry.isFile())
		.map(({ parentPath, name }) => join(parentPath, name))
		.filter((file) => statSync(file).size > 0);
	const spread = (files, count) => {
		const step = Math.max(files.length / count, 1);
		return Array.from(
			{ length: Math.min(files.length, count) },
			(_, n) => files[Math.floor(n * step)],
		);
	};
	const ending = (file) => extname(file).toLowerCase();
	return [
		...spread(
			all.filter((file) => ending(file) === '.pdf'),
			MAX_OF_PACKAGE.pdf,
		),
		...spread(
			all.filter((file) => PICTURES.has(ending(file))),
			MAX_OF_PACKAGE.picture,
		),
	];
}

/** @param shape of what is compared: pdftocairo rounds it in another way */
function toPixels(bytes, { width, height }) {
	return ImageMagick.read(bytes, (image) => {
		image.alpha(9); // Removed, on white.
		const shape = new MagickGeometry(width, height);
		shape.ignoreAspectRatio = true;
		image.resize(shape);
		const data = image.getPixels((pixels) => pixels.toByteArray(0, 0, width, height, 'RGBA'));
		return { data: new Uint8ClampedArray(data), width, height };
	});
}

function toComparedShape({ width, height }) {
	const factor = Math.min(1, COMPARED_PIXELS / Math.max(width, height));
	return { width: Math.round(width * factor), height: Math.round(height * factor) };
}

const toPng = (bytes) =>
	ImageMagick.read(bytes, (image) =>
		image.write(MagickFormat.Png, (data) => Uint8Array.from(data)),
	);

/** What pdftocairo draws of a page, in the same number of pixels. */
function drawReference(file, page, { width, height }) {
	const shape = ['-scale-to-x', String(width), '-scale-to-y', String(height)];
	const one = ['-png', '-singlefile', '-cropbox', '-f', String(page), '-l', String(page)];
	const target = join(folder, 'reference');
	run('pdftocairo', [...one, ...shape, file, target]);
	return readFileSync(`${target}.png`);
}

async function examine(viewing, file) {
	const content = readFileSync(file);
	const read = async (offset, length) => content.subarray(offset, offset + length);
	const source = { name: file, type: '', size: content.length, read };
	const view = { key: file, turn: 'corpus', source };
	const name = relative(join(folder, 'packages'), file);
	const start = performance.now();
	try {
		const { pageCount } = await viewing.describe(view, { from: 1, to: 1 });
		const page = Math.ceil(pageCount / 2);
		const picture = await viewing.render(view, { page, size: 'fit' });
		const ms = Math.round(performance.now() - start);
		const drawn = { name, page, ms, picture };
		if (extname(file).toLowerCase() !== '.pdf') return { ...drawn, outcome: 'drawn' };
		return { ...drawn, ...compare(file, page, picture) };
	} catch (error) {
		const outcome = error.problem ?? `failed: ${error.message}`;
		return { name, outcome, cause: String(error.cause ?? '').slice(0, 200) };
	}
}

function compare(file, page, picture) {
	try {
		const reference = drawReference(file, page, picture);
		const shape = toComparedShape(picture);
		const { mssim } = ssim(toPixels(picture.bytes, shape), toPixels(reference, shape));
		return { outcome: 'compared', similarity: mssim, reference };
	} catch (error) {
		return { outcome: `drawn, but not by pdftocairo: ${String(error.message).split('\n')[0]}` };
	}
}

async function main() {
	mkdirSync(archives, { recursive: true });
	const require = createRequire(import.meta.url);
	await initializeImageMagick(
		readFileSync(require.resolve('@imagemagick/magick-wasm/magick.wasm')),
	);
	const places = [...DEBIAN.map(fetchDebian), ...NPM.map(fetchNpm)].filter(Boolean);
	const files = places.flatMap(chooseFiles).slice(0, Number(process.argv[2]) || Infinity);
	const viewing = createViewing();
	const results = [];
	const end = Date.now() + MAX_MS;
	for (const file of files) {
		if (Date.now() < end) results.push(await examine(viewing, file));
	}
	await viewing.close();
	report(results);
}

function report(results) {
	const counts = {};
	for (const { outcome } of results) counts[outcome] = (counts[outcome] ?? 0) + 1;
	console.log(`${results.length} files`, counts);
	for (const { name, outcome, cause } of results) {
		if (!/^(drawn|compared)$/.test(outcome)) console.log(`${outcome}  ${name}  ${cause ?? ''}`);
	}
	const compared = results.filter(({ similarity }) => similarity !== undefined);
	compared.sort((one, other) => one.similarity - other.similarity);
	rmSync(worstFolder, { recursive: true, force: true });
	mkdirSync(worstFolder, { recursive: true });
	for (const [index, result] of compared.slice(0, WORST).entries()) {
		const { name, page, similarity, picture, reference } = result;
		console.log(`${similarity.toFixed(3)}  ${name}, page ${page}`);
		writeFileSync(join(worstFolder, `${index + 1}-ours.png`), toPng(picture.bytes));
		writeFileSync(join(worstFolder, `${index + 1}-reference.png`), reference);
	}
	const median = compared[Math.floor(compared.length / 2)]?.similarity ?? 0;
	console.log(
		`Median similarity of ${compared.length} PDFs: ${median.toFixed(3)}. Pictures: ${worstFolder}`,
	);
	// A thread that ends by itself says `tooHeavy`: none of these files is made to do harm.
	const bad = results.filter(({ outcome }) => /^(failed|tooHeavy|timedOut)/.test(outcome));
	const isWhole = results.length >= MIN_FILES || process.argv[2] !== undefined;
	if (bad.length > 0 || !isWhole) process.exitCode = 1;
}

await main();
