import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { getFreePort } from '../../../tools/processes.cts';
import { createDataFolder, startBackingService, type BackingService } from './backingService.cts';
import { findSystemPrograms } from './systemPrograms.cts';

/**
 * Starts a Redis without persistence on a free port of the loopback interface.
 *
 * Not redis-memory-server: it downloads and compiles Redis.
 */
export async function startRedis(): Promise<BackingService> {
	const [command, cli] = findSystemPrograms(['redis-server', 'redis-cli'], 'redis-server');
	const port = String(await getFreePort());
	const cwd = await createDataFolder('redis');
	const settings = { port, bind: '127.0.0.1', dir: cwd, save: '', appendonly: 'no' };
	const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]);
	const isReady = async () =>
		await new Promise<boolean>((resolve) => {
			execFile(cli, ['-p', port, 'ping'], (_error, stdout) => resolve(stdout.trim() === 'PONG'));
		});
	return await startBackingService(
		{ command, args, cwd, env: process.env, stdout: join(cwd, 'redis.log') },
		isReady,
		{ QUEUE_BULL_REDIS_HOST: '127.0.0.1', QUEUE_BULL_REDIS_PORT: port },
	);
}
