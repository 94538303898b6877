import { join } from 'node:path';
import type { RateLimit } from '../../sandbox/index.cts';
import type { BenchmarkEnvironment } from '../environment.cts';
import { formatSeconds, getRatio, type ScenarioResult } from '../report.cts';
import { writeContacts } from '../testFiles.cts';
import { buildCsvWorkflow } from '../workflows.cts';
import { createOwnUpdateNode } from './contacts.cts';
import type { ScenarioContext } from './scenario.cts';

const MINUTE = 60;
const MAX_TIME = 1.2;

type Algorithm = NonNullable<RateLimit['algorithm']>;

/** Synchronizes contacts under a limit of requests per minute, with both kinds of limit at the same time. */
export async function limit(context: ScenarioContext): Promise<ScenarioResult> {
	const { settings, progress, environment } = context;
	const { limitedContacts: count, requestsPerMinute } = settings;
	const other = await context.startEnvironment();
	const title = `${count} contacts under a limit of ${requestsPerMinute} requests per minute`;
	const [window, bucket] = await progress.step(title, async () => {
		return await Promise.all([
			sync(environment, 'window', count, requestsPerMinute),
			sync(other, 'bucket', count, requestsPerMinute),
		]);
	});
	const runs = [window, bucket];
	return {
		title,
		note: 'The shortest time is that of a client that sends each request as soon as the limit allows it, including the request for the current user. A window allows all its requests at once and then none until the minute is over; a bucket fills evenly.',
		header: ['Limit', 'Time', 'Shortest time', 'Requests', 'Rejected', 'Contacts created'],
		rows: runs.map((run) => [
			run.algorithm,
			formatSeconds(run.seconds),
			formatSeconds(run.minSeconds),
			String(run.requests),
			String(run.rejected),
			String(run.contacts),
		]),
		expectations: runs.map((run) => ({
			title: `Time of ${count} contacts under the limit (${run.algorithm}), relative to the shortest time`,
			value:
				run.contacts === count ? getRatio(run.seconds, run.minSeconds) : Number.POSITIVE_INFINITY,
			max: MAX_TIME,
		})),
	};
}

async function sync(
	environment: BenchmarkEnvironment,
	algorithm: Algorithm,
	count: number,
	perMinute: number,
) {
	const csv = join(environment.n8n.files, 'limited.csv');
	await writeContacts(csv, count);
	const workflow = buildCsvWorkflow(csv, createOwnUpdateNode());
	await environment.n8n.importWorkflows([workflow]);
	await environment.sandbox.reset();
	await environment.sandbox.settings({ rateLimit: { perMinute, algorithm } });
	const { seconds } = await environment.measure(workflow.id);
	const { total, statuses } = await environment.sandbox.counts();
	const { contacts } = await environment.sandbox.state();
	await environment.sandbox.reset();
	const rejected = statuses['429'] ?? 0;
	const served = total - rejected;
	return {
		algorithm,
		seconds,
		minSeconds: getMinSeconds(algorithm, served, perMinute),
		requests: total,
		rejected,
		contacts: contacts.length,
	};
}

/** Returns the shortest time from the first to the last of these requests. */
function getMinSeconds(algorithm: Algorithm, requests: number, perMinute: number): number {
	return algorithm === 'window'
		? Math.floor((requests - 1) / perMinute) * MINUTE
		: (Math.max(0, requests - perMinute) / perMinute) * MINUTE;
}
