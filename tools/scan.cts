import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { packageFolder } from './npm.cts';
import { packPackage, unpackPackage } from './packPackage.cts';
import { cacheFolder, projectRoot } from './paths.cts';
import { installManifest, installOnce } from './installOnce.cts';
import { consoleProgress, type Progress } from './progress.cts';
import { createRunFolder } from './runFolder.cts';
import { runTool } from './runTool.cts';
import { checkPackedFiles, type XmlCheck } from './scan/packedFiles.cts';

interface Scanner {
	SOURCE_FILE_PATTERNS: string[];
	analyzePackage(folder: string, patterns: string[]): Promise<ScanResult>;
}

interface ScanResult {
	passed: boolean;
	message?: string;
	details?: string;
}

const scanFolder = join(cacheFolder, 'scan');
const manifest = join(__dirname, 'scan');

/**
 * Runs n8n's scan of community packages on the sources and on the packed package, and checks which
 * files are packed. Any finding is an error.
 */
async function main() {
	const progress = consoleProgress();
	await installScanner(progress);
	const { analyzePackage, SOURCE_FILE_PATTERNS } = await load<Scanner>(
		'@n8n/scan-community-package/scanner/scanner.mjs',
	);
	const isXml = await loadXmlCheck();
	const folder = await createRunFolder('scan');
	const unpacked = join(folder, 'package');
	await unpackPackage(await packPackage(folder, progress), unpacked);

	const findings = [
		...getFindings('The sources', await analyzePackage(projectRoot, SOURCE_FILE_PATTERNS)),
		...getFindings('The package', await analyzePackage(unpacked, ['**/*.js', 'package.json'])),
		...(await checkPackedFiles(unpacked, isXml)),
	];
	for (const finding of findings) process.stdout.write(`${finding}\n`);
	if (findings.length > 0) throw new Error(`The scan has ${findings.length} findings.`);
	progress.log('No findings in the sources, the package and the list of packed files.');
}

async function installScanner(progress: Progress): Promise<void> {
	const title = "n8n's package scan";
	const install = async (folder: string) => {
		await progress.step(`Installing ${title} (once)`, async (setDetail) => {
			await installManifest(manifest, folder, join(folder, 'install.log'), setDetail);
		});
	};
	await installOnce({ title, folder: scanFolder, manifests: [manifest], install }, progress);
}

async function load<T>(path: string): Promise<T> {
	return (await import(pathToFileURL(packageFolder(scanFolder, path)).href)) as T;
}

async function loadXmlCheck(): Promise<XmlCheck> {
	const { XMLValidator } = await load<{
		XMLValidator: { validate(text: string): true | object };
	}>('fast-xml-parser/src/fxp.js');
	return (text) => XMLValidator.validate(text) === true;
}

function getFindings(what: string, { passed, message, details }: ScanResult): string[] {
	return passed ? [] : [[`${what}: ${message}`, details].filter(Boolean).join('\n')];
}

runTool(main);
