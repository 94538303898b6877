import { mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { lastLines } from '../command.cts';
import { getFreePort } from '../freePort.cts';
import { onInterrupt } from '../interrupt.cts';
import { unpackPackage } from '../packPackage.cts';
import { startProcess, type RunningProcess } from '../process.cts';
import { silentProgress, type Progress } from '../progress.cts';
import { createRunFolder } from '../runFolder.cts';
import { createN8nEnvironment, type EnvironmentOptions } from './environment.cts';
import { parseExecution, type Execution } from './execution.cts';
import { installN8n, type InstalledN8n } from './installN8n.cts';
import { startServer, startWorker, type N8nServer } from './server.cts';
import { getN8nVersion, type N8nVersionName } from './versions.cts';
import type { CredentialJson, WorkflowJson } from './workflow.cts';

export interface N8nOptions extends Partial<
	Pick<EnvironmentOptions, 'binaryDataMode' | 'caPath' | 'timezone' | 'env'>
> {
	/** N8N_VERSION_UNDER_TEST by default, or '2'. */
	version?: N8nVersionName;
	/** The packed package, which is installed as a community node. */
	tarball?: string;
	/** An existing user folder; it stays when this process ends. */
	folder?: string;
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
	const environment = createN8nEnvironment(installed, { ...options, userFolder: folder, files });

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
		const remove = () => running.delete(started);
		started.ended.then(remove, remove);
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
	const stop = async () => {
		await Promise.all([...running].map(async (one) => await one.stop()));
		unregister();
	};
	const unregister = onInterrupt(stop);

	const n8n: N8n = {
		installed,
		folder,
		files,
		stop,
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
	await linkPeer(installed, join(nodes, 'node_modules'));
}

/**
 * Links the package to n8n's own n8n-workflow. In other installations n8n adds its modules to the
 * search path; here Node.js would first find this project's copy, which has another version.
 */
async function linkPeer({ program }: InstalledN8n, modules: string): Promise<void> {
	const link = join(modules, PEER);
	await rm(link, { force: true });
	await symlink(resolve(dirname(program), '..', '..', PEER), link, 'junction');
}
