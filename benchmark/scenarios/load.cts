import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { readProcess } from '../commandLine.cts';
import { createRunFolder } from '../../tools/project.cts';
import { log, step } from '../../tools/tool.cts';
import { getMedian } from '../measure.cts';
import { formatNumber, formatSeconds, formatSize, type ScenarioResult } from '../report.cts';
import type { ScenarioContext } from '../run.cts';
import { writeRandomFile } from '../data.cts';
import {
	CLIENTS,
	createContainer,
	createLoadClient,
	getNext,
	time,
	times,
	type LoadClient,
	type Measured,
	type Run,
} from './loadClient.cts';
import { list, readTrails } from './loadLists.cts';
import { deliver, upload } from './loadUploads.cts';
import { turnPages } from './loadViews.cts';
import { waitForEvents } from './loadWaits.cts';
import { createDocument } from './viewing.cts';
import { startService } from './serviceServers.cts';

const RECIPIENTS = 500;
const PATCHES = 1000;
const MAX_ANSWER_SECONDS = 10;
/** What the memory can grow by in the last third of a soak over the first. */
const MAX_GROWTH = 1.5;

const SETTINGS = {
	REQUESTS_PER_MINUTE: '1000000000',
	// Each recipient comes from an address of its own, with the usual limits for codes.
	TRUST_PROXY: '127.0.0.1,::1',
};

/** Measures what many at once, and many years, do to the service. */
export async function load(context: Pick<ScenarioContext, 'settings'>): Promise<ScenarioResult> {
	const { listed, largeBytes, soakMinutes } = context.settings;
	const folder = await createRunFolder('bench-load');
	const uploadBytes = Math.ceil(largeBytes / 10);
	const files = await Promise.all(
		[uploadBytes / 10, uploadBytes].map(async (bytes) => {
			return await writeRandomFile(join(folder, `${bytes}`), Math.ceil(bytes));
		}),
	);
	let count = 0;
	const clients: LoadClient[] = [];
	/** Starts a service with data of its own. */
	const use = async <Value,>(work: (run: Run) => Promise<Value>) => {
		const service = await startService(join(folder, `service-${count++}`), SETTINGS);
		const client = createLoadClient(service);
		clients.push(client);
		const containers = `/users/${service.userId}/containers`;
		return await work({ service, client, containers }).finally(service.stop);
	};
	const measured: Measured[] = [];
	const measure = async (title: string, work: () => Promise<Measured>) =>
		void measured.push(await step(title, work));
	const [small, large] = files;
	await measure('Uploads', async () => await use((run) => upload(run, small, large)));
	await measure('Deliveries', async () => await use((run) => deliver(run, small, large)));
	await measure(`${RECIPIENTS} recipients`, async () => await use(open));
	await measure('Clients that wait for events', async () => await use(waitForEvents));
	const document = await createDocument();
	await measure('Pages that are turned', async () => await use((run) => turnPages(run, document)));
	await measure(`${PATCHES} changes of one container`, async () => await use(change));
	await measure(
		`List of ${formatNumber(listed)}`,
		async () => await use((run) => list(run, listed)),
	);
	await measure(`Trail of ${formatNumber(listed)}`, async () => {
		return await use((few) => use((many) => readTrails(few, many, listed)));
	});
	if (soakMinutes) {
		const title = `Soak of ${soakMinutes} minutes`;
		await measure(title, async () => await use((run) => soak(run, soakMinutes)));
	}
	const errors = clients.flatMap(({ state }) => state.errors);
	for (const error of errors.slice(0, 10)) log(`An error: ${error.slice(0, 500)}`);
	const slowest = Math.max(...clients.map(({ state }) => state.slowest));
	return {
		title: 'The service under load',
		note: `All clients and the service share the machine. The time of an answer is that from the last byte of the request to the first of the response. Each of ${RECIPIENTS} recipients asks for a code from an IP address of its own, opens the container, and reads its page and its file.`,
		header: ['', 'Measured'],
		rows: [
			...measured.flatMap(({ rows }) => rows),
			...clients.map(({ state }) => [
				`Slowest answer, ${state.request}`,
				formatSeconds(state.slowest),
			]),
		],
		expectations: [
			['Errors other than 429 under load', errors.length, 0],
			['Slowest answer under load, in seconds', slowest, MAX_ANSWER_SECONDS],
			...measured.flatMap(({ expectations }) => expectations),
		],
	};
}

