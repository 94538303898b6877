import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { forgetPeak, readProcess } from '../commandLine.cts';
import { formatSeconds, formatSize } from '../report.cts';
import { time, times, type Measured, type Run } from './loadClient.cts';

const VIEWERS = 50;
const DOCUMENTS = 10;
const PAGES = 20;
const TURN_MS = 5000;
const TURNS = 6;
const MAX_API_SECONDS = 0.1;
const MAX_PAGE_SECONDS = 3;
const MAX_MEMORY = 700e6;

/** Recipients who turn a page every five seconds, each at their own moment, while others use the API. */
export async function turnPages(run: Run, document: Buffer): Promise<Measured> {
	const { service, client } = run;
	const ids = await Promise.all(times(DOCUMENTS, async () => await send(run, document)));
	const visitors = await Promise.all(
		times(VIEWERS, async (index) => {
			const id = ids[index % DOCUMENTS];
			return await client.enter(`/c/${id}`, `person-${index}@example.com`, `203.0.113.${index}`);
		}),
	);
	forgetPeak(service.pid);
	const pages: number[] = [];
	let missing = 0;
	const view = async (index: number) => {
		await delay((TURN_MS * index) / VIEWERS);
		for (let turn = 0; turn < TURNS; turn += 1) {
			const path = `/files/0/pages/${1 + ((index + turn) % PAGES)}`;
			let status = 0;
			const seconds = await time(async () => (status = await visitors[index].read(path)));
			if (status !== 200) missing += 1;
			pages.push(seconds);
			await delay(Math.max(TURN_MS - seconds * 1000, 0));
		}
	};
	let isRunning = true;
	const answers: number[] = [];
	const askMeanwhile = async () => {
		for (; isRunning; await delay(50)) answers.push(await time(() => client.send('GET', '/me')));
	};
	const asking = askMeanwhile();
	await Promise.all(times(VIEWERS, view)).finally(() => (isRunning = false));
	await asking;
	const { peak } = readProcess(service.pid);
	const answer = getPercentile(answers);
	const page = getPercentile(pages);
	const title = `${VIEWERS} recipients who turn a page every five seconds`;
	return {
		rows: [
			[`${title}: a page (95th percentile)`, formatSeconds(page)],
			[`${title}: an answer of the API meanwhile (95th percentile)`, formatSeconds(answer)],
			[`${title}: memory`, formatSize(peak)],
		],
		expectations: [
			[`${title}: pages that did not come`, missing, 0],
			[`${title}: a page, in seconds`, page, MAX_PAGE_SECONDS],
			[`${title}: an answer of the API, in seconds`, answer, MAX_API_SECONDS],
			[`${title}: memory, in bytes`, peak, MAX_MEMORY],
		],
	};
}

async function send({ client, containers }: Run, document: Buffer): Promise<string> {
	const container = { name: 'Views', recipients: ['*@*'], downloadable: false };
	const content = Readable.from([document]);
	const upload = { manifest: { container }, content, fileName: 'report.pdf' };
	const { text } = await client.send('POST', `${containers}/encode`, { upload });
	return JSON.parse(text).container.uuid as string;
}

function getPercentile(seconds: number[]): number {
	const sorted = [...seconds].sort((one, other) => one - other);
	return sorted[Math.floor(0.95 * (sorted.length - 1))];
}
