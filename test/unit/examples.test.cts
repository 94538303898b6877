import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { INode, INodeProperties, INodeTypeDescription } from 'n8n-workflow';
import { EncryptedContainers } from '../../nodes/EncryptedContainers/EncryptedContainers.node';
import { EncryptedContainersTrigger } from '../../nodes/EncryptedContainersTrigger/EncryptedContainersTrigger.node';
import { examplesFolder, readExamples } from '../../tools/examples.cts';
import { NODE_TYPE, TRIGGER_TYPE, type WorkflowJson } from '../../tools/realN8n/workflow.cts';
import {
	getParameterFindings,
	isToFillIn,
	toToolDescription,
} from '../e2e/support/parameterFindings.cts';

const NOTE = 'n8n-nodes-base.stickyNote';
const DESCRIPTIONS: Record<string, INodeTypeDescription> = {
	[NODE_TYPE]: new EncryptedContainers().description,
	[`${NODE_TYPE}Tool`]: toToolDescription(new EncryptedContainers().description),
	[TRIGGER_TYPE]: asPolled(new EncryptedContainersTrigger().description),
};
/** What the editor draws for a node: its box and its name below. */
const NODE_SIZE = { width: 100, height: 140 };
const AGENT_SIZE = { width: 260, height: 140 };

interface Box {
	name: string;
	left: number;
	top: number;
	right: number;
	bottom: number;
}

/** Where a node writes to people, or from whom. */
const RECIPIENT_FIELDS = ['recipients', 'toEmail', 'sendTo', 'fromEmail', 'email'];

/** What else the notes write in italics or bold. */
const N8N_NAMES = [
	'Email',
	'Encrypt',
	'Encrypt the new door code 2468 for Anna, anna@example.com.',
	'Execute Workflow',
	'File',
	'Fix',
	'Who works at Acme?',
	'data',
	'email',
	'encrypt',
	'first_name',
	'last_name',
	'name',
	'preset',
	'recipients',
];

const NAMES = readdirSync(examplesFolder).flatMap((file) =>
	file.endsWith('.json') ? [file.slice(0, -'.json'.length)] : [],
);

