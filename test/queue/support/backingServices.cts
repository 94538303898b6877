import { execFile, execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { chown, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import {
	getFreePort,
	runCommand,
	startProcess,
	waitUntilReady,
	type ProcessOptions,
} from '../../../tools/processes.cts';
import { findProgram } from '../../support/programs.cts';

/** A server that n8n needs in queue mode. */
interface BackingService {
	/** Environment variables that connect n8n to it. */
	env: Record<string, string>;
	/** Stops it and removes its folder. */
	stop(): Promise<void>;
}

/**
 * Creates a folder for a service's data in the system's temporary folder, because the service can run
 * as another user than this process.
 */
async function createDataFolder(name: string): Promise<string> {
	const folder = await mkdtemp(join(tmpdir(), `${name}-`));
	process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
	return folder;
}

/** Starts a server and waits until a command says that it is ready. `stop` removes its folder, which is `cwd`. */
async function startBackingService(
	options: ProcessOptions,
	[check, ...args]: string[],
	env: Record<string, string>,
): Promise<BackingService> {
	const running = startProcess(options);
	const run = promisify(execFile);
	await waitUntilReady(running, async () => await run(check, args).then(Boolean, () => false));
	const stop = async () => {
		await running.stop();
		await rm(options.cwd, { recursive: true, force: true });
	};
	return { env, stop };
}

/** Starts a Redis without persistence on a free port of the loopback interface. */
export async function startRedis(): Promise<BackingService> {
	const [command, cli] = ['redis-server', 'redis-cli'].map((name) =>
		findProgram([name], ['redis-server']),
	);
	const port = String(await getFreePort());
	const cwd = await createDataFolder('redis');
	const settings = { port, bind: '127.0.0.1', dir: cwd, save: '', appendonly: 'no' };
	const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]);
	return await startBackingService(
		{ command, args, cwd, env: process.env, stdout: join(cwd, 'redis.log') },
		[cli, '-p', port, 'ping'],
		{ QUEUE_BULL_REDIS_HOST: '127.0.0.1', QUEUE_BULL_REDIS_PORT: port },
	);
}

const SYSTEM_USER = 'postgres';
const DATABASE_USER = 'n8n';

/**
 * Starts a PostgreSQL with an empty database on a free port of the loopback interface. PostgreSQL can't
 * run as root, so root runs it as the system user of its Debian package.
 */
export async function startPostgres(): Promise<BackingService> {
	const [initdb, postgres, pgIsReady] = ['initdb', 'postgres', 'pg_isready'].map((name) =>
		findProgram([name], ['postgresql']),
	);
	const port = String(await getFreePort());
	const cwd = await createDataFolder('postgres');
	const data = join(cwd, 'data');
	const passwordFile = join(cwd, 'password');
	const password = randomBytes(12).toString('hex');
	await writeFile(passwordFile, password);
	if (isRoot()) {
		for (const path of [cwd, passwordFile]) await chown(path, getId('-u'), getId('-g'));
	}
	const toOptions = (program: string, programArgs: string[]) => {
		const [command, ...args] = [...asSystemUser(), program, ...programArgs];
		return { command, args, cwd, env: process.env, stdout: join(cwd, 'postgres.log') };
	};
	await runCommand(
		toOptions(initdb, [
			...['--auth=scram-sha-256', '--encoding=UTF8', '--locale=C', `--username=${DATABASE_USER}`],
			...[`--pwfile=${passwordFile}`, '--no-sync', data],
		]),
	);
	// fsync is off because the data is needed only during the tests. Dozens of services can run at once, each with up to
	// ten connections.
	const settings = [
		'listen_addresses=127.0.0.1',
		'unix_socket_directories=',
		`port=${port}`,
		'fsync=off',
		'max_connections=1000',
	];
	const args = settings.flatMap((setting) => ['-c', setting]);
	const check = [pgIsReady, '-h', '127.0.0.1', '-p', port];
	return await startBackingService(toOptions(postgres, ['-D', data, ...args]), check, {
		DB_TYPE: 'postgresdb',
		DB_POSTGRESDB_HOST: '127.0.0.1',
		DB_POSTGRESDB_PORT: port,
		DB_POSTGRESDB_DATABASE: 'postgres',
		DB_POSTGRESDB_USER: DATABASE_USER,
		DB_POSTGRESDB_PASSWORD: password,
	});
}

const isRoot = () => process.getuid?.() === 0;

/** setpriv replaces itself with the program, so signals reach the program. */
const asSystemUser = () =>
	isRoot() ? ['setpriv', `--reuid=${SYSTEM_USER}`, `--regid=${SYSTEM_USER}`, '--clear-groups'] : [];

const getId = (option: '-u' | '-g') =>
	Number(execFileSync('id', [option, SYSTEM_USER], { encoding: 'utf8' }));
