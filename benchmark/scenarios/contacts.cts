import { join } from 'node:path';
import { measureWorkflows, type Case } from '../measure.cts';
import {
	CASE_HEADER,
	formatNumber,
	formatSeconds,
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
/** The most that an update with one more expression takes of one without it. */
const MAX_EXPRESSION = 1.15;

/** Updates many contacts with one request each. */
export async function contacts(context: ScenarioContext): Promise<ScenarioResult> {
	const { environment, settings } = context;
	await environment.sandbox.settings({ record: 'counts' });
	const rows: string[][] = [];
	const expectations: Expectation[] = [];
	for (const count of settings.items) {
		const cases = await measureUpdates(context, count);
		const { own, http, baseline, idle } = cases;
		// The processor time is without the CSV file, the memory with it.
		const start = { ...baseline, peakBytes: idle.peakBytes };
		rows.push(
			toRow(`This node, ${formatNumber(count)} contacts`, own, start),
			toRow(`HTTP Request node, ${formatNumber(count)} contacts`, http, start),
		);
		expectations.push(...getExpectations(count, own, http, start));
	}
	await environment.sandbox.settings({ record: 'full' });
	return {
		title: 'Contact updates',
		note: "Each row of a CSV file is one PATCH with four expressions. Both nodes use this package's credential and their default settings: this node sends five requests at a time, the HTTP Request node all at once (its Batching option only adds pauses). The processor time is that of n8n without its start and the CSV file, the memory that over an idle n8n.",
		header: CASE_HEADER,
		rows,
		expectations,
	};
}

async function measureUpdates(context: ScenarioContext, count: number) {
	const { n8n, sandbox } = context.environment;
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
	return await measureWorkflows(context, `${formatNumber(count)} contacts`, workflows, { check });
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

/** Measures what one more expression costs, in the options of an item. */
export async function expressions(context: ScenarioContext): Promise<ScenarioResult> {
	const { n8n, sandbox } = context.environment;
	const count = Math.min(...context.settings.items);
	const csv = join(n8n.files, 'expressions.csv');
	await writeContacts(csv, count);
	const { id } = sandbox.user;
	const { baseline, fixed, expression } = await measureWorkflows(context, 'Expressions', {
		baseline: buildCsvWorkflow(csv),
		fixed: buildCsvWorkflow(csv, createOwnUpdateNode({ userId: id })),
		expression: buildCsvWorkflow(csv, createOwnUpdateNode({ userId: `={{ "${id}" }}` })),
	});
	const [one, more] = [fixed, expression].map(
		({ processorSeconds }) => processorSeconds - baseline.processorSeconds,
	);
	const ratio = more / one;
	return {
		title: `One more expression in ${formatNumber(count)} items`,
		note: 'Processor time of n8n (median), without its start and the CSV file.',
		header: ['', 'Processor time', 'Relative'],
		rows: [
			['Four expressions, a fixed User ID in Options', formatSeconds(one), '1'],
			[
				'Four expressions, and one for the User ID in Options',
				formatSeconds(more),
				ratio.toFixed(2),
			],
		],
		expectations: [
			{
				title: 'Processor time with one more expression in Options, relative to a fixed value',
				value: ratio,
				max: MAX_EXPRESSION,
			},
		],
	};
}
