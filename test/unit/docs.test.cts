import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import type { INodeProperties } from 'n8n-workflow';
import { EncryptedContainersApi } from '../../credentials/EncryptedContainersApi.credentials';
import { EncryptedContainers } from '../../nodes/EncryptedContainers/EncryptedContainers.node';
import { EncryptedContainersTrigger } from '../../nodes/EncryptedContainersTrigger/EncryptedContainersTrigger.node';
import packageJson from '../../package.json';
import { projectRoot } from '../../tools/project.cts';

const node = new EncryptedContainers().description;
const trigger = new EncryptedContainersTrigger().description;
const credential = new EncryptedContainersApi();

const read = (file: string) => readFileSync(join(projectRoot, file), 'utf8');
const listFiles = (folder: string, ending: string) =>
	readdirSync(join(projectRoot, folder), { recursive: true, encoding: 'utf8' })
		.filter((name) => name.endsWith(ending))
		.map((name) => `${folder}/${name.replaceAll('\\', '/')}`);

const DEVELOPMENT = ['docs/storyboard.md'];
/** What users of the nodes read. */
const guide = [
	'README.md',
	...listFiles('docs', '.md').filter((file) => !DEVELOPMENT.includes(file)),
];
const others = [
	...['CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md'],
	...['examples/README.md', 'service/README.md'],
];
const pages = new Map([...guide, ...DEVELOPMENT, ...others].map((file) => [file, read(file)]));
const textOf = (file: string) => pages.get(file) ?? '';
const readme = textOf('README.md');

/** What n8n itself calls its pages, buttons and settings. */
const N8N_LABELS = [
	...['Always Output Data', 'Community nodes', 'Continue', 'Import from File', 'Install'],
	...['Execute Once', 'On Error', 'Request Options', 'Retry On Fail', 'Settings', 'Timeout'],
];

/** All operations of the node, as `Resource > Operation`. */
const listed = optionsOf(node.properties, 'resource').flatMap(({ name, value }) =>
	node.properties
		.filter(({ displayOptions }) => displayOptions?.show?.resource?.includes(String(value)))
		.flatMap((property) => optionsOf([property], 'operation'))
		.map((operation) => `${name} > ${operation.name}`),
);

