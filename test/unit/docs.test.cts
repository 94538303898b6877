import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { EncryptedContainersApi } from '../../credentials/EncryptedContainersApi.credentials';
import { EncryptedContainers } from '../../nodes/EncryptedContainers/EncryptedContainers.node';
import packageJson from '../../package.json';
import { projectRoot } from '../../tools/project.cts';

const read = (file: string) => readFileSync(join(projectRoot, file), 'utf8');
const listFiles = (folder: string, ending: string) =>
	readdirSync(join(projectRoot, folder), { recursive: true, encoding: 'utf8' })
		.filter((name) => name.endsWith(ending))
		.map((name) => `${folder}/${name.replaceAll('\\', '/')}`);

const pages = [
	...['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md'],
	...[...listFiles('docs', '.md'), 'examples/README.md', 'service/README.md'],
];
const readme = read('README.md');

/** Links to files and headings of the project. */
const linksIn = (page: string) =>
	[...page.matchAll(/(?:\]\((?!https:)|<img src=")([^)"]+)/g)].map(([, link]) => link);

/** The IDs that GitHub gives to the headings of a page. */
const anchorsOf = (page: string) =>
	[...page.matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
		heading
			.toLowerCase()
			.replace(/[^\w\s-]/g, '')
			.replace(/\s/g, '-'),
	);

function isFound(link: string, file: string): boolean {
	const [path, anchor] = link.split('#');
	const target = path === '' ? file : normalize(join(dirname(file), path)).replaceAll('\\', '/');
	if (!existsSync(join(projectRoot, target))) return false;
	return anchor === undefined || anchorsOf(read(target)).includes(anchor);
}

/** The first cells of the rows of the tables in a text. */
const rowsOf = (text: string) =>
	text
		.split('\n')
		.filter((line) => line.startsWith('|') && !line.startsWith('| --'))
		.map((row) => row.split('|').map((cell) => cell.trim()));

it.each(pages)('%s links only to what exists', (file) => {
	expect(linksIn(read(file)).filter((link) => !isFound(link, file))).toEqual([]);
});

it('the README has at most 9000 bytes, links that npm shows, and the headings that the nodes link to', () => {
	expect(Buffer.byteLength(readme)).toBeLessThanOrEqual(9000);
	// For a package of GitHub, npm reads links as GitHub does, except these.
	expect(linksIn(readme).filter((link) => /^(\/|\.\.)/.test(link))).toEqual([]);
	const homepage = packageJson.homepage.replace(/#.*/, '');
	const { documentationUrl } = new EncryptedContainersApi();
	const anchors = [...listFiles('nodes', '.node.json').map(read), documentationUrl]
		.flatMap((text) => text.match(new RegExp(`${homepage}#[\\w-]+`, 'g')) ?? [])
		.map((url) => url.slice(homepage.length + 1));
	expect(anchors.filter((anchor) => !anchorsOf(readme).includes(anchor))).toEqual([]);
});

it('the README lists all operations', () => {
	const { properties } = new EncryptedContainers().description;
	const namesOf = (field: string, resource?: unknown) =>
		properties
			.filter(({ name, displayOptions }) =>
				resource === undefined
					? name === field
					: name === field && displayOptions?.show?.resource?.includes(String(resource)),
			)
			.flatMap(({ options }) => options as Array<{ name: string; value: unknown }>);
	const operations = namesOf('resource').flatMap(({ name, value }) =>
		namesOf('operation', value).map((operation) => `${name} > ${operation.name}`),
	);
	let resource = '';
	const [, table = ''] = readme.split(/^## Operations$/m);
	const named = rowsOf(table.split(/^## /m)[0])
		.slice(1)
		.map(([, name, operation]) => `${(resource = name || resource)} > ${operation}`);

	expect(named.sort()).toEqual(operations.sort());
});

it('service/README.md has all settings and commands', () => {
	const settings = read('service/src/config.mts').matchAll(/'([A-Z]+(?:_[A-Z]+)*)'/g);
	const commands = read('service/src/commands.mts').matchAll(/^\t'?([a-z][a-z <>-]*)'?: \[/gm);
	const names = [...settings, ...commands].map(([, name]) => name);
	const cells = rowsOf(read('service/README.md'))
		.flatMap(([, name]) => [...name.matchAll(/`([^`]+)`/g)])
		.map(([, code]) => code);

	expect(names.length).toBeGreaterThan(28);
	const isListed = (name: string) => cells.some((cell) => `${cell} `.startsWith(`${name} `));
	expect(names.filter((name) => !isListed(name) && name !== 'UTC')).toEqual([]);
});
