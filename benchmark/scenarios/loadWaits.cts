import { setTimeout as delay } from 'node:timers/promises';
import { readProcess } from '../commandLine.cts';
import { formatSize } from '../report.cts';
import {
	createContainer,
	createLoadClient,
	times,
	type LoadClient,
	type Measured,
	type Run,
} from './loadClient.cts';
import { startWaitingServer } from './serviceServers.cts';

const CLIENTS_THAT_WAIT = 500;
/** As the instant trigger waits. Each of them asks again once in this time. */
const WAIT_SECONDS = 25;
/** With so many of a second each, Node.js compiles what a server that runs for long has compiled. Then, with events. */
const WARM_UP_WAITS = 15;
const WARM_UP_EVENTS = 3;
const IDLE_SECONDS = 10;
const EVENTS = 5;
const PAUSE_MS = 2000;
const MAX_MEMORY = 60e6;

type Event = { id: string; created_date: string };

interface Waiting {
	/** Its requests only wait: its slowest answer says nothing. */
	client: LoadClient;
	/** Of the server. */
	pid: number;
	path: string;
}

/** Clients that wait for events at the service: what it costs, and how soon an event reaches all of them. */
export async function waitForEvents(run: Run): Promise<Measured> {
	const { service } = run;
	const path = `/users/${service.userId}/events`;
	await createContainer(run);
	const [newest] = await run.client.readJson<Event[]>(`${path}?order=desc&limit=1`);
	const toEvents = `${path}?after=${newest.id}`;
	const client = createLoadClient(service);
	const own = await measureWaiting({ client, pid: service.pid, path: toEvents });
	const delays = await measureDelays(run, client, newest);
	const measured = delays.slice(WARM_UP_EVENTS).flat();
	const peer = await startWaitingServer(service);
	const peerClient = createLoadClient({ ...service, baseUrl: peer.baseUrl });
	const ofPeer = await measureWaiting({ client: peerClient, pid: peer.pid, path: toEvents });
	await peer.stop();
	const title = `${CLIENTS_THAT_WAIT} clients that wait for events`;
	const errors = client.state.errors.length + peerClient.state.errors.length;
	const wrong = delays.filter((event) => event.length !== CLIENTS_THAT_WAIT).length;
	return {
		rows: [
			[`${title}: of a processor`, formatPercent(own.processor)],
			[`${title}, at a server that does nothing else`, formatPercent(ofPeer.processor)],
			[`${title}: memory`, formatSize(own.memory)],
			[`${title}: from an event to the last of them`, `${Math.max(...measured)} ms`],
		],
		expectations: [
			[`${title}: events that did not come to all, or came twice`, wrong, 0],
			[`${title}: errors`, errors, 0],
			[`${title}: memory`, own.memory, MAX_MEMORY, 'MB'],
		],
	};
}

const formatPercent = (part: number) => `${(part * 100).toFixed(1)} %`;

/** @returns what clients that wait for nothing add to the use of a processor, and of memory */
async function measureWaiting({ client, pid, path }: Waiting) {
	const wait = async (seconds: number) => await client.send('GET', `${path}&wait=${seconds}`);
	const idle = await measureProcess(pid, IDLE_SECONDS);
	const warmUp = async () => {
		for (let count = 0; count < WARM_UP_WAITS; count += 1) await wait(1);
	};
	await Promise.all(times(CLIENTS_THAT_WAIT, warmUp));
	let isRunning = true;
	const waitOn = async (index: number) => {
		await delay((index * WAIT_SECONDS * 1000) / CLIENTS_THAT_WAIT);
		while (isRunning) await wait(WAIT_SECONDS);
	};
	const all = times(CLIENTS_THAT_WAIT, waitOn);
	await delay(WAIT_SECONDS * 1000);
	const busy = await measureProcess(pid, WAIT_SECONDS);
	isRunning = false;
	await Promise.all(all);
	return { processor: busy.processor - idle.processor, memory: busy.memory - idle.memory };
}

/** @returns of each event, and of each client, how many milliseconds after the event it has arrived */
async function measureDelays(run: Run, client: LoadClient, newest: Event): Promise<number[][]> {
	const path = `/users/${run.service.userId}/events`;
	const events = WARM_UP_EVENTS + EVENTS;
	const delays = times(events, (): number[] => []);
	let isRunning = true;
	const receive = async () => {
		let after = newest.id;
		for (let seen = 0; seen < events && isRunning;) {
			const { text } = await client.send('GET', `${path}?after=${after}&wait=${WAIT_SECONDS}`);
			const arrivedAt = Date.now();
			for (const { id, created_date } of JSON.parse(text || '[]') as Event[]) {
				after = id;
				delays[seen]?.push(arrivedAt - Date.parse(created_date));
				seen += 1;
			}
		}
	};
	const all = times(CLIENTS_THAT_WAIT, receive);
	await delay(PAUSE_MS);
	for (let count = 0; count < events; count += 1) {
		await createContainer(run);
		await delay(PAUSE_MS);
	}
	isRunning = false;
	// The end of those that have missed one.
	await createContainer(run);
	await Promise.all(all);
	return delays;
}

/** @returns how much of a processor a process takes for so long, and its memory at the end */
async function measureProcess(pid: number, seconds: number) {
	const before = readProcess(pid);
	await delay(seconds * 1000);
	const { processorSeconds, memory } = readProcess(pid);
	return { processor: (processorSeconds - before.processorSeconds) / seconds, memory };
}