describe('the guide', () => {
	it('quotes messages that the nodes have', () => {
		const lines = ['nodes', 'credentials']
			.flatMap((folder) => listFiles(folder, '.ts'))
			.flatMap((file) => read(file).split('\n'))
			.map((line) => line.replaceAll("\\'", "'"));
		const quotes = guide
			.flatMap((file) => textOf(file).split(/^- /m))
			.flatMap((item) => codeIn(/^(`[^`]+`,?\s*)*/.exec(item)?.[0] ?? ''))
			.filter((quote) => /\w \w/.test(quote) && !quote.startsWith('{'));

		expect(quotes.length).toBeGreaterThan(60);
		expect(quotes.filter((quote) => !lines.some((line) => contains(line, quote)))).toEqual([]);
	});

	it('writes in bold only what the nodes, the credential or n8n call so', () => {
		const described = [node, trigger, credential];
		const labels = new Set([
			...described.flatMap((one) => [one.displayName, ...labelsOf(one.properties)]),
			...N8N_LABELS,
		]);
		const bold = guide.flatMap((file) => boldIn(textOf(file)));

		expect(bold.length).toBeGreaterThan(50);
		expect(bold.filter((text) => !labels.has(text))).toEqual([]);
	});

	it('lists all operations in the README, and has an example of each', () => {
		let resource = '';
		const [, table = ''] = readme.split(/^## Operations$/m);
		const named = rowsOf(table.split(/^## /m)[0])
			.slice(1)
			.map(([name, operation]) => `${(resource = name || resource)} > ${operation}`);
		const shown = textOf('docs/operations.md')
			.split(/^## /m)
			.map((part) => part.split(/^### /m))
			.flatMap(([heading, ...parts]) =>
				parts
					.filter((text) => text.includes('```json'))
					.flatMap((text) => text.split('\n')[0].split(', '))
					.map((name) => `${heading.split('\n')[0]} > ${name}`),
			);

		expect(named.sort()).toEqual(listed.toSorted());
		expect(shown.sort()).toEqual(listed.toSorted());
	});

	it('names all events of the trigger', () => {
		const named = rowsOf(textOf('docs/trigger.md')).flatMap(([event]) => boldIn(event));
		const events = optionsOf(trigger.properties, 'event').map(({ name }) => name);

		expect(named.sort()).toEqual(events.sort());
	});
});

describe('the README', () => {
	it('has at most 9000 bytes, and links that npm shows', () => {
		expect(Buffer.byteLength(readme)).toBeLessThanOrEqual(9000);
		// For a package of GitHub, npm reads links as GitHub does, except these.
		expect(linksIn(readme).filter((link) => /^(\/|\.\.)/.test(link))).toEqual([]);
		expect(packageJson.repository.url).toMatch(/^git\+https:\/\/github\.com\/[\w-]+\/.+\.git$/);
	});

	it('has the headings that the nodes and the credential link to', () => {
		const homepage = packageJson.homepage.replace(/#.*/, '');
		const linking = [...listFiles('nodes', '.node.json').map(read), credential.documentationUrl];
		const anchors = linking
			.flatMap((text) => text.match(new RegExp(`${homepage}#[\\w-]+`, 'g')) ?? [])
			.map((url) => url.slice(homepage.length + 1));

		expect(anchors.length).toBeGreaterThan(2);
		expect(anchors.filter((anchor) => !anchorsOf(readme).includes(anchor))).toEqual([]);
	});
});

it.each([...pages.keys()])('%s links only to what exists', (file) => {
	expect(linksIn(textOf(file)).filter((link) => !isFound(link, file))).toEqual([]);
});

it('service/README.md has all settings and commands', () => {
	const settings = read('service/src/config.mts').matchAll(/'([A-Z]+(?:_[A-Z]+)*)'/g);
	const commands = read('service/src/commands.mts').matchAll(/^\t'?([a-z][a-z <>-]*)'?: \[/gm);
	const names = [...settings, ...commands].map(([, name]) => name);
	const cells = rowsOf(textOf('service/README.md')).flatMap(([name]) => codeIn(name));

	expect(names.length).toBeGreaterThan(28);
	const isListed = (name: string) => cells.some((cell) => `${cell} `.startsWith(`${name} `));
	expect(names.filter((name) => !isListed(name) && name !== 'UTC')).toEqual([]);
});

/** Links to files and headings of the project. */
function linksIn(page: string): string[] {
	const links = page.matchAll(/(?:\]\((?!https:)|<img src=")([^)"]+)/g);
	return [...links].map(([, link]) => link);
}

function isFound(link: string, file: string): boolean {
	const [path, anchor] = link.split('#');
	const target = path === '' ? file : normalize(join(dirname(file), path)).replaceAll('\\', '/');
	if (!existsSync(join(projectRoot, target))) return false;
	return anchor === undefined || anchorsOf(textOf(target)).includes(anchor);
}

/** The IDs that GitHub gives to the headings of a page. */
function anchorsOf(page: string): string[] {
	const headings = [...page.matchAll(/^#+ (.+)$/gm)].map(([, heading]) => heading.toLowerCase());
	return headings.map((heading) => heading.replace(/[^\w\s-]/g, '').replace(/\s/g, '-'));
}

/** The rows of the tables in a text, as cells; the row of dashes is left out. */
function rowsOf(text: string): string[][] {
	const rows = text.split('\n').filter((line) => line.startsWith('|') && !line.startsWith('| --'));
	return rows.map((row) =>
		row
			.split('|')
			.slice(1, -1)
			.map((cell) => cell.trim()),
	);
}

function codeIn(text: string): string[] {
	return [...text.matchAll(/`([^`]+)`/g)].map(([, code]) => code);
}

function boldIn(text: string): string[] {
	return [...text.matchAll(/\*\*(.+?)\*\*/gs)].map(([, bold]) => bold.replace(/\s+/g, ' '));
}

function optionsOf(properties: INodeProperties[], field: string) {
	const { options = [] } = properties.find(({ name }) => name === field) ?? {};
	return options as Array<{ name: string; value: unknown }>;
}

/** The display names of parameters and of their choices, those in collections included. */
function labelsOf(properties: INodeProperties[]): string[] {
	return properties.flatMap(({ displayName, options = [] }) => [
		displayName,
		...options.flatMap((option) => {
			if ('values' in option) return [option.displayName, ...labelsOf(option.values)];
			return 'displayName' in option ? labelsOf([option as INodeProperties]) : [option.name];
		}),
	]);
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
