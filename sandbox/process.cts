import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import type { SandboxClient } from './client.cts';
import { connectSandbox } from './client.cts';
import type { SandboxSettings } from './index.cts';

export interface SandboxProcessOptions {
	port?: number;
	apiKey?: string;
	folder?: string;
	settings?: Partial<SandboxSettings>;
}

/** A sandbox in a separate process, so that it doesn't affect what its user measures. */
export interface SandboxProcess extends SandboxClient {
	pid: number;
	caPath: string;
	ca: string;
	stop(): Promise<void>;
}

const TSX = pathToFileURL(require.resolve('tsx')).href;

interface Ready {
	origin: string;
	caPath: string;
}

/**
 * Starts a sandbox with the command line. It ends when this process ends.
 *
 * @throws Error with its output, when it doesn't start
 */
export async function startSandboxProcess(
	options: SandboxProcessOptions = {},
): Promise<SandboxProcess> {
	const child = spawn(process.execPath, ['--import', TSX, ...argumentsFor(options)], {
		stdio: ['pipe', 'pipe', 'pipe'],
	});
	let errors = '';
	child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
	const ended = once(child, 'close');
	const [line] = (await Promise.race([
		once(createInterface({ input: child.stdout }), 'line'),
		ended.then(() => [undefined]),
	])) as [string | undefined];
	if (line === undefined) throw new Error(`The sandbox didn't start: ${errors.trim()}`);
	const { origin, caPath } = JSON.parse(line) as Ready;
	const ca = await readFile(caPath, 'utf8');
	const client = await connectSandbox({ origin, ca });
	return {
		...client,
		pid: child.pid as number,
		caPath,
		ca,
		async stop() {
			await client.close();
			child.stdin.end();
			const [code] = (await ended) as [number | null];
			if (code !== 0) throw new Error(`The sandbox failed: ${errors.trim()}`);
		},
	};
}

function argumentsFor({ port, apiKey, folder, settings = {} }: SandboxProcessOptions): string[] {
	const given = { port, 'api-key': apiKey, folder };
	return [
		path.join(__dirname, 'cli.cts'),
		'--json',
		'--end-with-input',
		...Object.entries(given).flatMap(([name, value]) =>
			value === undefined ? [] : [`--${name}`, String(value)],
		),
		...Object.entries(settings).flatMap(([name, value]) => [
			'--set',
			`${name}=${JSON.stringify(value)}`,
		]),
	];
}
