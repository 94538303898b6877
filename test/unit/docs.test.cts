import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import type { INode, INodeProperties, INodeTypeDescription } from 'n8n-workflow';
import { EncryptedContainersApi } from '../../credentials/EncryptedContainersApi.credentials';
import { EncryptedContainers } from '../../nodes/EncryptedContainers/EncryptedContainers.node';
import { EncryptedContainersTrigger } from '../../nodes/EncryptedContainersTrigger/EncryptedContainersTrigger.node';
import packageJson from '../../package.json';
import { projectRoot } from '../../tools/project.cts';
import { NODE_TYPE, TRIGGER_TYPE, type WorkflowJson } from '../../tools/realN8n/workflow.cts';
import {
	getParameterFindings,
	isToFillIn,
	toToolDescription,
} from './support/parameterFindings.cts';

const read = (file: string) => readFileSync(join(projectRoot, file), 'utf8');
const listFiles = (folder: string, ending: string) =>
	readdirSync(join(projectRoot, folder), { recursive: true, encoding: 'utf8' })
		.filter((name) => name.endsWith(ending))
		.map((name) => `${folder}/${name.replaceAll('\\', '/')}`);

const pages = [
	...['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md'],
	...[...listFiles('docs', '.md'), 'examples/README.md', 'service/README.md'],
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

it('the README has at most 9000 bytes, links that npm shows, and the headings that the nodes link to', () => {
	const readme = read('README.md');
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

const node = new EncryptedContainers().description;
const trigger = new EncryptedContainersTrigger().description;
/** n8n adds a parameter to each trigger that polls. */
const pollTimes: INodeProperties = {
	...{ displayName: 'Poll Times', name: 'pollTimes', type: 'json', default: {} },
};
const DESCRIPTIONS: Record<string, INodeTypeDescription> = {
	[NODE_TYPE]: node,
	[`${NODE_TYPE}Tool`]: toToolDescription(node),
	[TRIGGER_TYPE]: { ...trigger, properties: [pollTimes, ...trigger.properties] },
};

/** Where a node writes to people, or from whom. */
const RECIPIENT_FIELDS = ['recipients', 'toEmail', 'sendTo', 'fromEmail', 'email'];

describe.each(listFiles('examples', '.json'))('the example %s', (file) => {
	const workflow = JSON.parse(read(file)) as WorkflowJson;
	const isNote = ({ type }: INode) => type === 'n8n-nodes-base.stickyNote';
	const steps = workflow.nodes.filter((step) => !isNote(step));

	it("is not published, and sets existing parameters of the package's nodes to valid values", () => {
		expect(workflow).toMatchObject({ active: false, settings: { executionOrder: 'v1' } });
		for (const step of steps.filter(({ type }) => type in DESCRIPTIONS)) {
			const findings = getParameterFindings(step, DESCRIPTIONS[step.type]);
			expect(findings.filter((finding) => !isToFillIn(finding))).toEqual([]);
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
