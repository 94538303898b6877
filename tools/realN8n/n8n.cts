import { mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join, resolve } from 'node:path';
import {
	inheritedEnvironment,
	lastLines,
	getFreePort,
	startProcess,
	type RunningProcess,
} from '../processes.cts';
import { silentProgress, type Progress } from '../tool.cts';
import { unpackPackage, createRunFolder } from '../project.cts';
import {
	parseExecution,
	type Execution,
	type CredentialJson,
	type WorkflowJson,
} from './workflow.cts';
import {
	installN8n,
	type InstalledN8n,
	getN8nVersion,
	type N8nVersionName,
} from './installN8n.cts';
import { startServer, startWorker, type N8nServer } from './server.cts';

export interface N8nOptions {
	/** N8N_VERSION_UNDER_TEST by default, or '2'. */
	version?: N8nVersionName;
	/** The packed package, which is installed as a community node. */
	tarball?: string;
	/** An existing user folder; it stays when this process ends. */
	folder?: string;
	/** Where n8n keeps binary data: n8n 2 has no `default` (in memory), n8n 1 no `database`. */
	binaryDataMode?: 'filesystem' | 'default' | 'database';
	/** PEM file of a certificate authority to trust in addition to the public ones. */
	caPath?: string;
	timezone?: string;
	/** Overrides for the environment variables of its processes. */
	env?: Record<string, string>;
	progress?: Progress;
}

/** An execution from the command line, in its own process. */
interface CommandLineExecution extends Execution {
	/** Peak resident memory in bytes and processor time of that process; undefined except on Linux. */
	peakMemory?: number;
	processorSeconds?: number;
}

/** A real n8n with its own user folder. */
export interface N8n {
	installed: InstalledN8n;
	/** The user folder, which contains `.n8n`. */
	folder: string;
	/** The folder that workflows can read and write. */
	files: string;
	importCredentials(credentials: CredentialJson[]): Promise<void>;
	importWorkflows(workflows: WorkflowJson[]): Promise<void>;
	/** Runs an imported workflow. Returns the execution of a workflow that fails, too. */
	execute(id: string): Promise<CommandLineExecution>;
	/** Imports a workflow and executes it. */
	run(workflow: WorkflowJson): Promise<CommandLineExecution>;
	/** Runs another n8n command and returns its output. @throws when it fails */
	command(args: string[]): Promise<string>;
	/** Starts the server and waits until it is ready. */
	start(): Promise<N8nServer>;
	/** Starts a worker for queue mode and waits until it is ready. */
	startWorker(): Promise<void>;
	/** Returns what all its processes have printed. */
	log(): Promise<string>;
	/** Stops all its processes. */
	stop(): Promise<void>;
}

const PEER = 'n8n-workflow';

/**
 * Prepares a real n8n: installs it once, creates its user folder, and unpacks the package where n8n
 * keeps community nodes.
 */
export async function prepareN8n(options: N8nOptions = {}): Promise<N8n> {
	const progress = options.progress ?? silentProgress;
	const version = getN8nVersion(options.version);
	const installed = await installN8n(version, progress);
	const folder = options.folder ?? (await createRunFolder(`n8n-${version.name}`));
	const files = join(folder, 'files');
	const logs = join(folder, 'logs');
	for (const path of [files, logs, join(folder, 'tmp')]) await mkdir(path, { recursive: true });
	if (options.tarball !== undefined) await addPackage(installed, folder, options.tarball);
	const environment = createEnvironment(installed, folder, options);

	const running = new Set<RunningProcess>();
	let count = 0;
	const launch = async (args: string[], env?: Record<string, string>) => {
		count += 1;
		const name = `${String(count).padStart(3, '0')}-${args[0].replace(':', '-')}`;
		const started = startProcess({
			command: installed.node,
			args: [installed.program, ...args],
			cwd: folder,
			env: { ...environment, N8N_RUNNERS_BROKER_PORT: String(await getFreePort()), ...env },
			stdout: join(logs, `${name}.out.log`),
			stderr: join(logs, `${name}.err.log`),
		});
		running.add(started);
		started.ended.finally(() => running.delete(started)).catch(() => undefined);
		return started;
	};
	const runToEnd = async (args: string[]) => {
		const started = await launch(args);
		const { code, signal, ...usage } = await started.ended;
		const createError = async () => {
			const end = signal ?? `exit code ${code}`;
			return new Error(`n8n ${args.join(' ')} failed (${end}):\n${await lastLines(started)}`);
		};
		return { code, usage, createError, output: await readFile(started.logs[0], 'utf8') };
	};
	const command = async (args: string[]) => {
		const { code, output, createError } = await runToEnd(args);
		if (code !== 0) throw await createError();
		return output;
	};
	const importFile = async (name: string, entries: unknown[]) => {
		const path = join(folder, 'tmp', `${name.replace(':', '-')}-${count}.json`);
		await writeFile(path, JSON.stringify(entries));
		const output = await command([name, `--input=${path}`]);
		if (!output.includes(`Successfully imported ${entries.length} `)) {
			throw new Error(`n8n did not import everything:\n${output}`);
		}
	};

	const n8n: N8n = {
		installed,
		folder,
		files,
		stop: async () => void (await Promise.all([...running].map(async (one) => await one.stop()))),
		command,
		importCredentials: async (credentials) => await importFile('import:credentials', credentials),
		async importWorkflows(workflows) {
			const inactive = workflows.map((workflow) => ({ active: false, ...workflow }));
			await importFile('import:workflow', inactive);
		},
		async execute(id) {
			const args = ['execute', `--id=${id}`, '--rawOutput'];
			const { output, usage, createError } = await runToEnd(args);
			try {
				return { ...parseExecution(output), ...usage };
			} catch {
				throw await createError();
			}
		},
		async run(workflow) {
			await n8n.importWorkflows([workflow]);
			return await n8n.execute(workflow.id);
		},
		start: async () => await startServer(async (env) => await launch(['start'], env)),
		startWorker: async () => await startWorker(async (env) => await launch(['worker'], env)),
		async log() {
			const names = (await readdir(logs)).sort();
			const texts = names.map(async (name) => await readFile(join(logs, name), 'utf8'));
			return (await Promise.all(texts)).join('\n');
		},
	};
	return n8n;
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
function createEnvironment(
	installed: InstalledN8n,
	userFolder: string,
	options: N8nOptions,
): Record<string, string> {
	const temporary = join(userFolder, 'tmp');
	return {
		...inheritedEnvironment(),
		PATH: [dirname(installed.node), process.env.PATH].join(delimiter),
		HOME: userFolder,
		TMPDIR: temporary,
		TEMP: temporary,
		LANG: 'C.UTF-8',
		NODE_ENV: 'production',
		N8N_USER_FOLDER: userFolder,
		N8N_ENCRYPTION_KEY: 'a key for folders that exist for one run',
		N8N_ENFORCE_SETTINGS_FILE_PERMISSIONS: 'true',
		N8N_LOG_LEVEL: 'info',
		N8N_LOG_OUTPUT: 'console',
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
		GENERIC_TIMEZONE: options.timezone ?? 'UTC',
		...(options.caPath === undefined ? {} : { NODE_EXTRA_CA_CERTS: options.caPath }),
		...installed.version.env,
		...options.env,
	};
}
