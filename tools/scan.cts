import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { cacheFolder, projectRoot } from './paths.cts';
import { installOnce, installPins } from './pinned.cts';
import { consoleProgress, type Progress } from './progress.cts';
import { buildPackage, packPackage, unpackPackage } from './realN8n/package.cts';
import { createRunFolder } from './realN8n/runFolder.cts';
import { installedPackage } from './realN8n/npm.cts';
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
const pins = join(__dirname, 'scan');

/**
 * Runs the scan that n8n runs on community packages, on the sources and on the package as it would
 * be published, and looks at what is packed. Any finding is a failure.
 */
async function main() {
	const progress = consoleProgress();
	await installScanner(progress);
	const { analyzePackage, SOURCE_FILE_PATTERNS } = await load<Scanner>(
		'@n8n/scan-community-package/scanner/scanner.mjs',
	);
	const isXml = await xmlCheck();
	const folder = await createRunFolder('scan');
	const unpacked = join(folder, 'package');
	await progress.step('Building and packing the package', async () => {
		const log = join(folder, 'build.log');
		await buildPackage(log);
		await unpackPackage(await packPackage(folder, log), unpacked, log);
	});

	const findings = [
		...findingsOf('The sources', await analyzePackage(projectRoot, SOURCE_FILE_PATTERNS)),
		...findingsOf('The package', await analyzePackage(unpacked, ['**/*.js', 'package.json'])),
		...(await checkPackedFiles(unpacked, isXml)),
	];
	for (const finding of findings) process.stdout.write(`${finding}\n`);
	if (findings.length > 0)
		throw new Error(`${findings.length} of the scan's checks found something.`);
	progress.note('Nothing found: in the sources, in the package, in the list of what is packed.');
}

async function installScanner(progress: Progress): Promise<void> {
	const wanted = {
		title: "n8n's package scan",
		folder: scanFolder,
		pins: [pins],
		async fill(unfinished: string) {
			await progress.step("Installing n8n's package scan (once)", async (detail) => {
				await installPins(pins, unfinished, join(unfinished, 'install.log'), detail);
			});
		},
	};
	await installOnce(wanted, progress);
}

async function load<T>(path: string): Promise<T> {
	return (await import(pathToFileURL(installedPackage(scanFolder, path)).href)) as T;
}

async function xmlCheck(): Promise<XmlCheck> {
	const { XMLValidator } = await load<{
		XMLValidator: { validate(text: string): true | object };
	}>('fast-xml-parser/src/fxp.js');
	return (text) => XMLValidator.validate(text) === true;
}

function findingsOf(what: string, { passed, message, details }: ScanResult): string[] {
	return passed ? [] : [[`${what}: ${message}`, details].filter(Boolean).join('\n')];
}

runTool(main);
