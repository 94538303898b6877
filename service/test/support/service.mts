import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import LibSql from 'libsql';
import { Client } from 'pg';
import { getFreePort, inheritedEnvironment } from '../../../tools/processes.cts';
import { Api } from '../../../tools/serviceClient.cts';
import { servers } from './globalSetup.cts';
import { createVisitor, readMails } from './recipient.cts';

/** The built service. */
export const mainFile = join(import.meta.dirname, '../../dist/main.mjs');

/** All tests of a file. They need Linux or macOS, as the service does. */
export const describeService = process.platform === 'win32' ? describe.skip : describe;

/** The project `service-servers`: PostgreSQL and S3 instead of SQLite and a folder. */
export const usesServers = Boolean((globalThis as { usesServers?: boolean }).usesServers);

export type Service = Awaited<ReturnType<typeof startService>>;

/** How long a mail that nobody should get would have taken, several times over. */
export const MAIL_TIME_MS = 500;

export const times = <T,>(count: number, run: (n: number) => T) =>
	Array.from({ length: count }, (_, n) => run(n));

const folders: string[] = [];
const stops: Array<() => Promise<unknown>> = [];

afterAll(async () => {
	await Promise.all(stops.map(async (stop) => await stop()));
	for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** A folder that is removed after the tests of the file. */
export function createFolder(): string {
	const folder = mkdtempSync(join(tmpdir(), 'service-test-'));
	folders.push(folder);
	return folder;
}

/** Runs the service, or one of its commands, until it ends. */
export async function runService(args: string[], env: Record<string, string>) {
	const { child, output } = spawnService(args, env);
	return { code: await ended(child), ...output };
}

function spawnService(args: string[], env: Record<string, string>) {
	const child = spawn(process.execPath, [mainFile, ...args], {
		env: { ...inheritedEnvironment(), ...env },
		stdio: ['ignore', 'pipe', 'pipe'],
	});
	const output = { stdout: '', stderr: '' };
	child.stdout.setEncoding('utf8').on('data', (text: string) => (output.stdout += text));
	child.stderr.setEncoding('utf8').on('data', (text: string) => (output.stderr += text));
	return { child, output };
}

async function ended(child: ChildProcess): Promise<number | null> {
	if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
	return await new Promise((resolve) => child.once('close', resolve));
}

const START_TIMEOUT_MS = 150_000;

/** Waits for the lines that the service prints when it is ready; returns their values by label. */
async function readStart({ child, output }: ReturnType<typeof spawnService>) {
	await new Promise<void>((resolve, reject) => {
		const fail = () => reject(new Error(`Not started:\n${output.stdout}\n${output.stderr}`));
		const timer = setTimeout(fail, START_TIMEOUT_MS);
		child.once('close', fail);
		child.stdout.on('data', () => {
			if (!/^ {2}Mails .*\n/m.test(output.stdout)) return;
			clearTimeout(timer);
			resolve();
		});
	});
	const lines = output.stdout.matchAll(/^ {2}(\S+(?: \S+)*) {2,}(\S.*)\n/gm);
	return Object.fromEntries([...lines].map(([, label, value]) => [label, value]));
}

/** A database and a bucket of its own for a service in the project `service-servers`. */
export async function createBackend() {
	const { databaseServer, storageFolder, storagePort, ...secrets } = servers.read();
	const name = `service${randomBytes(6).toString('hex')}`;
	await query(`${databaseServer}/postgres`, `CREATE DATABASE ${name}`);
	const bucket = join(storageFolder, name);
	mkdirSync(bucket, { recursive: true });
	return {
		bucket,
		database: `${databaseServer}/${name}`,
		env: {
			DATABASE_URL: `${databaseServer}/${name}`,
			STORAGE_URL: `s3://${name}?endpoint=http://127.0.0.1:${storagePort}&region=us-east-1`,
			AWS_ACCESS_KEY_ID: 'S3RVER',
			AWS_SECRET_ACCESS_KEY: 'S3RVER',
			MASTER_KEY: secrets.masterKey,
			TLS_CERT: secrets.tlsCert,
			TLS_KEY: secrets.tlsKey,
		},
	};
}

/** Its first column is called `text`. */
async function query(database: string, sql: string): Promise<string[]> {
	const client = new Client({ connectionString: database, options: '-c xmlbinary=hex' });
	await client.connect();
	const { rows } = await client
		.query<{ text: string }>(sql)
		.finally(async () => await client.end());
	return rows.map(({ text }) => text);
}

/** The paths of all files in a folder. */
function listFiles(folder: string): string[] {
	return readdirSync(folder, { recursive: true, encoding: 'utf8' })
		.map((name) => join(folder, name))
		.filter((path) => statSync(path, { throwIfNoEntry: false })?.isFile())
		.sort();
}

interface ServiceOptions {
	env?: Record<string, string>;
	args?: string[];
	/** To share it with another service. */
	backend?: Awaited<ReturnType<typeof createBackend>>;
}

/** Starts a service with data of its own. It is stopped, and its data removed, after the tests of the file. */
export async function startService({ env = {}, args = [], ...shared }: ServiceOptions = {}) {
	const folder = createFolder();
	const backend = shared.backend ?? (usesServers ? await createBackend() : undefined);
	const settings: Record<string, string> = {
		DATA_DIR: folder,
		PORT: String(await getFreePort()),
		LOG_LEVEL: 'error',
		REQUESTS_PER_MINUTE: '1000000',
		CODES_PER_ADDRESS: '1000000',
		CODES_PER_IP: '1000000',
		...backend?.env,
		...env,
	};
	if (settings.TLS === 'off') for (const name of ['TLS_CERT', 'TLS_KEY']) delete settings[name];
	let running = spawnService(args, settings);
	const end = async (signal: NodeJS.Signals) => {
		running.child.kill(signal);
		return await ended(running.child);
	};
	stops.push(async () => await end('SIGKILL'));

	const printed = await readStart(running);
	const baseUrl = printed['Base URL'];
	const { origin, port } = new URL(baseUrl);
	const caFile = settings.TLS_CERT ?? printed['CA file'];
	const ca = settings.TLS === 'off' ? '' : readFileSync(caFile, 'utf8');
	const apiKey = settings.API_KEY ?? printed['API key'].split(' ')[0];
	const api = new Api({ baseUrl, ca, apiKey });
	const { dispatcher } = api;
	return {
		/** With the first key. */
		api,
		apiKey,
		baseUrl,
		/** What the service prints at its start, by label. */
		printed,
		origin,
		userId: printed['User ID'],
		folder,
		/** The database and the bucket, in the project `service-servers`. */
		backend,
		outbox: printed.Mails,
		/** All mails that it has sent, oldest first. */
		readMails: () => readMails(printed.Mails),
		/** Who stands before the door. @param ip see `createVisitor` */
		visit: ({ uuid }: { uuid: string }, ip?: string) =>
			createVisitor({ url: `${origin}/c/${uuid}`, mails: printed.Mails, dispatcher, ip }),
		/** Who follows the link of a request for files. */
		visitRequest: ({ url }: { url: string }, ip?: string) =>
			createVisitor({ url, mails: printed.Mails, dispatcher, ip }),
		/** All output since the last start. */
		getOutput: () => running.output,
		/** The paths of the encrypted files. The S3 server can't abort an upload: it keeps its parts. */
		listFiles: () =>
			listFiles(backend?.bucket ?? join(folder, 'files')).filter(
				// The S3 server keeps more files for each object.
				(path) => backend === undefined || path.endsWith('._S3rver_object'),
			),
		/** Changes the database behind its back. */
		change: async (sql: string) => {
			if (backend) return void (await query(backend.database, sql));
			const database = new LibSql(join(settings.DATA_DIR, 'service.db'));
			database.exec(`pragma busy_timeout=10000; ${sql}`);
			database.close();
		},
		/** Reads the database behind its back. The first column is called text. */
		read: async (sql: string) => {
			if (backend) return await query(backend.database, sql);
			const database = new LibSql(join(settings.DATA_DIR, 'service.db'));
			database.exec('pragma busy_timeout=10000');
			const rows = database.prepare(sql).all([]) as Array<{ text: string }>;
			database.close();
			return rows.map(({ text }) => text);
		},
		/** Runs a command such as `users add` beside it. */
		run: async (command: string[]) => await runService(command, settings),
		/** All bytes of the data folder without the mails, of the storage, and of the database. */
		readEverythingStored: async () => {
			const paths = [...listFiles(folder), ...(backend ? listFiles(backend.bucket) : [])];
			const stored = paths.filter((path) => !path.startsWith(printed.Mails));
			const dump = "SELECT database_to_xml(true, false, '')::text AS text";
			const rows = backend ? await query(backend.database, dump) : [];
			return Buffer.concat([...stored.map((path) => readFileSync(path)), Buffer.from(rows.join())]);
		},
		/** Waits until it has finished what runs. */
		stop: async () => await end('SIGTERM'),
		kill: async () => await end('SIGKILL'),
		/** @returns whether it still runs */
		signal: (signal: NodeJS.Signals) =>
			running.child.exitCode === null && running.child.kill(signal),
		/** Starts it again with the same data, also after `stop` and `kill`. @param changes to its settings */
		restart: async (changes: Record<string, string> = {}) => {
			await end('SIGTERM');
			running = spawnService(args, { ...settings, PORT: port, ...changes });
			await readStart(running);
		},
	};
}

/** Runs a command that prints an ID and a key. */
async function runForKey(service: Service, command: string[]) {
	const { stdout, stderr } = await service.run(command);
	const [, id, key] = /^(?:User|Key) ID {2,}(\S+)\nAPI key {2,}(ec_\S+)/m.exec(stdout) ?? [];
	if (!key) throw new Error(stdout + stderr);
	return { id, api: service.api.withKey(key) };
}

export const createKey = async (service: Service, email: string, options: string[] = []) =>
	await runForKey(service, ['keys', 'create', email, ...options]);

/** Adds another user, with a key. */
export async function addUser(service: Service, email: string, flags: string[] = []) {
	const { id, api } = await runForKey(service, ['users', 'add', email, ...flags]);
	return { userId: id, api };
}

/** Runs a command that has to succeed, and logs nothing but events. @returns what it prints */
export async function runCommand(service: Service, ...command: string[]): Promise<string> {
	const { code, stdout, stderr } = await service.run(command);
	const logged = stderr.split('\n').filter((line) => line && !line.endsWith('"msg":"event"}'));
	expect([code, logged]).toEqual([0, []]);
	return stdout;
}
