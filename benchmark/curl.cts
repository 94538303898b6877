import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startProcess } from '../tools/processes.cts';
import type { Sample } from './measurements.cts';

/**
 * Uploads a file with curl as in the API's documentation: the manifest with its media type, and the file.
 * @returns the time of the request and the peak memory of curl
 * @throws when curl fails or the service returns an error status
 */
export async function uploadWithCurl(options: {
	url: string;
	apiKey: string;
	caPath: string;
	manifest: string;
	file: string;
	/** Folder for curl's output. */
	folder: string;
}): Promise<Sample> {
	const output = join(options.folder, `curl-${Date.now()}.log`);
	const running = startProcess({
		command: 'curl',
		args: [
			...['--silent', '--show-error', '--http1.1', '--cacert', options.caPath],
			...['--header', `Authorization: Bearer ${options.apiKey}`],
			...['--form', `manifest.json=@${options.manifest};type=application/json`],
			...['--form', `file=@${options.file};type=application/octet-stream`],
			...['--output', '/dev/null', '--write-out', '%{http_code} %{time_total}\n', options.url],
		],
		cwd: options.folder,
		env: { PATH: process.env.PATH, HOME: options.folder },
		stdout: output,
	});
	const { code, peakMemory } = await running.ended;
	const printed = (await readFile(output, 'utf8')).trim();
	const [status, time] = printed.split('\n').at(-1)?.split(' ') ?? [];
	if (code !== 0 || !/^2\d\d$/.test(status)) throw new Error(`curl failed (${code}): ${printed}`);
	return { seconds: Number(time), peakBytes: peakMemory, requests: 1 };
}
