import type { DestinationStream } from 'pino';
import type { Config } from './config.mts';

/** Where the lines of the log go: as they are, for programs, or written for people. */
export async function openLog(format: Config['logFormat']): Promise<DestinationStream> {
	if (format === 'json') return process.stderr;
	const { default: pretty } = await import('pino-pretty');
	return pretty({
		sync: true,
		destination: process.stderr.fd,
		colorize: process.stderr.isTTY,
		translateTime: 'SYS:standard',
		ignore: 'pid,hostname,reqId',
		singleLine: true,
	});
}
