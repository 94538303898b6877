import { setTimeout as delay } from 'node:timers/promises';
import { readProcess } from '../commandLine.cts';
import { formatSize } from '../report.cts';
import {
	createContainer,
	createLoadClient,
	times,
	type Measured,
	type Run,
} from './loadClient.cts';

const CLIENTS_THAT_WAIT = 500;
/** As the instant trigger waits. Each of them asks again once in this time. */
const WAIT_SECONDS = 25;
const EVENTS = 5;
const PAUSE_MS = 2000;
const MAX_MEMORY = 60e6;

type Event = { id: string; created_date: string };

/** Clients that wait for events at the service: what it costs, and how soon an event reaches all of them. */
export async function waitForEvents(run: Run): Promise<Measured> {
	const { service, client } = run;
	// Its own, because its answers take as long as they are to.
	const waiting = createLoadClient(service);
	const path = `/users/${service.userId}/events`;
	await createContainer(run);
	const [newest] = await client.readJson<Event[]>(`${path}?order=desc&limit=1`);
	const idle = await measureProcessor(service.pid);
	let isRunning = true;
	const delays: number[] = [];
	const wait = async () => {
		let after = newest.id;
		for (let seen = 0; seen < EVENTS && isRunning;) {
			const { text } = await waiting.send('GET', `${path}?after=${after}&wait=${WAIT_SECONDS}`);
			const arrivedAt = Date.now();
			for (const { id, created_date } of JSON.parse(text || '[]') as Event[]) {
				after = id;
				seen += 1;
				delays.push(arrivedAt - Date.parse(created_date));
			}
		}
	};
	const all = times(CLIENTS_THAT_WAIT, wait);
	await delay(5000);
	const busy = await measureProcessor(service.pid);
	for (let count = 0; count < EVENTS; count += 1) {
		await createContainer(run);
		await delay(PAUSE_MS);
	}
	isRunning = false;
	// The end of those that have missed one.
	await createContainer(run);
	await Promise.all(all);
	const title = `${CLIENTS_THAT_WAIT} clients that wait for events`;
	const processor = busy.processor - idle.processor;
	const memory = busy.memory - idle.memory;
	const slowest = Math.max(...delays);
	const wrong = Math.abs(CLIENTS_THAT_WAIT * EVENTS - delays.length);
	return {
		rows: [
			[`${title}: of a processor`, `${(processor * 100).toFixed(1)} %`],
			[`${title}: memory`, formatSize(memory)],
			[`${title}: from an event to the last of them`, `${slowest} ms`],
		],
		expectations: [
			[`${title}: events that did not come, or came twice`, wrong, 0],
			[`${title}: errors`, waiting.state.errors.length, 0],
			[`${title}: memory`, memory, MAX_MEMORY, 'MB'],
		],
	};
}

/** @returns how much of a processor a process takes, as long as a client waits, and its memory at the end */
async function measureProcessor(pid: number) {
	const before = readProcess(pid);
	await delay(WAIT_SECONDS * 1000);
	const { processorSeconds, memory } = readProcess(pid);
	return { processor: (processorSeconds - before.processorSeconds) / WAIT_SECONDS, memory };
}
