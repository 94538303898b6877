import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { cpus, devNull, loadavg } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { inheritedEnvironment, lastLines, startProcess } from '../../tools/processes.cts';
import { createRunFolder, projectRoot } from '../../tools/project.cts';
import { readProcess } from '../commandLine.cts';
import { copyRow } from '../database.cts';
import { getMedian } from '../measure.cts';
import { formatSeconds, formatSize, type ScenarioResult } from '../report.cts';
import type { ScenarioContext } from '../run.cts';
import { writeRandomFile } from '../data.cts';
import { getProgram } from './servicePrograms.cts';
import { startPlainServer, startService, type Service } from './serviceServers.cts';

const IDLE_MS = 10_000;
const POLL_MS = 10;
const AT_ONCE = 8;
/** About that of the service. In the heap of a short program, V8 collects everything for each 30 MB of buffers. */
const HEAP = '--initial-old-space-size=64';
/** Together fewer than the requests that the service accepts in a minute. */
const WARM_UP = 100;
const PAGES = 300;

/** Measures the service alone, without n8n. */
export async function service(context: Pick<ScenarioContext, 'settings'>): Promise<ScenarioResult> {
	const { rounds, largeBytes } = context.settings;
	const [load] = loadavg();
	const folder = await createRunFolder('bench-service');
	const createPath = () => join(folder, randomUUID());
	const createFile = async (bytes: number) => (await writeRandomFile(createPath(), bytes)).path;
	/** Starts a service with data of its own, for one measurement. */
	const use = async <Value,>(work: (started: Service) => Promise<Value>) => {
		const started = await startService(createPath());
		return await work(started).finally(started.stop);
	};

	const [idle, data] = await use(async (started) => {
		await delay(IDLE_MS);
		return [readProcess(started.pid).memory, started.data] as const;
	});
	const readyAgain = () => measureReady(data);
	const [fresh, existing] = await inTurn(rounds, () => measureReady(createPath()), readyAgain);
	const large = await createFile(largeBytes);
	const [encodes, plain, one] = await use((started) => measureUploads(started, large, rounds));
	const partBytes = Math.ceil(largeBytes / 4);
	const part = await createFile(partBytes);
	const many = await use(async ({ pid, upload }) => {
		await Promise.all(Array.from({ length: AT_ONCE }, () => upload(part)));
		return readProcess(pid).peak;
	});
	const ageTime = () => measureAge(large);
	const [encryption, age] = await inTurn(rounds, () => measureEncryption(large), ageTime);
	const small = await createFile(1000);
	const [shortList, longList] = await use((few) => use((more) => measureLists(few, more, small)));

	const ratio = (values: number[], others: number[]) => getMedian(values) / getMedian(others);
	const readySeconds = load < cpus().length / 2 ? getMedian(fresh) : NaN;
	const [size, partSize] = [largeBytes, partBytes].map(formatSize);
	return {
		title: 'The service',
		note: `The processor time is that of one process. The plain server receives the same uploads with the same certificate from the same client, and writes them to files in batches of 1 MiB. Memory is the peak; that of the idle service is measured ${IDLE_MS / 1000} s after its start with new data. The encryption reads a file and writes to ${devNull}, as age does, in a heap as large as that of the service. The load of the machine was ${load.toFixed(1)} at the beginning; only a quiet one shows how soon the service is ready.`,
		header: ['', 'Median', 'All rounds'],
		rows: [
			toRow('Ready, with new data', fresh),
			toRow('Ready, with existing data', existing),
			toRow('Memory, idle', [idle], formatSize),
			toRow(`Processor time, encode of ${size}`, encodes),
			toRow('Processor time, the same upload to the plain server', plain),
			toRow(`Memory, uploads of ${size} one after another`, [one], formatSize),
			toRow(`Memory, ${AT_ONCE} uploads of ${partSize} at once`, [many], formatSize),
			toRow(`Processor time, encryption of ${size} alone`, encryption),
			toRow('Processor time, age (if it is installed)', age),
			toRow('First page of 1,000 containers', shortList, formatMilliseconds),
			toRow('First page of 200,000 containers', longList, formatMilliseconds),
		],
		expectations: [
			['Seconds until the service is ready', readySeconds, 2],
			['Memory of the idle service', idle, 120e6, 'MB'],
			['Processor time, encode relative to the plain server', ratio(encodes, plain), 2.5],
			['Processor time, encryption relative to age', ratio(encryption, age), 2],
			[`Memory for one upload of ${size}`, one, 200e6, 'MB'],
			[`Memory for ${AT_ONCE} uploads of ${partSize} at once`, many, 300e6, 'MB'],
			['First page of 200,000 containers, relative to 1,000', ratio(longList, shortList), 1.5],
		],
	};
}

