import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import type { INodeProperties } from 'n8n-workflow';
import ts from 'typescript';
import { EncryptedContainersApi } from '../../credentials/EncryptedContainersApi.credentials';
import { EncryptedContainers } from '../../nodes/EncryptedContainers/EncryptedContainers.node';
import { EncryptedContainersTrigger } from '../../nodes/EncryptedContainersTrigger/EncryptedContainersTrigger.node';
import packageJson from '../../package.json';
import { projectRoot } from '../../tools/paths.cts';

const node = new EncryptedContainers().description;
const trigger = new EncryptedContainersTrigger().description;
const credential = new EncryptedContainersApi();

const DEVELOPMENT = ['docs/mutation.md', 'docs/storyboard.md'];
const docs = readdirSync(join(projectRoot, 'docs'))
	.filter((name) => name.endsWith('.md'))
	.map((name) => `docs/${name}`);
/** What users of the nodes read. */
const guide = ['README.md', ...docs.filter((file) => !DEVELOPMENT.includes(file))];
const pages = new Map(
	[
		...guide,
		...DEVELOPMENT,
		...['CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md', 'examples/README.md'],
	].map((file) => [file, readFileSync(join(projectRoot, file), 'utf8')]),
);
const readme = textOf('README.md');
const operations = textOf('docs/operations.md');

/** What n8n itself calls its pages, buttons and settings. */
const N8N_LABELS = [
	'Always Output Data',
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

describe('the guide', () => {
	it('quotes messages that the nodes have', () => {
		const texts = listSources().flatMap(textsIn);
		const quotes = guide.flatMap((file) =>
			textOf(file)
				.split(/^- /m)
				.flatMap((item) => codeIn(/^(`[^`]+`,?\s*)*/.exec(item)?.[0] ?? ''))
				.filter((quote) => /\w \w/.test(quote) && !quote.startsWith('{'))
				.map((quote) => ({ file, quote })),
		);

		expect(quotes.length).toBeGreaterThan(60);
		expect(
			quotes
				.filter(({ quote }) => !texts.some((text) => contains(text, quote)))
				.map(({ file, quote }) => `${file} quotes what no source has: ${quote}`),
		).toEqual([]);
	});

	it('writes in bold only what the nodes, the credential or n8n call so', () => {
		const labels = new Set([
			...[node, trigger, credential].flatMap(({ displayName, properties }) => [
				displayName,
				...labelsOf(properties),
			]),
			...N8N_LABELS,
		]);
		const bold = guide.flatMap((file) =>
			[...textOf(file).matchAll(/\*\*(.+?)\*\*/gs)].map(([, text]) => ({
				file,
				text: text.replace(/\s+/g, ' '),
			})),
		);

		expect(bold.length).toBeGreaterThan(50);
		const unknown = bold
			.filter(({ text }) => !labels.has(text))
			.map(({ file, text }) => `${file} names what no node has: ${text}`);
		expect([...new Set(unknown)]).toEqual([]);
	});

	it('lists all operations of all resources in the README', () => {
		let resource = '';
		const listed = rowsOf(section(readme, 'Operations'))
			.slice(1)
			.map(([name, operation]) => `${(resource = name || resource)} > ${operation}`);

		expect(listed.sort()).toEqual(listOperations().sort());
	});

	it('has an example of each operation', () => {
		const shown = operations.split(/^## /m).flatMap((part) => {
			const [resource, ...rest] = part.split(/^### /m);
			return rest
				.filter((text) => text.includes('```json'))
				.flatMap((text) => text.split('\n')[0].split(', '))
				.map((name) => `${resource.split('\n')[0]} > ${name}`);
		});

		expect(shown.sort()).toEqual(listOperations().sort());
	});

	it('names all events of the trigger', () => {
		const named = rowsOf(textOf('docs/trigger.md')).flatMap(([event]) => boldIn(event));
		const { options = [] } = trigger.properties.find(({ name }) => name === 'event') ?? {};

		expect(named.sort()).toEqual(options.map(({ name }) => name).sort());
	});
});

describe('the README', () => {
	it('is one page, which npm shows', () => {
		expect(Buffer.byteLength(readme)).toBeLessThanOrEqual(9000);
	});

	// For a package of GitHub, npm reads them as GitHub does, except those that start with a slash or leave the folder.
	it('links to files of the repository so that npm finds them, too', () => {
		expect(packageJson.repository).toEqual({
			type: 'git',
			url: expect.stringMatching(/^git\+https:\/\/github\.com\/[\w-]+\/[\w-]+\.git$/),
		});
		expect(linksIn(readme).filter((link) => /^(\/|\.\.)/.test(link))).toEqual([]);
	});

	it('has the headings that the nodes and the credential link to', () => {
		const homepage = packageJson.homepage.replace(/#.*/, '');
		const codex = ['EncryptedContainers', 'EncryptedContainersTrigger'].map((name) =>
			readFileSync(join(projectRoot, `nodes/${name}/${name}.node.json`), 'utf8'),
		);
		const anchors = [...codex, credential.documentationUrl]
			.flatMap((text) => text.match(new RegExp(`${homepage}#[\\w-]+`, 'g')) ?? [])
			.map((url) => url.slice(homepage.length + 1));

		expect(anchors.length).toBeGreaterThan(2);
		expect(anchors.filter((anchor) => !anchorsOf(readme).includes(anchor))).toEqual([]);
	});
});

describe('the pages of the project', () => {
	it.each([...pages.keys()])('%s links only to what exists', (file) => {
		expect(linksIn(textOf(file)).filter((link) => !isFound(link, file))).toEqual([]);
	});
});

function textOf(file: string): string {
	return pages.get(file) ?? '';
}

/** Links to files and headings of the project. */
function linksIn(page: string): string[] {
	return [...page.matchAll(/\]\((?!https:)([^)]+)\)/g)].map(([, link]) => link);
}

function isFound(link: string, file: string): boolean {
	const [path, anchor] = link.split('#');
	const target = path === '' ? file : normalize(join(dirname(file), path)).replaceAll('\\', '/');
	if (!existsSync(join(projectRoot, target))) return false;
	return anchor === undefined || anchorsOf(textOf(target)).includes(anchor);
}

function section(page: string, heading: string): string {
	const [, text = ''] = page.split(new RegExp(`^## ${heading}$`, 'm'));
	return text.split(/^## /m)[0];
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

/** The rows of the tables in a text, as cells; the row of dashes is left out. */
function rowsOf(text: string): string[][] {
	return text
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

type Choice = Exclude<NonNullable<INodeProperties['options']>[number], { values: unknown }>;

/** All operations of the node, as `Resource > Operation`. */
function listOperations(): string[] {
	const resources = node.properties.find(({ name }) => name === 'resource')?.options ?? [];
	return (resources as Array<{ name: string; value: string }>).flatMap(({ name, value }) => {
		const selector = node.properties.find(
			(property) =>
				property.name === 'operation' && property.displayOptions?.show?.resource?.includes(value),
		);
		return (selector?.options ?? []).map((operation) => `${name} > ${operation.name}`);
	});
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

/** The sources of the nodes and the credential. */
function listSources(): ts.SourceFile[] {
	return ['nodes', 'credentials'].flatMap((folder) =>
		readdirSync(join(projectRoot, folder), { recursive: true, encoding: 'utf8' })
			.filter((file) => file.endsWith('.ts'))
			.map((file) => join(projectRoot, folder, file))
			.map((file) => ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest)),
	);
}

/** All texts in a source, with `…` for what is filled in. */
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
