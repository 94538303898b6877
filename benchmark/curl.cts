import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startProcess } from '../tools/realN8n/processGroup.cts';
import type { Sample } from './samples.cts';

/**
 * Uploads a file with curl as the API documents it: the manifest with its media type, and the file.
 *
 * @param options where to and what; `folder` takes curl's output
 * @returns the time of the request as curl tells it, and the peak memory of its process
 * @throws Error when curl fails or the service refuses
 */
export async function uploadWithCurl(options: {
	url: string;
	apiKey: string;
	caPath: string;
	manifest: string;
	file: string;
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
		measureMemory: true,
	});
	const { code } = await running.ended;
	const said = (await readFile(output, 'utf8')).trim();
	const [status, time] = said.split('\n').at(-1)?.split(' ') ?? [];
	if (code !== 0 || !/^2\d\d$/.test(status)) throw new Error(`curl failed (${code}): ${said}`);
	return { seconds: Number(time), peakBytes: running.peakMemory()?.total, requests: 1 };
}
