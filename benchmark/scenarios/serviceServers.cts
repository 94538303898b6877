import { openAsBlob, readFileSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Agent, FormData, request } from 'undici';
import { inheritedEnvironment, startProcess, waitUntilReady } from '../../tools/processes.cts';
import * as tools from '../../tools/service.cts';
import { getProgram, USER_ID } from './servicePrograms.cts';

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
	const { pid, port, stop } = await startServer('plain', data);
	const send = createClient(join(data, 'ca.pem'), 'none');
	const upload = async (path: string) => await send(`https://localhost:${port}/`, path);
	return { pid, stop, upload };
}

/**
 * Starts a server that only reads what it receives, with the certificate of a service.
 * @param data the folder of the service
 */
export async function startReadingServer(data: string) {
	const { port, stop, readLines } = await startServer('read', data);
	return {
		stop,
		baseUrl: `https://localhost:${port}/api/v1`,
		userId: USER_ID,
		/** The bytes of the latest upload. */
		readSize: async () => Number((await readLines()).at(-1)),
	};
}

/** Starts a server that only lets clients wait, with the certificate of a service. */
export async function startWaitingServer({ data }: Service) {
	const { pid, port, stop } = await startServer('wait', data);
	return { pid, stop, baseUrl: `https://localhost:${port}/api/v1` };
}

async function startServer(name: 'plain' | 'read' | 'wait', data: string) {
	const stdout = join(data, `${name}.log`);
	const options = { command: process.execPath, cwd: data, env: inheritedEnvironment(), stdout };
	const running = startProcess({ ...options, args: [...getProgram(name), data] });
	const readLines = async () => (await readFile(stdout, 'utf8')).trimEnd().split('\n');
	await waitUntilReady(running, async () => (await readLines())[0].endsWith('}'));
	const [started] = await readLines();
	const { pid, port } = JSON.parse(started) as Record<string, number>;
	return { pid, port, stop: running.stop, readLines };
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
