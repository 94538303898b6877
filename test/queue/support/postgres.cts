import { execFile, execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chown, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runCommand } from '../../../tools/realN8n/command.cts';
import { freePorts } from '../../../tools/realN8n/freePort.cts';
import { createDataFolder, startService, type Service } from './service.cts';
import { systemPrograms } from './systemPackages.cts';

const debianPackage = 'postgresql';
const SYSTEM_USER = 'postgres';
const USER = 'n8n';

/**
 * Starts a PostgreSQL with an empty database on a free port of the loopback interface. PostgreSQL
 * refuses to run as root: then it runs as the system user that its package made.
 */
export async function startPostgres(): Promise<Service> {
	const [initdb, postgres, isReady] = systemPrograms(
		['initdb', 'postgres', 'pg_isready'].map((name) => ({ name, debianPackage })),
	);
	const [port] = await freePorts(1);
	const folder = await createDataFolder('postgres');
	const data = join(folder, 'data');
	const passwordFile = join(folder, 'password');
	const password = randomBytes(12).toString('hex');
	await writeFile(passwordFile, password);
	await giveAway([folder, passwordFile]);
	const stdout = join(folder, 'postgres.log');
	const options = (command: string, args: string[]) => ({
		...asAllowedUser(command, args),
		cwd: folder,
		env: process.env,
		stdout,
	});

	const ways = { auth: 'scram-sha-256', encoding: 'UTF8', locale: 'C', username: USER };
	const wayArguments = Object.entries(ways).map(([name, value]) => `--${name}=${value}`);
	await runCommand(
		options(initdb, [...wayArguments, `--pwfile=${passwordFile}`, '--no-sync', data]),
	);
	// Without fsync: what it holds is gone anyway when the tests end.
	const settings = `listen_addresses=127.0.0.1 unix_socket_directories= port=${port} fsync=off`;
	const args = settings.split(' ').flatMap((setting) => ['-c', setting]);
	const accepts = async () =>
		await new Promise<boolean>((resolve) => {
			execFile(isReady, ['-h', '127.0.0.1', '-p', String(port)], (error) => resolve(!error));
		});
	return {
		...(await startService(folder, options(postgres, ['-D', data, ...args]), accepts)),
		env: {
			DB_TYPE: 'postgresdb',
			DB_POSTGRESDB_HOST: '127.0.0.1',
			DB_POSTGRESDB_PORT: String(port),
			DB_POSTGRESDB_DATABASE: 'postgres',
			DB_POSTGRESDB_USER: USER,
			DB_POSTGRESDB_PASSWORD: password,
		},
	};
}

function isRoot(): boolean {
	return process.getuid?.() === 0;
}

/** setpriv becomes the program, so that a signal reaches the program itself. */
function asAllowedUser(command: string, args: string[]): { command: string; args: string[] } {
	if (!isRoot()) return { command, args };
	const become = [`--reuid=${SYSTEM_USER}`, `--regid=${SYSTEM_USER}`, '--clear-groups'];
	return { command: 'setpriv', args: [...become, command, ...args] };
}

async function giveAway(paths: string[]): Promise<void> {
	if (!isRoot()) return;
	const idOf = (kind: '-u' | '-g') =>
		Number(execFileSync('id', [kind, SYSTEM_USER], { encoding: 'utf8' }));
	for (const path of paths) await chown(path, idOf('-u'), idOf('-g'));
}
