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
	const about = String(workflow.nodes.find(isNote)?.parameters.content);
	const text = JSON.stringify(workflow);

	it('is in the list, is not published, and has no data of an execution', () => {
		expect(list).toContain(`(${file})`);
		expect(workflow).toMatchObject({ active: false, settings: { executionOrder: 'v1' } });
		expect(workflow.pinData ?? {}).toEqual({});
		expect(workflow).not.toHaveProperty('meta');
	});

	it("sets existing parameters of the package's nodes to valid values", () => {
		for (const step of steps.filter(({ type }) => type in DESCRIPTIONS)) {
			const findings = getParameterFindings(step, DESCRIPTIONS[step.type]);
			expect(findings.filter((finding) => !isToFillIn(finding))).toEqual([]);
		}
	});

	it('writes to nobody before you say to whom, and its note names each node that needs an address', () => {
		for (const { name, parameters } of steps) {
			for (const field of RECIPIENT_FIELDS.filter((one) => parameters[one] !== undefined)) {
				const value = parameters[field];
				expect([name, value]).toEqual([name, expect.stringMatching(/^(=.*\{\{.*)?$/s)]);
				if (value === '') expect(about).toContain(`*${name}*`);
			}
		}
	});

	it('contains no path of one machine, no host or address of a real person, and no secret', () => {
		const hosts = [...text.matchAll(/(?:https?:\/\/|@)([\w-]+(?:\.[\w-]+)+)/g)];
		for (const [, host] of hosts) expect(host).toMatch(/(^|\.)example\.com$/);
		expect(text).not.toMatch(/\/(home|root|work|tmp|Users|opt|srv)\/|[A-Z]:\\\\/);
		expect(text).not.toMatch(/bearer |sk-|"(apiKey|password|token|secret)"/i);
		expect(text).not.toMatch(/instanceId|"credentials"/);
	});
});
