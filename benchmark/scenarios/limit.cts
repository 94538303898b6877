import { join } from 'node:path';
import type { RateLimit } from '../../sandbox/index.cts';
import type { BenchmarkEnvironment } from '../environment.cts';
import { formatSeconds, type ScenarioResult } from '../report.cts';
import type { ScenarioContext } from '../run.cts';
import { buildCsvWorkflow, createOwnUpdateNode, writeContacts } from '../workflows.cts';

const MINUTE = 60;
const MAX_TIME = 1.2;

type Algorithm = NonNullable<RateLimit['algorithm']>;

/** Synchronizes contacts under a limit of requests per minute, with both kinds of limit at the same time. */
export async function limit(context: ScenarioContext): Promise<ScenarioResult> {
	const { settings, progress, environment } = context;
	const { limitedContacts: count, requestsPerMinute } = settings;
	const other = await context.startEnvironment();
	const title = `${count} contacts under a limit of ${requestsPerMinute} requests per minute`;
	const runs = await progress.step(title, async () => {
		return await Promise.all([
			updateContacts(environment, 'window', count, requestsPerMinute),
			updateContacts(other, 'bucket', count, requestsPerMinute),
		]);
	});
	return {
		title,
		note: 'The shortest time is that of a client that sends each request as soon as the limit allows it, including the request for the current user. A window allows all its requests at once and then none until the minute is over; a bucket fills evenly.',
		header: ['Limit', 'Time', 'Shortest time', 'Requests', 'Rejected', 'Contacts created'],
		rows: runs.map(({ algorithm, seconds, shortest, ...counts }) => [
			algorithm,
			formatSeconds(seconds),
			formatSeconds(shortest),
			...[counts.requests, counts.rejected, counts.contacts].map(String),
		]),
		expectations: runs.map(({ algorithm, seconds, shortest, contacts }) => ({
			title: `Time of ${count} contacts under the limit (${algorithm}), relative to the shortest time`,
			value: contacts === count ? seconds / (shortest || NaN) : Number.POSITIVE_INFINITY,
			max: MAX_TIME,
		})),
	};
}

async function updateContacts(
	{ n8n, sandbox, measure }: BenchmarkEnvironment,
	algorithm: Algorithm,
	count: number,
	perMinute: number,
) {
	const csv = join(n8n.files, 'limited.csv');
	await writeContacts(csv, count);
	const workflow = buildCsvWorkflow(csv, createOwnUpdateNode());
	await n8n.importWorkflows([workflow]);
	await sandbox.reset();
	await sandbox.settings({ rateLimit: { perMinute, algorithm } });
	const { seconds } = await measure(workflow.id);
	const { total: requests, statuses } = await sandbox.counts();
	const { contacts } = await sandbox.state();
	await sandbox.reset();
	const rejected = statuses['429'] ?? 0;
	const served = requests - rejected;
	const shortest =
		algorithm === 'window'
			? Math.floor((served - 1) / perMinute) * MINUTE
			: (Math.max(0, served - perMinute) / perMinute) * MINUTE;
	return { algorithm, seconds, shortest, requests, rejected, contacts: contacts.length };
}
