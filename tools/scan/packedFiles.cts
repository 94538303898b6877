import { readFile, readdir } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';

interface PackageJson {
	n8n: { nodes: string[]; credentials: string[] };
	[field: string]: unknown;
}

/** Returns whether a text is well-formed XML. */
export type XmlCheck = (text: string) => boolean;

const ALLOWED = /^(dist\/.+(?<!\.d)\.(js|json|svg)|README\.md|LICENSE|package\.json)$/;
const DEPENDENCIES = ['dependencies', 'optionalDependencies', 'bundleDependencies'];
const ICON = /file:([\w./-]+\.svg)/g;

/**
 * Checks an unpacked package: it contains only files that belong there, has no runtime dependency, and
 * contains each node and credential of package.json and their icons, which are SVG images.
 * @returns one sentence for each finding
 */
export async function checkPackedFiles(folder: string, isXml: XmlCheck): Promise<string[]> {
	const files = await listFiles(folder);
	const packageJson = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
	return [
		...files.filter((file) => !ALLOWED.test(file)).map((file) => `${file} is packed.`),
		...['README.md', 'LICENSE']
			.filter((file) => !files.includes(file))
			.map((file) => `${file} is not packed.`),
		...checkDependencies(packageJson),
		...checkEntries(packageJson, files),
		...(await checkIcons(folder, files, isXml)),
	];
}

function checkDependencies(packageJson: PackageJson): string[] {
	return DEPENDENCIES.filter(
		(field) => Object.keys((packageJson[field] as object | undefined) ?? {}).length > 0,
	).map((field) => `package.json has ${field}.`);
}

function checkEntries({ n8n }: PackageJson, files: string[]): string[] {
	return [...n8n.nodes, ...n8n.credentials]
		.filter((file) => !files.includes(file))
		.map((file) => `package.json names ${file}, which is not packed.`);
}

async function checkIcons(folder: string, files: string[], isXml: XmlCheck): Promise<string[]> {
	const findings: string[] = [];
	const icons = new Set<string>();
	for (const file of files.filter((name) => /\.(node|credentials)\.js$/.test(name))) {
		const matches = [...(await readFile(join(folder, file), 'utf8')).matchAll(ICON)];
		if (matches.length === 0) findings.push(`${file} has no icon.`);
		for (const [, path] of matches) icons.add(join(dirname(file), path));
	}
	for (const icon of icons) {
		if (!files.includes(icon)) findings.push(`The icon ${icon} is not packed.`);
		else if (!isSvg(await readFile(join(folder, icon), 'utf8'), isXml)) {
			findings.push(`The icon ${icon} is not an SVG image.`);
		}
	}
	return findings;
}

function isSvg(text: string, isXml: XmlCheck): boolean {
	return isXml(text) && /^(<\?xml[^>]*\?>\s*)?(<!--[\s\S]*?-->\s*)*<svg[\s>]/.test(text.trim());
}

async function listFiles(folder: string): Promise<string[]> {
	const entries = await readdir(folder, { recursive: true, withFileTypes: true });
	return entries
		.filter((entry) => entry.isFile())
		.map((entry) => relative(folder, join(entry.parentPath, entry.name)).replaceAll(sep, '/'));
}
