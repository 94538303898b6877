import { join } from 'node:path';
import { measureWorkflows, type Case } from '../measure.cts';
import {
	CASE_HEADER,
	formatNumber,
	toRow,
	type Expectation,
	type ScenarioResult,
} from '../report.cts';
import type { ScenarioContext } from '../run.cts';
import {
	buildCsvWorkflow,
	buildIdleWorkflow,
	createHttpUpdateNode,
	createOwnUpdateNode,
	writeContacts,
} from '../workflows.cts';

/** The most of the HTTP Request node's time, processor time and memory, for thousands of contacts and for fewer. */
const MANY = 10_000;
const MAX_RATIO = { many: 0.65, fewer: 0.8 };
const MAX_REQUESTS = 1.001;

/** Updates many contacts with one request each. */
export async function contacts(context: ScenarioContext): Promise<ScenarioResult> {
	const { environment, settings } = context;
	const { n8n, sandbox } = environment;
	await sandbox.settings({ record: 'counts' });
	const rows: string[][] = [];
	const expectations: Expectation[] = [];
	for (const count of settings.items) {
		const csv = join(n8n.files, `contacts-${count}.csv`);
		await writeContacts(csv, count);
		const workflows = {
			idle: buildIdleWorkflow(),
			baseline: buildCsvWorkflow(csv),
			own: buildCsvWorkflow(csv, createOwnUpdateNode()),
			http: buildCsvWorkflow(csv, createHttpUpdateNode(sandbox)),
		};
		const check = async (name: keyof typeof workflows) => {
			if (name === 'idle' || name === 'baseline') return;
			const { statuses } = await sandbox.counts();
			const done = (statuses['200'] ?? 0) + (statuses['201'] ?? 0);
			if (done < count) throw new Error(`The service did ${done} of ${count} updates.`);
		};
		const title = `${formatNumber(count)} contacts`;
		const cases = await measureWorkflows(context, title, workflows, { check });
		const { own, http, baseline, idle } = cases;
		// The processor time is without the CSV file, the memory with it.
		const start = { ...baseline, peakBytes: idle.peakBytes };
		rows.push(
			toRow(`This node, ${title}`, own, start),
			toRow(`HTTP Request node, ${title}`, http, start),
		);
		expectations.push(...getExpectations(count, own, http, start));
	}
	await sandbox.settings({ record: 'full' });
	return {
		title: 'Contact updates',
		note: "Each row of a CSV file is one PATCH with four expressions. Both nodes use this package's credential and their default settings: this node sends five requests at a time, the HTTP Request node all at once (its Batching option only adds pauses). The processor time is that of n8n without its start and the CSV file, the memory that over an idle n8n.",
		header: CASE_HEADER,
		rows,
		expectations,
	};
}

function getExpectations(count: number, own: Case, http: Case, start: Case): Expectation[] {
	const subject = `of ${formatNumber(count)} contacts, relative to the HTTP Request node`;
	const max = count >= MANY ? MAX_RATIO.many : MAX_RATIO.fewer;
	const getRatio = (figure: 'processorSeconds' | 'peakBytes') =>
		(own[figure] - start[figure]) / (http[figure] - start[figure]);
	return [
		{ title: `Time ${subject}`, value: own.seconds / http.seconds, max },
		{ title: `Processor time ${subject}`, value: getRatio('processorSeconds'), max },
		{ title: `Memory ${subject}`, value: getRatio('peakBytes'), max },
		{
			title: `Requests per contact, ${formatNumber(count)} contacts`,
			value: own.requests / count,
			max: MAX_REQUESTS,
		},
	];
}
