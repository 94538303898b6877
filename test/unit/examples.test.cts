import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { INode, INodeProperties, INodeTypeDescription } from 'n8n-workflow';
import { EncryptedContainers } from '../../nodes/EncryptedContainers/EncryptedContainers.node';
import { EncryptedContainersTrigger } from '../../nodes/EncryptedContainersTrigger/EncryptedContainersTrigger.node';
import { examplesFolder } from '../../tools/examples.cts';
import { NODE_TYPE, TRIGGER_TYPE, type WorkflowJson } from '../../tools/realN8n/workflow.cts';
import {
	getParameterFindings,
	isToFillIn,
	toToolDescription,
} from '../e2e/support/parameterFindings.cts';

const node = new EncryptedContainers().description;
const trigger = new EncryptedContainersTrigger().description;
const pollTimes: INodeProperties = {
	...{ displayName: 'Poll Times', name: 'pollTimes', type: 'json', default: {} },
};
const DESCRIPTIONS: Record<string, INodeTypeDescription> = {
	[NODE_TYPE]: node,
	[`${NODE_TYPE}Tool`]: toToolDescription(node),
	// n8n adds a parameter to each trigger that polls.
	[TRIGGER_TYPE]: { ...trigger, properties: [pollTimes, ...trigger.properties] },
};

/** Where a node writes to people, or from whom. */
const RECIPIENT_FIELDS = ['recipients', 'toEmail', 'sendTo', 'fromEmail', 'email'];

/** What the notes write in italics or bold beside names of nodes and fields. */
const N8N_NAMES = [
	...['Email', 'Encrypt', 'Execute Workflow', 'File', 'Fix', 'data', 'email', 'encrypt'],
	...['first_name', 'last_name', 'name', 'preset', 'recipients', 'Who works at Acme?'],
	'Encrypt the new door code 2468 for Anna, anna@example.com.',
];

const list = readFileSync(join(examplesFolder, 'README.md'), 'utf8');
const examples = readdirSync(examplesFolder)
	.filter((file) => file.endsWith('.json'))
	.map((file): [string, WorkflowJson] => [
		file,
		JSON.parse(readFileSync(join(examplesFolder, file), 'utf8')) as WorkflowJson,
	]);

describe.each(examples)('the example %s', (file, workflow) => {
	const isNote = ({ type }: INode) => type === 'n8n-nodes-base.stickyNote';
	const steps = workflow.nodes.filter((step) => !isNote(step));
	const notes = workflow.nodes.filter(isNote);
	const about = String(notes[0]?.parameters.content);
	const names = new Set(steps.map(({ name }) => name));
	const text = JSON.stringify(workflow);

	it('is in the list, has a name, is not published, and contains no data of an execution', () => {
		expect(list).toContain(`(${file})`);
		expect(workflow.name).toMatch(/^[A-Z].* /);
		expect(workflow).toMatchObject({ active: false, settings: { executionOrder: 'v1' } });
		expect(workflow.pinData ?? {}).toEqual({});
		expect(workflow).not.toHaveProperty('meta');
	});

	it('names each node once, in words, and connects and refers to existing nodes', () => {
		expect(new Set(workflow.nodes.map(({ name }) => name)).size).toBe(workflow.nodes.length);
		expect(new Set(workflow.nodes.map(({ id }) => id)).size).toBe(workflow.nodes.length);
		for (const name of names) expect(name).toMatch(/^[A-Z][\w'-]*( [\w'-]+)+$/);

		const targets = Object.values(workflow.connections).flatMap((byType) =>
			Object.values(byType).flatMap((ends) => ends.flat().map((target) => target?.node)),
		);
		const connected = new Set([...Object.keys(workflow.connections), ...targets]);
		expect([...connected].sort()).toEqual([...names].sort());

		const parameters = JSON.stringify(steps.map((step) => step.parameters));
		for (const [, quoted] of parameters.matchAll(/\$\('((?:[^'\\]|\\.)*)'\)/g)) {
			expect(names).toContain(quoted);
		}
	});

	it('has at most seven nodes, no code, and one note of five lines: what it does, and how to set it up', () => {
		expect(steps.length).toBeLessThanOrEqual(7);
		expect(steps.filter(({ type }) => /\.code(Tool)?$/.test(type))).toEqual([]);
		expect(notes).toHaveLength(1);
		expect(about).toMatch(/^## [A-Z].+\n[A-Z][^\n]+\.\n1\. [^\n]+\n2\. [^\n]+\n3\. [^\n]+$/);
	});

	it('has a note that names only what it has', () => {
		const labels = steps.flatMap(({ type }) => listLabels(DESCRIPTIONS[type]?.properties));
		const known = new Set([...names, ...labels, ...N8N_NAMES]);
		const named = [...about.matchAll(/\*+([^*\n]+)\*+/g)].map(([, name]) => name);
		expect(named.filter((name) => !known.has(name))).toEqual([]);
	});

	it("sets existing parameters of the package's nodes to valid values", () => {
		const ours = steps.filter(({ type }) => type in DESCRIPTIONS);
		expect(ours.length).toBeGreaterThan(0);
		for (const step of ours) {
			expect(step.typeVersion).toBe(DESCRIPTIONS[step.type].version);
			const findings = getParameterFindings(step, DESCRIPTIONS[step.type]);
			expect(findings.filter((finding) => !isToFillIn(finding))).toEqual([]);
		}
	});

	it('writes to nobody before you say to whom, and its note names each node that needs an address', () => {
		for (const { name, parameters } of steps) {
			for (const field of RECIPIENT_FIELDS.filter((one) => parameters[one] !== undefined)) {
				const value = parameters[field];
				const empty = expect.stringMatching(/^(=.*\{\{.*)?$/s);
				expect({ name, field, value }).toEqual({ name, field, value: empty });
				if (value === '') expect(about).toContain(`*${name}*`);
			}
		}
	});

	it('contains no path of one machine, no host or address of a real person, and no secret', () => {
		for (const { parameters } of steps) {
			if (parameters.fileSelector !== undefined) expect(parameters.fileSelector).toMatch(/^\//);
		}
		const hosts = [...text.matchAll(/(?:https?:\/\/|@)([\w-]+(?:\.[\w-]+)+)/g)];
		for (const [, host] of hosts) expect(host).toMatch(/(^|\.)example\.com$/);
		expect(text).not.toMatch(/\/(home|root|work|tmp|Users|opt|srv)\/|[A-Z]:\\\\/);
		expect(text).not.toMatch(/bearer |sk-|"(apiKey|password|token|secret)"/i);
		expect(text).not.toMatch(/instanceId|"credentials"/);
	});
});

/** The display names of fields, those in collections included. */
function listLabels(properties: INodeProperties[] = []): string[] {
	return properties.flatMap(({ displayName, type, options }) => [
		displayName,
		...(type === 'collection' ? listLabels(options as INodeProperties[]) : []),
	]);
}
