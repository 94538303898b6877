import { setTimeout as delay } from 'node:timers/promises';
import { copyRow } from '../database.cts';
import { getMedian } from '../measure.cts';
import { formatNumber, formatSeconds } from '../report.cts';
import {
	CLIENTS,
	createContainer,
	getNext,
	time,
	times,
	type Measured,
	type Run,
} from './loadClient.cts';

/** Containers created and deleted in a second. */
const CHURN = 100;
const TRAIL = 1000;
const PAGES = 200;

/** Reads a long list while containers come and go. */
export async function list(run: Run, count: number): Promise<Measured> {
	const { service, client, containers } = run;
	const first = await createContainer(run);
	copyRow(service.data, 'containers', count - 1);
	const toId = (number: number) => first.slice(0, 24) + String(number).padStart(12, '0');
	const gone = new Set<string>();
	let isRunning = true;
	let changed = 0;
	const startedAt = performance.now();
	const getAhead = () => changed - ((performance.now() - startedAt) / 1000) * CHURN;
	const churn = async () => {
		while (isRunning) {
			const id = await createContainer(run);
			changed += 1;
			// Every other time one of the many, anywhere before or behind what was read.
			const old = toId(1 + Math.floor(Math.random() * (count - 1)));
			const victim = changed % 2 === 0 && !gone.has(old) ? old : id;
			gone.add(victim);
			await client.send('DELETE', `/containers/${victim}`);
			if (getAhead() > 0) await delay((getAhead() / CHURN) * 1000);
		}
	};
	const churning = Promise.all(times(CLIENTS, churn));
	const seen = new Set<string>();
	let twice = 0;
	let longest = 0;
	const seconds = await time(async () => {
		for (let next: string | undefined = `${containers}?limit=1000`; next !== undefined;) {
			const path: string = next;
			longest = Math.max(
				longest,
				await time(async () => {
					const page = await client.send('GET', path);
					for (const { uuid } of JSON.parse(page.text) as Array<{ uuid: string }>) {
						if (seen.has(uuid)) twice += 1;
						seen.add(uuid);
					}
					next = getNext(page.headers);
				}),
			);
		}
	}).finally(() => (isRunning = false));
	await churning;
	const all = [first, ...times(count - 1, (index) => toId(index + 1))];
	const missing = all.filter((id) => !gone.has(id) && !seen.has(id)).length;
	const rate = changed / seconds;
	const title = `List of ${formatNumber(count)} containers`;
	return {
		rows: [
			[`${title} while others come and go`, formatSeconds(seconds)],
			[`${title}: slowest page of 1,000`, formatSeconds(longest)],
			[`${title}: created and deleted a second`, rate.toFixed(0)],
		],
		expectations: [
			[`${title}: that stay and are missing`, missing, 0],
			[`${title}: that come twice`, twice, 0],
		],
	};
}

/** Reads the last events of a short and a long trail. */
export async function readTrails(few: Run, many: Run, count: number): Promise<Measured> {
	const runs = [few, many];
	const times_: number[][] = [[], []];
	const paths: string[] = [];
	for (const [index, run] of runs.entries()) {
		await createContainer(run);
		const events = `/users/${run.service.userId}/events`;
		copyRow(run.service.data, 'events', (index === 0 ? TRAIL : count) - 1);
		const [last] = await run.client.readJson<Array<{ id: string }>>(`${events}?order=desc&limit=1`);
		paths.push(`${events}?after=${Number(last.id) - 100}`);
	}
	for (let page = 0; page < PAGES; page += 1) {
		for (const [index, { client }] of runs.entries()) {
			times_[index].push(await time(() => client.send('GET', paths[index])));
		}
	}
	const [short, long] = times_.map(getMedian);
	const title = 'Page of new events';
	const format = (seconds: number) => `${(seconds * 1000).toFixed(1)} ms`;
	return {
		rows: [
			[`${title}, of ${formatNumber(TRAIL)}`, format(short)],
			[`${title}, of ${formatNumber(count)}`, format(long)],
		],
		expectations: [
			[`${title} of ${formatNumber(count)} relative to ${formatNumber(TRAIL)}`, long / short, 1.5],
		],
	};
}
