import { join } from 'node:path';
import type { NodeOptions } from '../../tools/realN8n/workflow.cts';
import {
	getMaxRequests,
	getMedianSeconds,
	getMemoryGrowth,
	measureRounds,
	type Case,
} from '../measurements.cts';
import { CASE_HEADER, getRatio, toRow, type Expectation, type ScenarioResult } from '../report.cts';
import { writeContacts } from '../testFiles.cts';
import { buildCsvWorkflow, createHttpRequestNode, createOwnNode } from '../workflows.cts';
import type { ScenarioContext } from './scenario.cts';

const MAX_TIME = 0.6;
const MAX_MEMORY = 0.85;
const MAX_REQUESTS = 1.001;

/** This node updates one contact per row of a CRM's export. */
export const ownUpdateNode: NodeOptions = createOwnNode({
	resource: 'contact',
	operation: 'upsert',
	email: '={{ $json.email }}',
	dataToSend: 'autoMapInputData',
});

/** The HTTP Request node does the same, with the body in one expression, which is its fastest way. */
export function createHttpUpdateNode({
	url,
	user,
}: ScenarioContext['environment']['sandbox']): NodeOptions {
	return createHttpRequestNode('own', {
		method: 'PATCH',
		url: `=${url}/users/${user.id}/contacts/{{ encodeURIComponent($json.email) }}`,
		sendBody: true,
		specifyBody: 'json',
		jsonBody:
			'={{ { first_name: $json.first_name, last_name: $json.last_name, company: $json.company, phone_number: $json.phone_number } }}',
	});
}

/** Updates many contacts with one request each. */
export async function contacts(context: ScenarioContext): Promise<ScenarioResult> {
	const { environment, settings } = context;
	await environment.sandbox.settings({ record: 'counts' });
	const rows: string[][] = [];
	const expectations: Expectation[] = [];
	for (const count of settings.items) {
		const { baseline, own, http } = await measureUpdates(context, count);
		rows.push(
			toRow(`This node, ${formatNumber(count)} contacts`, own, baseline),
			toRow(`HTTP Request node, ${formatNumber(count)} contacts`, http, baseline),
		);
		expectations.push(...getExpectations(count, baseline, own, http));
	}
	await environment.sandbox.settings({ record: 'full' });
	return {
		title: 'Contact updates',
		note: "Each row of a CSV file is one PATCH. Both nodes use this package's credential and their default settings: this node sends five requests at a time, the HTTP Request node all at once (its Batching option only adds pauses).",
		header: CASE_HEADER,
		rows,
		expectations,
	};
}

async function measureUpdates(
	{ environment, settings, progress }: ScenarioContext,
	count: number,
): Promise<Record<'baseline' | 'own' | 'http', Case>> {
	const csv = join(environment.n8n.files, `contacts-${count}.csv`);
	await writeContacts(csv, count);
	const workflows = {
		baseline: buildCsvWorkflow(csv),
		own: buildCsvWorkflow(csv, ownUpdateNode),
		http: buildCsvWorkflow(csv, createHttpUpdateNode(environment.sandbox)),
	};
	await environment.n8n.importWorkflows(Object.values(workflows));
	const run = (name: keyof typeof workflows) => async () => {
		const sample = await environment.measure(workflows[name].id);
		const { statuses } = await environment.sandbox.counts();
		const done = (statuses['200'] ?? 0) + (statuses['201'] ?? 0);
		if (name !== 'baseline' && done < count) {
			throw new Error(`The service did ${done} of ${count} updates.`);
		}
		return sample;
	};
	return await measureRounds(
		settings.rounds,
		{ baseline: run('baseline'), own: run('own'), http: run('http') },
		(name, round) => progress.log(`${formatNumber(count)} contacts, round ${round}: ${name}`),
	);
}

function getExpectations(count: number, baseline: Case, own: Case, http: Case): Expectation[] {
	const subject = `${formatNumber(count)} contacts`;
	const requests = getMaxRequests(own);
	return [
		{
			title: `Time of ${subject}, relative to the HTTP Request node`,
			value: getRatio(getMedianSeconds(own), getMedianSeconds(http)),
			max: MAX_TIME,
		},
		{
			title: `Memory of ${subject}, relative to the HTTP Request node`,
			value: getRatio(getMemoryGrowth(own, baseline), getMemoryGrowth(http, baseline)),
			max: MAX_MEMORY,
		},
		{
			title: `Requests per contact, ${subject}`,
			value: requests === undefined ? undefined : requests / count,
			max: MAX_REQUESTS,
		},
	];
}

export function formatNumber(count: number): string {
	return count.toLocaleString('en');
}