describe('the example workflows', () => {
	let examples: Map<string, WorkflowJson>;
	beforeAll(async () => {
		examples = await readExamples();
	});

	it('are complete, and each is in the list of the folder', async () => {
		const list = await readFile(join(examplesFolder, 'README.md'), 'utf8');
		expect(NAMES.length).toBeGreaterThan(20);
		for (const name of examples.keys()) expect(list).toContain(`(${name}.json)`);
	});

	describe.each(NAMES)('%s', (name) => {
		const workflow = () => examples.get(name) as WorkflowJson;
		const notes = () => workflow().nodes.filter(({ type }) => type === NOTE);
		const steps = () => workflow().nodes.filter(({ type }) => type !== NOTE);

		it('has a name, is not published, and contains no data of an execution', () => {
			expect(workflow().name).toMatch(/^[A-Z].* /);
			expect(workflow().active).toBe(false);
			expect(workflow().pinData ?? {}).toEqual({});
			expect(workflow()).not.toHaveProperty('meta');
			expect(workflow().settings).toEqual({ executionOrder: 'v1' });
		});

		it('names each node once, in words', () => {
			const names = workflow().nodes.map((node) => node.name);
			expect(new Set(names).size).toBe(names.length);
			const ids = workflow().nodes.map((node) => node.id);
			expect(new Set(ids).size).toBe(ids.length);
			for (const step of steps()) expect(step.name).toMatch(/^[A-Z][\w'-]*( [\w'-]+)+$/);
		});

		it('connects existing nodes, and leaves none out', () => {
			const { connections } = workflow();
			const names = new Set(steps().map((node) => node.name));
			const targets = Object.values(connections)
				.flatMap((byType) => Object.values(byType).flat(2))
				.map((target) => target?.node);
			const connected = new Set([...Object.keys(connections), ...targets]);
			expect([...connected].sort()).toEqual([...names].sort());
		});

		it('refers to existing nodes', () => {
			const names = new Set(steps().map((node) => node.name));
			const text = JSON.stringify(steps().map((node) => node.parameters));
			for (const [, quoted] of text.matchAll(/\$\('((?:[^'\\]|\\.)*)'\)/g)) {
				expect(names).toContain(quoted);
			}
		});

		it('has at most six nodes, no code, and one note of five lines: what it does, and how to set it up', () => {
			expect(steps().length).toBeLessThanOrEqual(6);
			expect(steps().filter(({ type }) => /\.code(Tool)?$/.test(type))).toEqual([]);
			const [about, ...others] = notes().map((node) => String(node.parameters.content));
			expect(others).toEqual([]);
			expect(about).toMatch(/^## [A-Z].+\n[A-Z][^\n]+\.\n1\. [^\n]+\n2\. [^\n]+\n3\. [^\n]+$/);
		});

		it('names in its note only what it has', () => {
			const [about] = notes().map((node) => String(node.parameters.content));
			const known = new Set([
				...steps().map((node) => node.name),
				...steps().flatMap(({ type }) => listLabels(DESCRIPTIONS[type]?.properties)),
				...N8N_NAMES,
			]);
			const named = [...about.matchAll(/\*+([^*\n]+)\*+/g)].map(([, text]) => text);
			expect(named.filter((text) => !known.has(text))).toEqual([]);
		});

		it('has notes that cover neither a node nor another note', () => {
			const boxes = [...notes().map(noteBox), ...steps().map(nodeBox)];
			const covered = boxes.flatMap((one, index) =>
				boxes
					.slice(index + 1)
					.filter((other) => overlap(one, other))
					.map((other) => `${one.name} and ${other.name}`),
			);
			expect(covered).toEqual([]);
		});

		it("sets existing parameters of the package's nodes to valid values", () => {
			const ours = steps().filter(({ type }) => type in DESCRIPTIONS);
			expect(ours.length).toBeGreaterThan(0);
			for (const node of ours) {
				expect(node.typeVersion).toBe(DESCRIPTIONS[node.type].version);
				const findings = getParameterFindings(node, DESCRIPTIONS[node.type]);
				expect(findings.filter((finding) => !isToFillIn(finding))).toEqual([]);
			}
		});

		it('writes to nobody before you say to whom, and its note names each node that needs an address', () => {
			const [about] = notes().map((node) => String(node.parameters.content));
			for (const { name: step, parameters } of steps()) {
				for (const [field, value] of RECIPIENT_FIELDS.map((one) => [one, parameters[one]])) {
					if (value === undefined) continue;
					expect({ step, field, value }).toEqual({
						step,
						field,
						value: expect.stringMatching(/^(=.*\{\{.*)?$/s),
					});
					if (value === '') expect(about).toContain(`*${step}*`);
				}
			}
		});

		it('reads no file whose path depends on the working folder of n8n', () => {
			const paths = steps().flatMap(({ parameters: { fileSelector } }) => fileSelector ?? []);
			for (const path of paths) expect(path).toMatch(/^\//);
		});

		it('contains no host, email address or folder of a real person, and no secret', () => {
			const text = JSON.stringify(workflow());
			const hosts = [...text.matchAll(/(?:https?:\/\/|@)([\w-]+(?:\.[\w-]+)+)/g)];
			for (const [, host] of hosts) expect(host).toMatch(/(^|\.)example\.com$/);
			expect(text).not.toMatch(/\/(home|root|work|tmp|Users|opt|srv)\/|[A-Z]:\\\\/);
			expect(text).not.toMatch(/bearer |sk-|"(apiKey|password|token|secret)"/i);
			expect(text).not.toContain('instanceId');
			expect(text).not.toContain('"credentials"');
		});
	});

	it('are checked for every unknown parameter and value', () => {
		const [node] = (examples.get('encrypt-an-invoice') as WorkflowJson).nodes.filter(
			({ type }) => type === NODE_TYPE,
		);
		const spoilt = {
			...node,
			parameters: { ...node.parameters, nmae: 'x', containerMode: 'many' },
		};
		expect(getParameterFindings(spoilt, DESCRIPTIONS[NODE_TYPE])).toEqual([
			expect.stringContaining('Container Mode'),
			expect.stringContaining('nmae'),
		]);
	});
});

/** The display names of fields, those in collections included. */
function listLabels(properties: INodeProperties[] = []): string[] {
	return properties.flatMap(({ displayName, type, options }) => [
		displayName,
		...(type === 'collection' ? listLabels(options as INodeProperties[]) : []),
	]);
}

/** The description of a polling trigger with the parameter that n8n adds: when to poll. */
function asPolled(description: INodeTypeDescription): INodeTypeDescription {
	const added = {
		displayName: 'Poll Times',
		name: 'pollTimes',
		type: 'json' as const,
		default: {},
	};
	return { ...description, properties: [added, ...description.properties] };
}

function noteBox({ name, position: [left, top], parameters }: INode): Box {
	const { width, height } = parameters as { width: number; height: number };
	return { name, left, top, right: left + width, bottom: top + height };
}

function nodeBox({ name, type, position: [left, top] }: INode): Box {
	const { width, height } = type.endsWith('.agent') ? AGENT_SIZE : NODE_SIZE;
	return { name, left, top, right: left + width, bottom: top + height };
}

function overlap(one: Box, other: Box): boolean {
	return (
		one.left < other.right &&
		other.left < one.right &&
		one.top < other.bottom &&
		other.top < one.bottom
	);
}
