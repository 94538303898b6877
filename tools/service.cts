import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import {
	getFreePort,
	inheritedEnvironment,
	runCommand,
	startProcess,
	waitUntilReady,
} from './processes.cts';
import { projectRoot } from './project.cts';
import { step } from './tool.cts';

const sources = join(projectRoot, 'service');
const mainFile = join(sources, 'dist/main.mjs');
const command = process.execPath;

/** Compiles the service if that is needed. @param folder for the log */
export async function buildService(folder: string): Promise<void> {
	const stdout = join(folder, 'service-build.log');
	const options = { command, cwd: folder, env: inheritedEnvironment(), stdout };
	await step('Building the service', async () => {
		await runCommand({ ...options, args: [join(sources, 'build.mjs')] });
	});
}

/**
 * Starts the built service with data of its own until this process ends. Its log, and what it prints, are files
 * beside the data.
 * @param folder where `data` is created @param settings those of service/README.md
 */
export async function startService(folder: string, settings: Record<string, string> = {}) {
	if (!existsSync(mainFile)) {
		throw new Error('The service was not built: run "npm run build" first');
	}
	const data = join(folder, 'data');
	const port = settings.PORT ?? String(await getFreePort());
	let starts = 0;
	const start = async () => {
		starts += 1;
		const stdout = join(folder, `service-${starts}.txt`);
		const running = startProcess({
			...{ command, cwd: folder, stdout, stderr: join(folder, 'service.log') },
			args: [mainFile],
			env: { ...inheritedEnvironment(), ...settings, DATA_DIR: data, PORT: port },
		});
		let printed = new Map<string, string>();
		await waitUntilReady(running, async () => {
			const lines = (await readFile(stdout, 'utf8')).matchAll(/^ {2}(\S+(?: \S+)*) {2,}(\S.*)\n/gm);
			printed = new Map([...lines].map(([, label, value]) => [label, value]));
			return printed.has('Mails');
		});
		return { ...running, get: (label: string) => printed.get(label) ?? '' };
	};
	let running = await start();
	const { get, ended } = running;
	return {
		baseUrl: get('Base URL'),
		/** Without the advice to keep it. */
		apiKey: settings.API_KEY ?? get('API key').split(' ')[0],
		caPath: get('CA file'),
		userId: get('User ID'),
		/** The folder of the mails. */
		mails: get('Mails'),
		data,
		/** As if the container was created at another time. */
		setCreatedDate: (id: string, date: Date) => {
			const LibSql = createRequire(join(sources, 'package.json'))('libsql');
			const database = new LibSql(join(data, 'service.db'));
			database.exec('pragma busy_timeout=10000');
			const statement = 'update containers set created_date = ? where id = ?';
			database.prepare(statement).run(date.toISOString(), id);
			database.close();
		},
		/** Of the first start. */
		ended,
		stop: async () => await running.stop(),
		/** Stops it, waits for `meanwhile`, and starts it again on its port. */
		restart: async (meanwhile: () => Promise<void> = async () => undefined) => {
			await running.stop();
			await meanwhile();
			running = await start();
		},
	};
}
