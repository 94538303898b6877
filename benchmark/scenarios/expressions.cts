import { join } from 'node:path';
import { getProcessorGrowth, measureRounds } from '../measurements.cts';
import { formatSeconds, getRatio, type ScenarioResult } from '../report.cts';
import { writeContacts } from '../testFiles.cts';
import { buildCsvWorkflow } from '../workflows.cts';
import { createOwnUpdateNode, formatNumber } from './contacts.cts';
import type { ScenarioContext } from './scenario.cts';

/** The most that an update with one more expression takes of one without it. */
const MAX_RATIO = 1.15;

/** Measures what one more expression costs, in the options of an item. */
export async function expressions(context: ScenarioContext): Promise<ScenarioResult> {
	const { environment, settings, progress } = context;
	const { n8n, sandbox } = environment;
	const count = Math.min(...settings.items);
	const csv = join(n8n.files, 'expressions.csv');
	await writeContacts(csv, count);
	const workflows = {
		baseline: buildCsvWorkflow(csv),
		fixed: buildCsvWorkflow(csv, createOwnUpdateNode({ userId: sandbox.user.id })),
		expression: buildCsvWorkflow(
			csv,
			createOwnUpdateNode({ userId: `={{ "${sandbox.user.id}" }}` }),
		),
	};
	await n8n.importWorkflows(Object.values(workflows));
	const run = (name: keyof typeof workflows) => async () =>
		await environment.measure(workflows[name].id);
	const { baseline, ...cases } = await measureRounds(
		settings.rounds,
		{ baseline: run('baseline'), fixed: run('fixed'), expression: run('expression') },
		(name, round) => progress.log(`Expressions, round ${round}: ${name}`),
	);
	const fixed = getProcessorGrowth(cases.fixed, baseline);
	const expression = getProcessorGrowth(cases.expression, baseline);
	const toRow = (title: string, seconds?: number) => [
		title,
		seconds === undefined ? '' : formatSeconds(seconds),
		getRatio(seconds, fixed)?.toFixed(2) ?? '',
	];
	return {
		title: `One more expression in ${formatNumber(count)} items`,
		note: 'Processor time of n8n (median), without its start and the CSV file.',
		header: ['', 'Processor time', 'Relative'],
		rows: [
			toRow('Four expressions, a fixed User ID in Options', fixed),
			toRow('Four expressions, and one for the User ID in Options', expression),
		],
		expectations: [
			{
				title: 'Processor time with one more expression in Options, relative to a fixed value',
				value: getRatio(expression, fixed),
				max: MAX_RATIO,
			},
		],
	};
}
