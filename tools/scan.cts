import { readdir, readFile } from 'node:fs/promises';
import { dirname, join, posix, relative, sep } from 'node:path';
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
	analyzePackage(folder: string, patterns: string[]): Promise<ScanResult>;
}

interface ScanResult {
	passed: boolean;
	message?: string;
	details?: string;
}

interface PackageJson {
	n8n: { nodes: string[]; credentials: string[] };
	[field: string]: unknown;
}

const SCANNER = '@n8n/scan-community-package';
// The parser that the scanner calls knows no later TypeScript.
const manifest = { dependencies: { [SCANNER]: '0.32.0', typescript: '6.0.3' } };
const ALLOWED = /^(dist\/.+(?<!\.d)\.(js|json|svg)|README\.md|LICENSE|package\.json)$/;
const DEPENDENCIES = ['dependencies', 'optionalDependencies', 'bundleDependencies'];
const ICON = /file:([\w./-]+\.svg)/g;

/**
 * Runs n8n's scan of community packages on the sources and on the packed package, and checks which
 * files are packed. Any finding is an error.
 */
async function main() {
	const scanFolder = join(cacheFolder, 'scan');
	const title = "n8n's package scan";
	await installOnce({ title, folder: scanFolder, manifests: { '.': manifest } });
	const scanner = join(scanFolder, 'node_modules', SCANNER, 'scanner', 'scanner.mjs');
	const { analyzePackage, SOURCE_FILE_PATTERNS } = (await import(
		pathToFileURL(scanner).href
	)) as Scanner;
	const folder = await createRunFolder('scan');
	const unpacked = join(folder, 'package');
	await unpackPackage(await packPackage(folder), unpacked);

	const findings = [
		...getFindings('The sources', await analyzePackage(projectRoot, SOURCE_FILE_PATTERNS)),
		...getFindings('The package', await analyzePackage(unpacked, ['**/*.js', 'package.json'])),
		...(await checkPackedFiles(unpacked)),
	];
	for (const finding of findings) process.stdout.write(`${finding}\n`);
	if (findings.length > 0) throw new Error(`The scan has ${findings.length} findings.`);
	log('No findings in the sources, the package and the list of packed files.');
}

function getFindings(what: string, { passed, message, details }: ScanResult): string[] {
	return passed ? [] : [[`${what}: ${message}`, details].filter(Boolean).join('\n')];
}

/**
 * Checks an unpacked package: it contains only files that belong there, has no runtime dependency, and
 * contains each node and credential of package.json and their icons.
 * @returns one sentence for each finding
 */
async function checkPackedFiles(folder: string): Promise<string[]> {
	const files = await listFiles(folder);
	const packageJson = JSON.parse(
		await readFile(join(folder, 'package.json'), 'utf8'),
	) as PackageJson;
	const { nodes, credentials } = packageJson.n8n;
	const needed = ['README.md', 'LICENSE', ...nodes, ...credentials];
	for (const file of files.filter((name) => /\.(node|credentials)\.js$/.test(name))) {
		const icons = [...(await readFile(join(folder, file), 'utf8')).matchAll(ICON)];
		needed.push(...icons.map(([, icon]) => posix.join(dirname(file), icon)));
		if (icons.length === 0) needed.push(`the icon of ${file}`);
	}
	const hasAny = (field: string) => Object.keys((packageJson[field] as object) ?? {}).length > 0;
	return [
		...files.filter((file) => !ALLOWED.test(file)).map((file) => `${file} is packed.`),
		...needed.filter((file) => !files.includes(file)).map((file) => `${file} is not packed.`),
		...DEPENDENCIES.filter(hasAny).map((field) => `package.json has ${field}.`),
	];
}

async function listFiles(folder: string): Promise<string[]> {
	const entries = await readdir(folder, { recursive: true, withFileTypes: true });
	return entries
		.filter((entry) => entry.isFile())
		.map((entry) => relative(folder, join(entry.parentPath, entry.name)).replaceAll(sep, '/'));
}

runTool(main);
