import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { freePorts } from '../../../tools/realN8n/freePort.cts';
import { createDataFolder, startService, type Service } from './service.cts';
import { systemPrograms } from './systemPackages.cts';

/** Starts a Redis that keeps nothing, on a free port of the loopback interface. */
export async function startRedis(): Promise<Service> {
	const [command] = systemPrograms([{ name: 'redis-server', debianPackage: 'redis-server' }]);
	const [port] = await freePorts(1);
	const folder = await createDataFolder('redis');
	const settings = { port, bind: '127.0.0.1', dir: folder, save: '', appendonly: 'no' };
	const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]);
	const stdout = join(folder, 'redis.log');
	const options = { command, args, cwd: folder, env: process.env, stdout };
	return {
		...(await startService(folder, options, async () => await answersPing(port))),
		env: { QUEUE_BULL_REDIS_HOST: '127.0.0.1', QUEUE_BULL_REDIS_PORT: String(port) },
	};
}

async function answersPing(port: number): Promise<boolean> {
	const socket = connect(port, '127.0.0.1');
	try {
		socket.write('PING\r\n');
		const [answer] = await once(socket, 'data');
		return String(answer).startsWith('+PONG');
	} catch {
		return false;
	} finally {
		socket.destroy();
	}
}
