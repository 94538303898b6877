import { join } from 'node:path';
import { request } from 'undici';
import { getFreePort } from '../../tools/processes.cts';
import { createRunFolder } from '../../tools/project.cts';
import { readProcess } from '../commandLine.cts';
import { getMedian } from '../measure.cts';
import { formatNumber, formatSeconds, type ScenarioResult } from '../report.cts';
import type { ScenarioContext } from '../run.cts';
import { CLIENTS, createContainer, createLoadClient, times, type Run } from './loadClient.cts';
import { startService } from './serviceServers.cts';

/** Of each round. */
const WORK = 300;
/** What a service that is measured takes more, at most. */
const MAX_RATIO = 1.02;
/** Both change a little in each round. */
const ROUNDS_OF_ONE = 5;

/** Measures what the metrics cost: the same load on a service with them, and on one without, in turns. */
export async function metrics({
	settings: { rounds },
}: Pick<ScenarioContext, 'settings'>): Promise<ScenarioResult> {
	const folder = await createRunFolder('bench-metrics');
	const port = await getFreePort();
	const scrape = async () => await (await request(`http://127.0.0.1:${port}/metrics`)).body.text();
	const plain = await start(join(folder, 'plain'), {});
	const measured = await start(join(folder, 'measured'), { METRICS_PORT: String(port) });
	const seconds = { plain: [] as number[], measured: [] as number[] };
	try {
		// The first round of each compiles.
		await work(plain);
		await work(measured);
		for (let round = 0; round < rounds * ROUNDS_OF_ONE; round += 1) {
			const isFirst = round % 2 === 0;
			if (isFirst) seconds.plain.push(await work(plain));
			seconds.measured.push(await work(measured, scrape));
			if (!isFirst) seconds.plain.push(await work(plain));
		}
	} finally {
		await Promise.all([plain.service.stop(), measured.service.stop()]);
	}
	const ratio = getMedian(seconds.measured) / getMedian(seconds.plain);
	const errors = [plain, measured].flatMap(({ client }) => client.state.errors).length;
	const title = `${formatNumber(WORK)} uploads, changes and lists by ${CLIENTS} clients`;
	const toRow = (name: string, all: number[]) => [
		`${title}, ${name}`,
		formatSeconds(getMedian(all)),
		all.map((value) => value.toFixed(2)).join(', '),
	];
	return {
		title: 'Metrics',
		note: 'The processor time of the service. Each round with metrics reads them once. Both services run at the same time, and take turns.',
		header: ['', 'Median', 'All rounds'],
		rows: [toRow('without metrics', seconds.plain), toRow('with metrics', seconds.measured)],
		expectations: [
			['Processor time with metrics, relative to without', ratio, MAX_RATIO],
			['Errors', errors, 0],
		],
	};
}

async function start(folder: string, settings: Record<string, string>): Promise<Run> {
	const service = await startService(folder, { ...settings, REQUESTS_PER_MINUTE: '1000000000' });
	const client = createLoadClient(service);
	return { service, client, containers: `/users/${service.userId}/containers` };
}

/** @returns the processor time of the service */
async function work(run: Run, scrape?: () => Promise<string>): Promise<number> {
	const { service, client, containers } = run;
	const before = readProcess(service.pid).processorSeconds;
	const perform = async () => {
		for (let count = 0; count < WORK / CLIENTS; count += 3) {
			const id = await createContainer(run);
			await client.send('PATCH', `/containers/${id}/drm`, { json: { opens: count + 1 } });
			await client.send('GET', `${containers}?order=desc&limit=20`);
		}
	};
	await Promise.all(times(CLIENTS, perform));
	await scrape?.();
	return readProcess(service.pid).processorSeconds - before;
}
