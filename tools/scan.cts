import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { installOnce } from './install.cts';
import * as project from './project.cts';
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

/**
 * Runs n8n's scan of community packages on the sources and on the packed package. Any finding is an error.
 */
async function main() {
	const scanFolder = join(project.cacheFolder, 'scan');
	const manifests = { '.': manifest };
	await installOnce({ title: "n8n's package scan", folder: scanFolder, manifests });
	const scanner = join(scanFolder, 'node_modules', SCANNER, 'scanner', 'scanner.mjs');
	const { analyzePackage, SOURCE_FILE_PATTERNS } = (await import(
		pathToFileURL(scanner).href
	)) as Scanner;
	const folder = await project.createRunFolder('scan');
	const unpacked = join(folder, 'package');
	await project.unpackPackage(await project.packPackage(folder), unpacked);

	const results = [
		await analyzePackage(project.projectRoot, SOURCE_FILE_PATTERNS),
		await analyzePackage(unpacked, ['**/*.js', 'package.json']),
	];
	const findings = results
		.filter(({ passed }) => !passed)
		.map(({ message, details = '' }) => `${message}\n${details}`);
	for (const finding of findings) process.stdout.write(`${finding}\n`);
	if (findings.length > 0) throw new Error(`The scan has ${findings.length} findings.`);
	log('No findings in the sources and the package.');
}

runTool(main);
