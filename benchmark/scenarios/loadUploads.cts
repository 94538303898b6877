import { createReadStream } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { forgetPeak, readProcess } from '../commandLine.cts';
import type { writeRandomFile } from '../data.cts';
import { getMedian } from '../measure.cts';
import { formatSeconds, formatSize } from '../report.cts';
import { createSender, time, times, type Measured, type Run } from './loadClient.cts';

const UPLOADS = 50;
/** What the memory can grow by with larger files. */
const MAX_GROWTH = 1.5;

type RandomFile = Awaited<ReturnType<typeof writeRandomFile>>;

export const readFile = ({ path }: Pick<RandomFile, 'path'>) =>
	createReadStream(path, { highWaterMark: 256 * 1024 });

/** Many encode requests at once, with a small file and with a large one. */
export async function upload(run: Run, small: RandomFile, large: RandomFile): Promise<Measured> {
	const { client, containers } = run;
	const send = async (file: RandomFile) => {
		const form = { manifest: { container: { name: 'Load' } }, content: readFile(file) };
		await client.send('POST', `${containers}/encode`, { upload: form });
	};
	return await measureMany(run, { title: 'uploads', send, small, large });
}

/** Many deliveries by one request for files at once, as many people do who got the same link. */
export async function deliver(run: Run, small: RandomFile, large: RandomFile): Promise<Measured> {
	const sender = await createSender(run, { maxBytes: large.size });
	const send = async (file: RandomFile, index: number) => {
		// The same files twice would be one delivery.
		await sender.deliver({ content: readFile(file), fileName: `${index}.bin` });
	};
	return await measureMany(run, { title: 'deliveries', send, small, large });
}

interface Work {
	title: string;
	send: (file: RandomFile, index: number) => Promise<void>;
	small: RandomFile;
	large: RandomFile;
}

async function measureMany(run: Run, { title: what, send, small, large }: Work): Promise<Measured> {
	const { service, client } = run;
	const sendAll = async (file: RandomFile) => {
		forgetPeak(service.pid);
		const all = async () => await Promise.all(times(UPLOADS, async (n) => await send(file, n)));
		const seconds = await time(all);
		return { seconds, peak: readProcess(service.pid).peak };
	};
	const { peak: before } = await sendAll(small);
	let isRunning = true;
	const waits: number[] = [];
	const askMeanwhile = async () => {
		for (; isRunning; await delay(50)) waits.push(await time(() => client.send('GET', '/me')));
	};
	const asking = askMeanwhile();
	const { seconds, peak } = await sendAll(large).finally(() => (isRunning = false));
	await asking;
	const title = `${UPLOADS} ${what} of ${formatSize(large.size)} at once`;
	return {
		rows: [
			[title, formatSeconds(seconds)],
			[`${title}: memory`, formatSize(peak)],
			[`${title}: median of other answers meanwhile`, formatSeconds(getMedian(waits))],
		],
		expectations: [
			[`${title}: missing or wrong`, UPLOADS - (await countWhole(run, large)), 0],
			[`${title}: memory relative to ${formatSize(small.size)}`, peak / before, MAX_GROWTH],
		],
	};
}

interface Details {
	files: Array<{ size: number; sha256: string }>;
}

/** How many containers hold exactly this file. */
async function countWhole({ client, containers }: Run, { size, sha256 }: RandomFile) {
	const listed = await client.readJson<Array<{ uuid: string }>>(`${containers}?limit=1000`);
	let count = 0;
	for (const { uuid } of listed) {
		const { files } = await client.readJson<Details>(`/containers/${uuid}`);
		const isIt = (file: Details['files'][0]) => file.size === size && file.sha256 === sha256;
		if (files.length === 1 && files.every(isIt)) count += 1;
	}
	return count;
}
