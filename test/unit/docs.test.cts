import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { NodeHelpers, type INode, type INodeTypeDescription } from 'n8n-workflow';
import { EncryptedContainersApi } from '../../credentials/EncryptedContainersApi.credentials';
import { EncryptedContainers } from '../../nodes/EncryptedContainers/EncryptedContainers.node';
import { EncryptedContainersTrigger } from '../../nodes/EncryptedContainersTrigger/EncryptedContainersTrigger.node';
import packageJson from '../../package.json';
import { projectRoot } from '../../tools/project.cts';
import { NODE_TYPE, TRIGGER_TYPE, type WorkflowJson } from '../../tools/realN8n/workflow.cts';

const read = (file: string) => readFileSync(join(projectRoot, file), 'utf8');
const listFiles = (folder: string, ending: string) =>
	readdirSync(join(projectRoot, folder), { recursive: true, encoding: 'utf8' })
		.filter((name) => name.endsWith(ending))
		.map((name) => `${folder}/${name.replaceAll('\\', '/')}`);

const pages = [
	...['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md'],
	...[...listFiles('docs', '.md'), ...listFiles('service/docs', '.md')],
	...['examples/README.md', 'service/README.md'],
];

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

it.each(pages)('%s links only to what exists', (file) => {
	expect(linksIn(read(file)).filter((link) => !isFound(link, file))).toEqual([]);
});

it('CONTRIBUTING.md names only files that exist', () => {
	const named = read('CONTRIBUTING.md').matchAll(
		/`((?:[\w-]+\/)+[\w.-]+\.(?:[cm]?ts|mjs|json|yaml|md))`/g,
	);
	// Some begin in the folder of the node.
	const places = [projectRoot, join(projectRoot, 'nodes/EncryptedContainers')];
	const isThere = (path: string) => places.some((place) => existsSync(join(place, path)));
	expect([...named].map(([, path]) => path).filter((path) => !isThere(path))).toEqual([]);
});

it('CONTRIBUTING.md names only what the code has', () => {
	const own = 'test/unit/docs.test.cts';
	const code = ['nodes', 'credentials', 'service/src', 'service/test', 'test', 'tools']
		.flatMap((folder) => listFiles(folder, ''))
		.filter((file) => /\.[cm]?ts$/.test(file) && file !== own)
		.concat('docs/openapi.yaml', 'package.json', 'jest.config.js');
	const lines = code.flatMap((file) => read(file).split('\n'));
	const statements = lines.filter((line) => !/^\s*(\/\/|\/?\*)/.test(line)).join('\n');
	const isThere = (name: string) => {
		const pattern = new RegExp(`(?<!\\w)${name.replaceAll('.', '\\.')}(?!\\w)`);
		return code.some((file) => file.endsWith(`/${name}`)) || pattern.test(statements);
	};
	const text = read('CONTRIBUTING.md').replace(/```.*?```/gs, '');
	const names = [...text.matchAll(/`([A-Za-z_][\w.]*)`/g)].map(([, name]) => name);
	// The rule that the page adds as an example, versions, and files beside the code.
	const others = /^(weekdays|v?x\.y\.z|.+\.(md|yml))$/i;
	expect(names.filter((name) => !others.test(name) && !isThere(name))).toEqual([]);
});

