import { mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join, resolve } from 'node:path';
import * as processes from '../processes.cts';
import { unpackPackage, createRunFolder } from '../project.cts';
import { parseExecution, type CredentialJson, type WorkflowJson } from './workflow.cts';
import { installN8n, type InstalledN8n, getN8nVersion } from './installN8n.cts';
import { startServer, startWorker } from './server.cts';

interface N8nOptions {
	/** The packed package, which is installed as a community node. */
	tarball?: string;
	/** An existing user folder; it stays when this process ends. */
	folder?: string;
	/** Where n8n keeps binary data: n8n 2 has no `default` (in memory), n8n 1 no `database`. */
	binaryDataMode?: 'filesystem' | 'default' | 'database';
	/** PEM file of a certificate authority to trust in addition to the public ones. */
	caPath?: string;
	/** Overrides for the environment variables of its processes. */
	env?: Record<string, string>;
}

const PEER = 'n8n-workflow';
const MEASURE_MS = 100;

/**
 * Prepares a real n8n: installs it once, creates its user folder, and unpacks the package where n8n
 * keeps community nodes.
 */
export async function prepareN8n(options: N8nOptions = {}) {
	const version = getN8nVersion();
	const installed = await installN8n(version);
	const folder = options.folder ?? (await createRunFolder(`n8n-${version.name}`));
	const files = join(folder, 'files');
	const logs = join(folder, 'logs');
	for (const path of [files, logs, join(folder, 'tmp')]) await mkdir(path, { recursive: true });
	if (options.tarball !== undefined) await addPackage(installed, folder, options.tarball);
	const environment = createEnvironment(installed, folder, options);

	const running = new Set<processes.RunningProcess>();
	let count = 0;
	const launch = async (args: string[], env?: Record<string, string>) => {
		count += 1;
		const name = `${String(count).padStart(3, '0')}-${args[0].replace(':', '-')}`;
		const brokerPort = { N8N_RUNNERS_BROKER_PORT: String(await processes.getFreePort()) };
		const started = processes.startProcess({
			command: installed.node,
			args: [installed.program, ...args],
			cwd: folder,
			env: { ...environment, ...brokerPort, ...env },
			stdout: join(logs, `${name}.out.log`),
			stderr: join(logs, `${name}.err.log`),
		});
		running.add(started);
		started.ended.finally(() => running.delete(started)).catch(() => undefined);
		return started;
	};
	/** Runs a command to its end. @throws with the end of its log when `read` can't use the output */
	const runToEnd = async <T,>(
		args: string[],
		read: (output: string, code: number | null) => T,
		onStart: (pid: number) => void = () => undefined,
	) => {
		const started = await launch(args);
		onStart(started.pid);
		const { code } = await started.ended;
		try {
			return read(await readFile(started.logs[0], 'utf8'), code);
		} catch (error) {
			const [title, log] = [`n8n ${args.join(' ')}`, await processes.lastLines(started)];
			throw new Error(`${title} failed: ${(error as Error).message}\n${log}`);
		}
	};
	const command = async (args: string[], expected = '') =>
		await runToEnd(args, (output, code) => {
			if (code !== 0 || !output.includes(expected)) throw new Error(`exit code ${code}`);
			return output;
		});
	const importFile = async (name: string, entries: unknown[]) => {
		const path = join(folder, 'tmp', `${name.replace(':', '-')}-${count}.json`);
		await writeFile(path, JSON.stringify(entries));
		await command([name, `--input=${path}`], `Successfully imported ${entries.length} `);
	};

	return {
		installed,
		/** The user folder, which contains `.n8n`. */
		folder,
		/** The folder that workflows can read and write. */
		files,
		/** Runs another n8n command and returns its output. @throws when it fails */
		command,
		importWorkflows: async (workflows: WorkflowJson[]) =>
			await importFile(
				'import:workflow',
				workflows.map((workflow) => ({ active: false, ...workflow })),
			),
		importCredentials: async (credentials: CredentialJson[]) =>
			await importFile('import:credentials', credentials),
		/**
		 * Runs an imported workflow in a process of its own, and also returns what that process needed: bytes and seconds,
		 * NaN except on Linux. A workflow that fails is an execution, too.
		 */
		async execute(id: string) {
			const args = ['execute', `--id=${id}`, '--rawOutput'];
			let used = processes.readProcess(0);
			let timer: NodeJS.Timeout | undefined;
			const watch = (pid: number) => {
				timer = setInterval(() => {
					const now = processes.readProcess(pid);
					if (now.peak > 0) used = now;
				}, MEASURE_MS);
			};
			const execution = await runToEnd(args, parseExecution, watch).finally(() =>
				clearInterval(timer),
			);
			return { ...execution, peakMemory: used.peak, processorSeconds: used.processorSeconds };
		},
		/** Starts the server and waits until it is ready. */
		start: async () => await startServer(async (env) => await launch(['start'], env)),
		/** Starts a worker for queue mode and waits until it is ready. */
		startWorker: async () => await startWorker(async (env) => await launch(['worker'], env)),
		/** Returns what all its processes have printed. */
		async log() {
			const names = (await readdir(logs)).sort();
			const texts = names.map(async (name) => await readFile(join(logs, name), 'utf8'));
			return (await Promise.all(texts)).join('\n');
		},
		/** Stops all its processes. */
		stop: async () => void (await Promise.all([...running].map(async (one) => await one.stop()))),
	};
}