const formatMilliseconds = (seconds: number) => `${(seconds * 1000).toFixed(1)} ms`;

function toRow(title: string, values: number[], format = formatSeconds): string[] {
	return [title, format(getMedian(values)), values.length > 9 ? '' : values.map(format).join(', ')];
}

/** Measures two things in turn, so that changes on the machine affect both equally. */
async function inTurn(rounds: number, one: () => Promise<number>, other: () => Promise<number>) {
	const values: [number[], number[]] = [[], []];
	for (let round = 0; round < rounds; round += 1) {
		values[0].push(await one());
		values[1].push(await other());
	}
	return values;
}

/** @returns the seconds from the command line of `npm run service` to the line that the service prints */
async function measureReady(data: string): Promise<number> {
	const { scripts } = JSON.parse(await readFile(join(projectRoot, 'package.json'), 'utf8'));
	const stdout = `${data}-${randomUUID()}.log`;
	const args = ['-c', `${scripts.service} --data "$0" --port 0`, data];
	const startedAt = performance.now();
	const options = { cwd: projectRoot, env: inheritedEnvironment(), stdout };
	const running = startProcess({ command: 'sh', args, ...options });
	while (!(await readFile(stdout, 'utf8')).includes('The service is ready.')) {
		if (!running.isRunning()) throw new Error(await lastLines(running));
		await delay(POLL_MS);
	}
	const seconds = (performance.now() - startedAt) / 1000;
	await running.stop();
	return seconds;
}

/** @returns the processor times of the service and of a plain server, and the peak memory of the service */
async function measureUploads(started: Service, path: string, rounds: number) {
	const plain = await startPlainServer(started);
	const measure = async ({ pid, upload }: typeof plain) => {
		const before = readProcess(pid).processorSeconds;
		await upload(path);
		return readProcess(pid).processorSeconds - before;
	};
	const both = [() => measure(started), () => measure(plain)] as const;
	const times = await inTurn(rounds, ...both);
	await plain.stop();
	return [...times, readProcess(started.pid).peak] as const;
}

async function measureEncryption(path: string): Promise<number> {
	const module = join(projectRoot, 'service', 'dist', 'containers', 'ageFile.mjs');
	const args = [HEAP, ...getProgram('encrypt'), module, path];
	return Number(execFileSync(process.execPath, args, { encoding: 'utf8' }));
}

/** @returns NaN where age isn't installed */
async function measureAge(path: string): Promise<number> {
	const recipient = '"$(age-keygen 2> /dev/null | age-keygen -y)"';
	const script = `command -v age || exit 0; age -r ${recipient} -o ${devNull} "$0" && times`;
	const printed = execFileSync('sh', ['-c', script, path], { encoding: 'utf8' });
	const times = [...printed.matchAll(/(\d+)m([\d.]+)s/g)];
	const seconds = times.map(([, minutes, rest]) => Number(minutes) * 60 + Number(rest));
	// The first two are those of the shell itself.
	return seconds[2] + seconds[3];
}

/** @returns the times of many requests for the first page, of 1,000 and of 200,000 containers */
async function measureLists(few: Service, more: Service, file: string) {
	await Promise.all([few.upload(file), more.upload(file)]);
	copyRow(few.data, 'containers', 999);
	copyRow(more.data, 'containers', 199_999);
	const measure = async ({ list }: Service) => {
		const startedAt = performance.now();
		const { length } = await list();
		if (length !== 100) throw new Error(`A page has ${length} entries.`);
		return (performance.now() - startedAt) / 1000;
	};
	const both = [() => measure(few), () => measure(more)] as const;
	await inTurn(WARM_UP, ...both);
	return await inTurn(PAGES, ...both);
}