async function open(run: Run): Promise<Measured> {
	const { client } = run;
	const id = await createContainer(run, { recipients: ['*@*'] });
	const steps: number[][] = [];
	const seconds = await time(async () => {
		const visit = async (index: number) => {
			const ip = `203.0.${100 + Math.floor(index / 250)}.${index % 250}`;
			steps.push(await client.open(id, `person-${index}@example.com`, ip));
		};
		await Promise.all(times(RECIPIENTS, visit));
	});
	const isIn = (statuses: number[]) => String(statuses) === '200,303,200,200';
	const { opens_used: used } = await client.readJson<{ opens_used: number }>(`/containers/${id}`);
	const title = `${RECIPIENTS} recipients who open at once`;
	return {
		rows: [[title, formatSeconds(seconds)]],
		expectations: [
			[`${title}: not in`, RECIPIENTS - steps.filter(isIn).length, 0],
			[`${title}: counted wrongly`, Math.abs(RECIPIENTS - used), 0],
		],
	};
}

async function change(run: Run): Promise<Measured> {
	const { client } = run;
	const id = await createContainer(run);
	const path = `/containers/${id}/drm`;
	let refused = 0;
	/** Adds an address as often as others were faster. */
	const add = async (address: string): Promise<void> => {
		const { headers, text } = await client.send('GET', path);
		const { recipients = [] } = JSON.parse(text) as { recipients?: string[] };
		const json = { recipients: [...recipients, address] };
		const sent = { json, headers: { 'if-match': headers.etag } };
		const { status } = await client.send('PATCH', path, sent);
		if (status === 200) return;
		refused += 1;
		await add(address);
	};
	const seconds = await time(async () => {
		const work = async (first: number) => {
			for (let number = first; number < PATCHES; number += CLIENTS) {
				await add(`person-${number}@example.com`);
			}
		};
		await Promise.all(times(CLIENTS, work));
	});
	const { recipients } = await client.readJson<{ recipients: string[] }>(path);
	const distinct = new Set(recipients).size;
	let events = 0;
	const trail = `/users/${run.service.userId}/containers/${id}/events?limit=1000`;
	for (let next: string | undefined = trail; next !== undefined;) {
		const page = await client.send('GET', next);
		events += (JSON.parse(page.text) as Array<{ action: string }>).filter(
			({ action }) => action === 'drm.update',
		).length;
		next = getNext(page.headers);
	}
	const title = `${formatNumber(PATCHES)} changes of one container by ${CLIENTS} clients with If-Match`;
	return {
		rows: [[title, `${formatSeconds(seconds)}, ${formatNumber(refused)} answered with 412`]],
		expectations: [
			[`${title}: lost`, PATCHES - distinct, 0],
			[`${title}: seen twice or never in the trail`, Math.abs(PATCHES - events), 0],
		],
	};
}

/** All that people do, again and again. */
async function soak(run: Run, minutes: number): Promise<Measured> {
	const { service, client, containers } = run;
	const end = performance.now() + minutes * 60_000;
	let rounds = 0;
	const work = async (worker: number) => {
		while (performance.now() < end) {
			const number = rounds++;
			const id = await createContainer(run, { recipients: ['*@*'] });
			await client.send('PATCH', `/containers/${id}/drm`, { json: { opens: 5 } });
			await client.open(
				id,
				`person-${number}@example.com`,
				`2001:db8:${worker}:${number % 9999}::1`,
			);
			await client.send('GET', `${containers}?order=desc`);
			await client.send('GET', `/users/${service.userId}/events?order=desc`);
			await client.send('DELETE', `/containers/${id}`);
		}
	};
	const samples: number[] = [];
	const sample = async () => {
		for (; performance.now() < end; await delay(1000))
			samples.push(readProcess(service.pid).memory);
	};
	await Promise.all([sample(), ...times(CLIENTS, work)]);
	const third = Math.floor(samples.length / 3);
	const [early, late] = [samples.slice(third / 3, third), samples.slice(-third)].map(getMedian);
	const title = `Soak of ${minutes} minutes`;
	return {
		rows: [
			[`${title}: containers created, changed, opened and deleted`, formatNumber(rounds)],
			[`${title}: memory in the first and last third`, [early, late].map(formatSize).join(', ')],
		],
		expectations: [
			[`${title}: memory of the last third relative to the first`, late / early, MAX_GROWTH],
		],
	};
}
