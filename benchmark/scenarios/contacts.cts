import { join } from 'node:path';
import type { INodeParameters } from 'n8n-workflow';
import type { NodeOptions } from '../../tools/realN8n/workflow.cts';
import {
	getMaxRequests,
	getMedianSeconds,
	getMemoryGrowth,
	getProcessorGrowth,
	measureRounds,
	type Case,
} from '../measurements.cts';
import {
	formatMegabytes,
	formatSeconds,
	getRatio,
	type Expectation,
	type ScenarioResult,
} from '../report.cts';
import { writeContacts } from '../testFiles.cts';
import {
	buildCsvWorkflow,
	buildIdleWorkflow,
	createHttpRequestNode,
	createOwnNode,
} from '../workflows.cts';
import type { ScenarioContext } from './scenario.cts';

/** The most of the HTTP Request node's time, processor time and memory, for thousands of contacts and for fewer. */
const MANY = 10_000;
const MAX_RATIO = { many: 0.65, fewer: 0.8 };
const MAX_REQUESTS = 1.001;
const FIELDS = ['first_name', 'last_name', 'company'];
const toFields = () => FIELDS.map((name) => ({ name, value: `={{ $json.${name} }}` }));

/** This node updates one contact per row of a CRM's export, with four expressions. */
export function createOwnUpdateNode(options: INodeParameters = {}): NodeOptions {
	return createOwnNode({
		resource: 'contact',
		operation: 'upsert',
		email: '={{ $json.email }}',
		fieldsUi: { fields: toFields() },
		options,
	});
}

/** The HTTP Request node does the same. */
export function createHttpUpdateNode({
	url,
	user,
}: ScenarioContext['environment']['sandbox']): NodeOptions {
	return createHttpRequestNode('own', {
		method: 'PATCH',
		url: `=${url}/users/${user.id}/contacts/{{ encodeURIComponent($json.email) }}`,
		sendBody: true,
		bodyParameters: { parameters: toFields() },
	});
}

/** Updates many contacts with one request each. */
export async function contacts(context: ScenarioContext): Promise<ScenarioResult> {
	const { environment, settings } = context;
	await environment.sandbox.settings({ record: 'counts' });
	const rows: string[][] = [];
	const expectations: Expectation[] = [];
	for (const count of settings.items) {
		const cases = await measureUpdates(context, count);
		rows.push(
			toRow(`This node, ${formatNumber(count)} contacts`, cases.own, cases),
			toRow(`HTTP Request node, ${formatNumber(count)} contacts`, cases.http, cases),
		);
		expectations.push(...getExpectations(count, cases));
	}
	await environment.sandbox.settings({ record: 'full' });
	return {
		title: 'Contact updates',
		note: "Each row of a CSV file is one PATCH with four expressions. Both nodes use this package's credential and their default settings: this node sends five requests at a time, the HTTP Request node all at once (its Batching option only adds pauses). The processor time is that of n8n without its start and the CSV file, the memory that over an idle n8n.",
		header: ['', 'Time (median)', 'Time, all rounds', 'Processor time', 'Memory', 'Requests'],
		rows,
		expectations,
	};
}

type Cases = Record<'idle' | 'baseline' | 'own' | 'http', Case>;

function toRow(title: string, measured: Case, { idle, baseline }: Cases): string[] {
	const processor = getProcessorGrowth(measured, baseline);
	const memory = getMemoryGrowth(measured, idle);
	return [
		title,
		formatSeconds(getMedianSeconds(measured)),
		measured.samples.map(({ seconds }) => seconds.toFixed(2)).join(', '),
		processor === undefined ? '' : formatSeconds(processor),
		memory === undefined ? '' : formatMegabytes(memory),
		String(getMaxRequests(measured) ?? ''),
	];
}

async function measureUpdates(
	{ environment, settings, progress }: ScenarioContext,
	count: number,
): Promise<Cases> {
	const csv = join(environment.n8n.files, `contacts-${count}.csv`);
	await writeContacts(csv, count);
	const workflows = {
		idle: buildIdleWorkflow(),
		baseline: buildCsvWorkflow(csv),
		own: buildCsvWorkflow(csv, createOwnUpdateNode()),
		http: buildCsvWorkflow(csv, createHttpUpdateNode(environment.sandbox)),
	};
	await environment.n8n.importWorkflows(Object.values(workflows));
	const run =
		(name: keyof Cases, updates = 0) =>
		async () => {
			const sample = await environment.measure(workflows[name].id);
			const { statuses } = await environment.sandbox.counts();
			const done = (statuses['200'] ?? 0) + (statuses['201'] ?? 0);
			if (done < updates) throw new Error(`The service did ${done} of ${updates} updates.`);
			return sample;
		};
	return await measureRounds(
		settings.rounds,
		{
			idle: run('idle'),
			baseline: run('baseline'),
			own: run('own', count),
			http: run('http', count),
		},
		(name, round) => progress.log(`${formatNumber(count)} contacts, round ${round}: ${name}`),
	);
}

function getExpectations(count: number, { idle, baseline, own, http }: Cases): Expectation[] {
	const subject = `${formatNumber(count)} contacts, relative to the HTTP Request node`;
	const max = count >= MANY ? MAX_RATIO.many : MAX_RATIO.fewer;
	const requests = getMaxRequests(own);
	return [
		{
			title: `Time of ${subject}`,
			value: getRatio(getMedianSeconds(own), getMedianSeconds(http)),
			max,
		},
		{
			title: `Processor time of ${subject}`,
			value: getRatio(getProcessorGrowth(own, baseline), getProcessorGrowth(http, baseline)),
			max,
		},
		{
			title: `Memory of ${subject}`,
			value: getRatio(getMemoryGrowth(own, idle), getMemoryGrowth(http, idle)),
			max,
		},
		{
			title: `Requests per contact, ${formatNumber(count)} contacts`,
			value: requests === undefined ? undefined : requests / count,
			max: MAX_REQUESTS,
		},
	];
}

export function formatNumber(count: number): string {
	return count.toLocaleString('en');
}
