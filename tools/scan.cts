import { readdir, readFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { installOnce } from './install.cts';
import {
	cacheFolder,
	createRunFolder,
	packPackage,
	projectRoot,
	unpackPackage,
} from './project.cts';
import { log, runTool } from './tool.cts';

interface Scanner {
	SOURCE_FILE_PATTERNS: string[];
	analyzePackage(
		folder: string,
		patterns: string[],
	): Promise<{ passed: boolean; message?: string; details?: string }>;
}

const SCANNER = '@n8n/scan-community-package';
// The parser that the scanner calls knows no later TypeScript.
const manifest = { dependencies: { [SCANNER]: '0.32.0', typescript: '6.0.3' } };
const ALLOWED = /^(dist\/.+(?<!\.d)\.(js|json|svg)|README\.md|LICENSE|package\.json)$/;

/**
 * Runs n8n's scan of community packages on the sources and on the packed package, and checks which
 * files are packed. Any finding is an error.
 */
async function main() {
	const scanFolder = join(cacheFolder, 'scan');
	const manifests = { '.': manifest };
	await installOnce({ title: "n8n's package scan", folder: scanFolder, manifests });
	const scanner = join(scanFolder, 'node_modules', SCANNER, 'scanner', 'scanner.mjs');
	const { analyzePackage, SOURCE_FILE_PATTERNS } = (await import(
		pathToFileURL(scanner).href
	)) as Scanner;
	const folder = await createRunFolder('scan');
	const unpacked = join(folder, 'package');
	await unpackPackage(await packPackage(folder), unpacked);

	const results = [
		await analyzePackage(projectRoot, SOURCE_FILE_PATTERNS),
		await analyzePackage(unpacked, ['**/*.js', 'package.json']),
	];
	const findings = results
		.filter(({ passed }) => !passed)
		.map(({ message, details = '' }) => `${message}\n${details}`);
	findings.push(...(await checkPackedFiles(unpacked)));
	for (const finding of findings) process.stdout.write(`${finding}\n`);
	if (findings.length > 0) throw new Error(`The scan has ${findings.length} findings.`);
	log('No findings in the sources, the package and the list of packed files.');
}

/**
 * Checks that an unpacked package has the nodes, the credentials and the icons, and no files that don't belong there.
 * @returns one sentence for each finding
 */
async function checkPackedFiles(folder: string): Promise<string[]> {
	const entries = await readdir(folder, { recursive: true, withFileTypes: true });
	const files = entries
		.filter((entry) => entry.isFile())
		.map((entry) => relative(folder, join(entry.parentPath, entry.name)).replaceAll(sep, '/'));
	const { n8n } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
	const icons = (await readdir(join(projectRoot, 'icons'))).map((file) => `dist/icons/${file}`);
	const needed: string[] = ['README.md', 'LICENSE', ...n8n.nodes, ...n8n.credentials, ...icons];
	return [
		...files.filter((file) => !ALLOWED.test(file)).map((file) => `${file} is packed.`),
		...needed.filter((file) => !files.includes(file)).map((file) => `${file} is not packed.`),
	];
}

runTool(main);