async function addPackage(installed: InstalledN8n, folder: string, tarball: string): Promise<void> {
	const nodes = join(folder, '.n8n', 'nodes');
	const unpacked = join(nodes, 'node_modules', 'n8n-nodes-encrypted-containers');
	await rm(unpacked, { recursive: true, force: true });
	await unpackPackage(tarball, unpacked);
	const { name, version } = JSON.parse(await readFile(join(unpacked, 'package.json'), 'utf8'));
	const list = { name: 'installed-nodes', private: true, dependencies: { [name]: version } };
	await writeFile(join(nodes, 'package.json'), JSON.stringify(list, null, 2));
	// In other installations n8n adds its modules to the search path; here Node.js would first find this project's
	// n8n-workflow, which has another version.
	const link = join(nodes, 'node_modules', PEER);
	await rm(link, { force: true });
	await symlink(resolve(dirname(installed.program), '..', '..', PEER), link, 'junction');
}

/** Returns all environment variables of an n8n process. */
function createEnvironment(installed: InstalledN8n, userFolder: string, options: N8nOptions) {
	const temporary = join(userFolder, 'tmp');
	const { caPath } = options;
	return {
		...processes.inheritedEnvironment(),
		PATH: [dirname(installed.node), process.env.PATH].join(delimiter),
		HOME: userFolder,
		TMPDIR: temporary,
		TEMP: temporary,
		LANG: 'C.UTF-8',
		NODE_ENV: 'production',
		N8N_USER_FOLDER: userFolder,
		N8N_ENCRYPTION_KEY: 'a key for folders that exist for one run',
		N8N_ENFORCE_SETTINGS_FILE_PERMISSIONS: 'true',
		NO_COLOR: '1',
		N8N_DIAGNOSTICS_ENABLED: 'false',
		N8N_VERSION_NOTIFICATIONS_ENABLED: 'false',
		N8N_TEMPLATES_ENABLED: 'false',
		N8N_HIRING_BANNER_ENABLED: 'false',
		N8N_PERSONALIZATION_ENABLED: 'false',
		N8N_VERIFIED_PACKAGES_ENABLED: 'false',
		N8N_SECURE_COOKIE: 'false',
		N8N_RUNNERS_ENABLED: 'true',
		N8N_GRACEFUL_SHUTDOWN_TIMEOUT: '5',
		N8N_RESTRICT_FILE_ACCESS_TO: join(userFolder, 'files'),
		N8N_DEFAULT_BINARY_DATA_MODE: options.binaryDataMode ?? 'filesystem',
		N8N_BLOCK_ENV_ACCESS_IN_NODE: 'true',
		GENERIC_TIMEZONE: 'UTC',
		...installed.version.env,
		...(caPath !== undefined && { NODE_EXTRA_CA_CERTS: caPath }),
		...options.env,
	};
}
