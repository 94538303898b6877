import { readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import ts from 'typescript';
import packageJson from '../../package.json';
import { projectRoot } from '../../tools/paths.cts';
import { claims } from './support/securityClaims.cts';

const security = readFileSync(join(projectRoot, 'SECURITY.md'), 'utf8');

describe('a sentence of what SECURITY.md promises', () => {
	const sentences = getSentences(getSection('What the package promises'));
	const starts = Object.keys(claims);

	it.each(sentences)('is shown by tests, or explains another one: %s', (sentence) => {
		expect(starts.filter((start) => sentence.startsWith(start))).toHaveLength(1);
	});

	it.each(starts)('exists: %s', (start) => {
		expect(sentences.filter((sentence) => sentence.startsWith(start))).toHaveLength(1);
	});

	it.each(
		Object.entries(claims).flatMap(([start, tests]) =>
			tests === 'explains' ? [] : Object.entries(tests).map((test) => [start, ...test]),
		),
	)('is shown by an existing test: %s (%s › %s)', (_start, file, title) => {
		expect(getTitles(join(projectRoot, 'test', file))).toContain(title);
	});
});

describe('the package', () => {
	it('has no runtime dependencies', () => {
		expect(packageJson).not.toHaveProperty('dependencies');
		expect(packageJson).not.toHaveProperty('optionalDependencies');
		expect(packageJson).not.toHaveProperty('bundledDependencies');
	});

	it('imports nothing but n8n-workflow and crypto', async () => {
		const files = await Promise.all(['nodes', 'credentials'].map(listSources));
		const imported = files.flat().flatMap((file) => {
			const { importedFiles } = ts.preProcessFile(readFileSync(file, 'utf8'), true, true);
			return importedFiles.map(({ fileName }) => fileName).filter((name) => !name.startsWith('.'));
		});
		expect([...new Set(imported)].sort()).toEqual(['crypto', 'n8n-workflow']);
	});
});

function getSection(heading: string): string {
	return security.split(`## ${heading}\n`)[1].split(/^## /m)[0];
}

/** The sentences of a section, without its headings. */
function getSentences(section: string): string[] {
	return section
		.split(/\n(?=- )|\n\n/)
		.filter((block) => !block.trim().startsWith('#'))
		.map((block) => block.replace(/^- /, '').replace(/\s+/g, ' ').trim())
		.flatMap((block) => block.split(/(?<=\.(?:\*\*)?) (?=[A-Z*])/))
		.filter(Boolean);
}

/** The titles of the tests and of their groups in a file. */
function getTitles(file: string): string[] {
	const source = ts.createSourceFile(
		file,
		readFileSync(file, 'utf8'),
		ts.ScriptTarget.Latest,
		true,
	);
	const titles: string[] = [];
	const visit = (part: ts.Node) => {
		const [title] = ts.isCallExpression(part) ? part.arguments : [];
		if (title !== undefined && ts.isStringLiteralLike(title)) {
			const callee = (part as ts.CallExpression).expression.getText(source);
			if (/^(it|describe)\b/.test(callee)) titles.push(title.text);
		}
		ts.forEachChild(part, visit);
	};
	visit(source);
	return titles;
}

async function listSources(folder: string): Promise<string[]> {
	const path = join(projectRoot, folder);
	const files = await readdir(path, { recursive: true });
	return files.filter((file) => file.endsWith('.ts')).map((file) => join(path, file));
}