it('docs/troubleshooting.md quotes only messages that the nodes have', () => {
	const files = ['nodes', 'credentials'].flatMap((folder) => listFiles(folder, '.ts'));
	const source = files.map(read).join('\n').replaceAll("\\'", "'");
	// Codes are those of Node.js and HTTP.
	const page = read('docs/troubleshooting.md').replace(/### Codes .*?\n## /s, '');
	// What n8n says is in quotation marks.
	const entries = [...page.matchAll(/^- (`[^`]+`(?:,\s+(?:with\s+)?`[^`]+`)*)/gm)];
	const parts = entries.flatMap(([, messages]) => messages.split(/`,\s+(?:with\s+)?`|[`…]/));
	const texts = parts.map((part) => part.replace(/^[\s",]+|[\s"]+$/g, ''));
	expect(texts.filter((text) => !source.includes(text))).toEqual([]);
});

it('the README has at most 12,000 bytes, links that npm shows, and the headings that the nodes link to', () => {
	const readme = read('README.md');
	expect(Buffer.byteLength(readme)).toBeLessThanOrEqual(12_000);
	// For a package of GitHub, npm reads links as GitHub does, except these.
	expect(linksIn(readme).filter((link) => /^(\/|\.\.)/.test(link))).toEqual([]);
	const homepage = packageJson.homepage.replace(/#.*/, '');
	const { documentationUrl } = new EncryptedContainersApi();
	const anchors = [...listFiles('nodes', '.node.json').map(read), documentationUrl]
		.flatMap((text) => text.match(new RegExp(`${homepage}#[\\w-]+`, 'g')) ?? [])
		.map((url) => url.slice(homepage.length + 1));
	expect(anchors.filter((anchor) => !anchorsOf(readme).includes(anchor))).toEqual([]);
});

const node = new EncryptedContainers().description;
const trigger = new EncryptedContainersTrigger().description;
/** With the parameters that n8n adds to tools of agents, and to triggers that poll. */
const withAdded = (description: INodeTypeDescription, ...names: string[]) => ({
	...description,
	properties: [
		...names.map((name) => ({ displayName: name, name, type: 'json' as const, default: '' })),
		...description.properties,
	],
});
const DESCRIPTIONS: Record<string, INodeTypeDescription> = {
	[NODE_TYPE]: node,
	[`${NODE_TYPE}Tool`]: withAdded(node, 'descriptionType', 'toolDescription'),
	[TRIGGER_TYPE]: withAdded(trigger, 'pollTimes'),
};

/** Where a node writes to people, or from whom. */
const RECIPIENT_FIELDS = ['recipients', 'toEmail', 'sendTo', 'fromEmail', 'email'];

describe.each(listFiles('examples', '.json'))('the example %s', (file) => {
	const workflow = JSON.parse(read(file)) as WorkflowJson;
	const isNote = ({ type }: INode) => type === 'n8n-nodes-base.stickyNote';
	const steps = workflow.nodes.filter((step) => !isNote(step));

	it("is not published, and sets only what the package's nodes have", () => {
		expect(workflow).toMatchObject({ active: false, settings: { executionOrder: 'v1' } });
		for (const step of steps.filter(({ type }) => type in DESCRIPTIONS)) {
			const { [step.type]: description } = DESCRIPTIONS;
			const { properties } = description;
			const { parameters: given } = step;
			const kept =
				NodeHelpers.getNodeParameters(properties, given, true, false, step, description) ?? {};
			// n8n drops what the node has no parameter for, and what it hides.
			expect(kept).toMatchObject(given);
			const complete = { ...step, parameters: kept };
			const issues = NodeHelpers.getNodeParametersIssues(properties, complete, description, []);
			const found = Object.values(issues?.parameters ?? {}).flat();
			// An example leaves to you who gets what.
			expect(found.filter((issue) => !issue.endsWith('is required.'))).toEqual([]);
		}
	});

	it('writes to nobody before you say to whom, and its note names each node that needs an address', () => {
		const about = String(workflow.nodes.find(isNote)?.parameters.content);
		for (const { name, parameters } of steps) {
			for (const field of RECIPIENT_FIELDS.filter((one) => parameters[one] !== undefined)) {
				const value = parameters[field];
				expect([name, value]).toEqual([name, expect.stringMatching(/^(=.*\{\{.*)?$/s)]);
				if (value === '') expect(about).toContain(`*${name}*`);
			}
		}
	});

	it('has no data of an execution, no address of a real person or host, and no secret', () => {
		const text = JSON.stringify(workflow);
		expect([workflow.pinData ?? {}, 'meta' in workflow]).toEqual([{}, false]);
		const hosts = [...text.matchAll(/(?:https?:\/\/|@)([\w-]+(?:\.[\w-]+)+)/g)];
		for (const [, host] of hosts) expect(host).toMatch(/(^|\.)example\.com$/);
		expect(text).not.toMatch(/bearer |sk-|"(apiKey|password|token|secret|credentials)"/i);
	});
});
