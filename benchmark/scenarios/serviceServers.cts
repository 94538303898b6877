import { existsSync, openAsBlob, readFileSync, writeFileSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Agent, FormData, request } from 'undici';
import { inheritedEnvironment, startProcess, waitUntilReady } from '../../tools/processes.cts';
import * as tools from '../../tools/service.cts';
import { getProgram } from './servicePrograms.cts';

export type Service = Awaited<ReturnType<typeof startService>>;

const MANIFEST = new Blob(['{"container":{"name":"Benchmark"}}'], { type: 'application/json' });

/** @param folder is created; the data of the service is in `data` */
export async function startService(folder: string, settings: Record<string, string> = {}) {
	await mkdir(folder);
	await tools.buildService(folder);
	const started = await tools.startService(folder, { ...settings, LOG_LEVEL: 'info' });
	const { baseUrl, caPath, apiKey } = started;
	const [, pid] = /"pid":(\d+)/.exec(await readFile(join(folder, 'service.log'), 'utf8')) ?? [];
	const send = createClient(caPath, apiKey);
	const containers = `${baseUrl}/users/${started.userId}/containers`;
	return {
		...{ ...started, pid: Number(pid) },
		list: async (): Promise<unknown[]> => JSON.parse(await send(containers)),
		upload: async (path: string) => await send(`${containers}/encode`, path),
	};
}

/** Starts a server that only writes what it receives, with the certificate of a service. */
export async function startPlainServer({ data }: Service) {
	const stdout = join(data, 'plain.log');
	const options = { command: process.execPath, cwd: data, env: inheritedEnvironment(), stdout };
	const running = startProcess({ ...options, args: [...getProgram('plain'), data] });
	await waitUntilReady(running, async () => (await readFile(stdout, 'utf8')).endsWith('}\n'));
	const { pid, port } = JSON.parse(await readFile(stdout, 'utf8')) as Record<string, number>;
	const send = createClient(join(data, 'ca.pem'), 'none');
	const upload = async (path: string) => await send(`https://localhost:${port}/`, path);
	return { pid, stop: running.stop, upload };
}

function createClient(caPath: string, apiKey: string) {
	const dispatcher = new Agent({ connect: { ca: readFileSync(caPath) }, headersTimeout: 0 });
	const headers = { authorization: `Bearer ${apiKey}` };
	/** @param path streams this file in the form of an encode request */
	return async (url: string, path?: string): Promise<string> => {
		const body = new FormData();
		body.set('manifest.json', MANIFEST);
		if (path) body.set('file', await openAsBlob(path), 'random.bin');
		const upload = path ? ({ method: 'POST', body } as const) : undefined;
		const response = await request(url, { dispatcher, headers, ...upload });
		const text = await response.body.text();
		if (response.statusCode < 300) return text;
		throw new Error(`${url}: ${response.statusCode} ${text}`);
	};
}

/** The processor time of a process until now in seconds, and its memory in bytes; NaN except on Linux. */
export function readProcess(pid: number) {
	const read = (name: string) => {
		return existsSync(`/proc/${pid}`) ? readFileSync(`/proc/${pid}/${name}`, 'utf8') : '';
	};
	// After the name in parentheses; in hundredths of a second, its own and the system's.
	const times = read('stat').split(') ').at(-1)!.split(' ');
	const status = read('status');
	return {
		processorSeconds: (Number(times[11]) + Number(times[12])) / 100,
		memory: Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024,
		peak: Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024,
	};
}

/** The peak of a process is counted anew from here on. */
export function forgetPeak(pid: number): void {
	if (existsSync(`/proc/${pid}`)) writeFileSync(`/proc/${pid}/clear_refs`, '5');
}
