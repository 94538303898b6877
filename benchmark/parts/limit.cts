import { join } from 'node:path';
import type { RateLimit } from '../../sandbox/index.cts';
import { ratio, seconds, type PartResult } from '../report.cts';
import type { Stage } from '../stage.cts';
import { writeContacts } from '../testFiles.cts';
import { withRows } from '../workflows.cts';
import { updateContacts } from './contacts.cts';
import type { PartContext } from './part.cts';

const MINUTE = 60;
const MOST_TIME = 1.2;

type Algorithm = NonNullable<RateLimit['algorithm']>;

/** A CRM sync under a limit of requests a minute, in real time, under both kinds of limit at once. */
export async function limit(context: PartContext): Promise<PartResult> {
	const { settings, progress, stage } = context;
	const { limitedContacts: count, requestsPerMinute } = settings;
	const other = await context.anotherStage();
	const title = `${count} contacts under a limit of ${requestsPerMinute} requests a minute`;
	const [window, bucket] = await progress.step(title, async () => {
		return await Promise.all([
			sync(stage, 'window', count, requestsPerMinute),
			sync(other, 'bucket', count, requestsPerMinute),
		]);
	});
	const all = [window, bucket];
	return {
		title,
		note: 'The time that the limit itself takes is that of a client which sends each request at the first moment at which it is served, the one for the own user included. A window allows all its requests at once and then none until the minute is over; a bucket fills up evenly.',
		header: ['Limit', 'Time', 'The limit itself', 'Requests', 'Refused', 'Contacts there'],
		rows: all.map((run) => [
			run.algorithm,
			seconds(run.seconds),
			seconds(run.least),
			String(run.requests),
			String(run.refused),
			String(run.contacts),
		]),
		expectations: all.map((run) => ({
			text: `Time of ${count} contacts under the limit (${run.algorithm}), of the limit itself`,
			value: run.contacts === count ? ratio(run.seconds, run.least) : Number.POSITIVE_INFINITY,
			most: MOST_TIME,
		})),
	};
}

async function sync(stage: Stage, algorithm: Algorithm, count: number, perMinute: number) {
	const csv = join(stage.n8n.files, 'limited.csv');
	await writeContacts(csv, count);
	const workflow = withRows(csv, updateContacts);
	await stage.n8n.importWorkflows([workflow]);
	await stage.sandbox.reset();
	await stage.sandbox.settings({ rateLimit: { perMinute, algorithm } });
	const { seconds: taken } = await stage.measure(workflow.id);
	const { total, statuses } = await stage.sandbox.counts();
	const { contacts } = await stage.sandbox.state();
	await stage.sandbox.reset();
	const refused = statuses['429'] ?? 0;
	const served = total - refused;
	return {
		algorithm,
		seconds: taken,
		least: leastSeconds(algorithm, served, perMinute),
		requests: total,
		refused,
		contacts: contacts.length,
	};
}

/** When the last of so many requests can be served at the earliest, counted from the first. */
function leastSeconds(algorithm: Algorithm, requests: number, perMinute: number): number {
	return algorithm === 'window'
		? Math.floor((requests - 1) / perMinute) * MINUTE
		: (Math.max(0, requests - perMinute) / perMinute) * MINUTE;
}
