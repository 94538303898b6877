import { existsSync, readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { INodeProperties } from 'n8n-workflow';
import ts from 'typescript';
import { EncryptedContainersApi } from '../../credentials/EncryptedContainersApi.credentials';
import { EncryptedContainers } from '../../nodes/EncryptedContainers/EncryptedContainers.node';
import { EncryptedContainersTrigger } from '../../nodes/EncryptedContainersTrigger/EncryptedContainersTrigger.node';
import { projectRoot } from '../../tools/paths.cts';

const readme = readFileSync(join(projectRoot, 'README.md'), 'utf8');
const node = new EncryptedContainers().description;
const trigger = new EncryptedContainersTrigger().description;
const credential = new EncryptedContainersApi();

/** What n8n itself calls its pages, buttons and settings. */
const N8N_LABELS = [
	'Always Output Data',
	'Batching',
	'Community nodes',
	'Continue',
	'Import from File',
	'Install',
	'Execute Once',
	'On Error',
	'Request Options',
	'Retry On Fail',
	'Settings',
	'Timeout',
];

describe('the README', () => {
	it('quotes messages that the nodes have', async () => {
		const texts = await textsOfSources();
		const quotes = textOf('Troubleshooting')
			.split(/^- /m)
			.flatMap((item) => codeIn(/^(`[^`]+`,?\s*)*/.exec(item)?.[0] ?? ''))
			.filter((code) => !/^[A-Z_]+$/.test(code));

		expect(quotes.length).toBeGreaterThan(60);
		expect(quotes.filter((quote) => !texts.some((text) => contains(text, quote)))).toEqual([]);
	});

	it('writes in bold only what the nodes, the credential or n8n call so', () => {
		const labels = new Set([
			...[node, trigger, credential].flatMap(({ displayName, properties }) => [
				displayName,
				...labelsOf(properties),
			]),
			...N8N_LABELS,
		]);
		const bold = [...readme.matchAll(/\*\*(.+?)\*\*/g)].map(([, text]) => text);

		expect(bold.length).toBeGreaterThan(50);
		expect(bold.filter((text) => !labels.has(text))).toEqual([]);
	});

	it('lists all operations of all resources', () => {
		const resources = optionsOf('resource');
		const rows = sectionOf('Operations').slice(1, 1 + resources.length);
		const listed = rows.map(
			([resource, names]) => [linkText(resource), names.split(', ').sort()] as const,
		);
		const existing = resources.map(
			({ name, value }) => [name, operationsOf(value).sort()] as const,
		);

		expect(existing.length).toBeGreaterThan(0);
		expect(Object.fromEntries(listed)).toEqual(Object.fromEntries(existing));
	});

	it('names all events of the trigger', () => {
		const events = sectionOf('Trigger').flatMap(([event]) => boldIn(event));
		const { options = [] } = trigger.properties.find(({ name }) => name === 'event') ?? {};

		expect(options.length).toBeGreaterThan(0);
		for (const { name } of options) expect(events).toContain(name);
	});
});

describe('the pages of the project', () => {
	it.each(['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md', 'examples/README.md'])(
		'%s links only to what exists',
		(file) => {
			const page = readFileSync(join(projectRoot, file), 'utf8');
			const links = [...page.matchAll(/\]\((?!https:)([^)]+)\)/g)].map(([, link]) => link);

			expect(links.filter((link) => !isFound(link, file, page))).toEqual([]);
		},
	);
});

function isFound(link: string, file: string, page: string): boolean {
	return link.startsWith('#')
		? anchorsOf(page).includes(link.slice(1))
		: existsSync(join(projectRoot, dirname(file), link));
}

function textOf(heading: string): string {
	const [, section = ''] = readme.split(new RegExp(`^## ${heading}$`, 'm'));
	return section.split(/^## /m)[0];
}

/** The IDs that GitHub gives to the headings of a page. */
function anchorsOf(page: string): string[] {
	return [...page.matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
		heading
			.toLowerCase()
			.replace(/[^\w\s-]/g, '')
			.replace(/\s/g, '-'),
	);
}

/** The rows of the tables in a section, as cells; the row of dashes is left out. */
function sectionOf(heading: string): string[][] {
	return textOf(heading)
		.split('\n')
		.filter((line) => line.startsWith('|') && !line.startsWith('| --'))
		.map((line) =>
			line
				.split('|')
				.slice(1, -1)
				.map((cell) => cell.trim()),
		);
}

function codeIn(cell: string): string[] {
	return [...cell.matchAll(/`([^`]+)`/g)].map(([, code]) => code);
}

function boldIn(cell: string): string[] {
	return [...cell.matchAll(/\*\*(.+?)\*\*/g)].map(([, text]) => text);
}

function linkText(cell: string): string {
	return /^\[(.+)\]/.exec(cell)?.[1] ?? cell;
}

type Choice = Exclude<NonNullable<INodeProperties['options']>[number], { values: unknown }>;

function optionsOf(name: string): Array<{ name: string; value: unknown }> {
	const found = node.properties.find((property) => property.name === name);
	return (found?.options ?? []) as Array<{ name: string; value: unknown }>;
}

function operationsOf(resource: unknown): string[] {
	const operations = node.properties.find(
		({ name, displayOptions }) =>
			name === 'operation' && displayOptions?.show?.resource?.includes(resource as string),
	);
	return (operations?.options ?? []).map(({ name }) => name);
}

/** The display names of parameters and of their choices, those in collections included. */
function labelsOf(properties: INodeProperties[]): string[] {
	return properties.flatMap(({ displayName, options = [] }) => [
		displayName,
		...options.flatMap((option) => {
			if ('values' in option) return [option.displayName, ...labelsOf(option.values)];
			return 'displayName' in option
				? labelsOf([option as INodeProperties])
				: [(option as Choice).name];
		}),
	]);
}

/** All texts in the sources of the nodes and the credential, with `…` for what is filled in. */
async function textsOfSources(): Promise<string[]> {
	const folders = ['nodes', 'credentials'].map((folder) => join(projectRoot, folder));
	const files = await Promise.all(
		folders.map(async (folder) =>
			(await readdir(folder, { recursive: true }))
				.filter((file) => file.endsWith('.ts'))
				.map((file) => join(folder, file)),
		),
	);
	return files.flat().flatMap((file) => {
		const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest);
		return textsIn(source);
	});
}

function textsIn(part: ts.Node): string[] {
	const texts = ts.isStringLiteralLike(part)
		? [part.text]
		: ts.isTemplateExpression(part)
			? [
					[part.head, ...part.templateSpans.map(({ literal }) => literal)]
						.map(({ text }) => text)
						.join('…'),
				]
			: [];
	ts.forEachChild(part, (child) => {
		texts.push(...textsIn(child));
	});
	return texts;
}

/** Whether the text has the pieces of the quote between its `…`, in this order. */
function contains(text: string, quote: string): boolean {
	let from = 0;
	return quote.split('…').every((piece) => {
		const at = text.indexOf(piece, from);
		from = at + piece.length;
		return at >= 0;
	});
}
