import { join } from 'node:path';
import type { NodeOptions } from '../../tools/realN8n/workflow.cts';
import { CASE_HEADER, ratio, rowOf, type Expectation, type PartResult } from '../report.cts';
import { growthOf, interleave, mostRequestsOf, secondsOf, type Case } from '../samples.cts';
import { writeContacts } from '../testFiles.cts';
import { httpRequestNode, ownNode, withRows } from '../workflows.cts';
import type { PartContext } from './part.cts';

const MOST_TIME = 0.6;
const MOST_MEMORY = 0.85;
const MOST_REQUESTS = 1.001;

/** This node: each row of a CRM's export becomes a contact. */
export const updateContacts: NodeOptions = ownNode({
	resource: 'contact',
	operation: 'upsert',
	email: '={{ $json.email }}',
	dataToSend: 'autoMapInputData',
});

/** The HTTP Request node does the same, its body made in one expression, which costs it least. */
function updateByHttpRequest({ url, user }: PartContext['stage']['sandbox']): NodeOptions {
	return httpRequestNode('own', {
		method: 'PATCH',
		url: `=${url}/users/${user.id}/contacts/{{ encodeURIComponent($json.email) }}`,
		sendBody: true,
		specifyBody: 'json',
		jsonBody:
			'={{ { first_name: $json.first_name, last_name: $json.last_name, company: $json.company, phone_number: $json.phone_number } }}',
	});
}

/** Updates of many contacts, one request each. */
export async function contacts(context: PartContext): Promise<PartResult> {
	const { stage, settings } = context;
	await stage.sandbox.settings({ record: 'counts' });
	const rows: string[][] = [];
	const expectations: Expectation[] = [];
	for (const count of settings.items) {
		const { idle, own, http } = await measureUpdates(context, count);
		rows.push(
			rowOf(`This node, ${number(count)} contacts`, own, idle),
			rowOf(`HTTP Request node, ${number(count)} contacts`, http, idle),
		);
		expectations.push(...expected(count, idle, own, http));
	}
	await stage.sandbox.settings({ record: 'full' });
	return {
		title: 'Contact updates',
		note: "Each row of a CSV file is one PATCH. Both nodes use this package's credential and have their defaults: five requests at a time here, all at once there (its Batching option only adds pauses).",
		header: CASE_HEADER,
		rows,
		expectations,
	};
}

async function measureUpdates(
	{ stage, settings, progress }: PartContext,
	count: number,
): Promise<Record<'idle' | 'own' | 'http', Case>> {
	const csv = join(stage.n8n.files, `contacts-${count}.csv`);
	await writeContacts(csv, count);
	const workflows = {
		idle: withRows(csv),
		own: withRows(csv, updateContacts),
		http: withRows(csv, updateByHttpRequest(stage.sandbox)),
	};
	await stage.n8n.importWorkflows(Object.values(workflows));
	const run = (name: keyof typeof workflows) => async () => {
		const sample = await stage.measure(workflows[name].id);
		const { statuses } = await stage.sandbox.counts();
		const done = (statuses['200'] ?? 0) + (statuses['201'] ?? 0);
		if (name !== 'idle' && done < count) {
			throw new Error(`The service carried out ${done} of ${count} updates.`);
		}
		return sample;
	};
	return await interleave(
		settings.rounds,
		{ idle: run('idle'), own: run('own'), http: run('http') },
		(name, round) => progress.note(`${number(count)} contacts, round ${round}: ${name}`),
	);
}

function expected(count: number, idle: Case, own: Case, http: Case): Expectation[] {
	const what = `${number(count)} contacts`;
	const requests = mostRequestsOf(own);
	return [
		{
			text: `Time of ${what}, of the HTTP Request node`,
			value: ratio(secondsOf(own), secondsOf(http)),
			most: MOST_TIME,
		},
		{
			text: `Memory of ${what}, of the HTTP Request node`,
			value: ratio(growthOf(own, idle), growthOf(http, idle)),
			most: MOST_MEMORY,
		},
		{
			text: `Requests for each of ${what}`,
			value: requests === undefined ? undefined : requests / count,
			most: MOST_REQUESTS,
		},
	];
}

function number(count: number): string {
	return count.toLocaleString('en');
}
