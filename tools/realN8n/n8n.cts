import { mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { onInterrupt } from '../interrupt.cts';
import { silentProgress, type Progress } from '../progress.cts';
import { lastLines } from './command.cts';
import { n8nEnvironment, type EnvironmentOptions } from './environment.cts';
import { executionFromOutput, type Execution } from './execution.cts';
import { freePorts } from './freePort.cts';
import { installN8n, type InstalledN8n } from './install.cts';
import type { PeakMemory } from './memory.cts';
import { unpackPackage } from './package.cts';
import { startProcess, type ProcessEnd, type RunningProcess } from './processGroup.cts';
import { createRunFolder } from './runFolder.cts';
import { startServer, startWorker, type Launch, type N8nServer } from './server.cts';
import { n8nVersion, type N8nVersionName } from './versions.cts';
import type { CredentialJson, WorkflowJson } from './workflow.cts';

export interface N8nOptions extends Partial<
	Pick<EnvironmentOptions, 'binaryDataMode' | 'caPath' | 'timezone' | 'env'>
> {
	/** '2' or '1'; without it N8N_VERSION_UNDER_TEST decides, and then it is '2'. */
	version?: N8nVersionName;
	/** The packed package that is installed as a community node; none where it is left out. */
	tarball?: string;
	/** Folders that workflows may read beside `n8n.files`. */
	fileFolders?: string[];
	/** Takes the place of a new user folder; it may hold what another n8n left, and stays when this process ends. */
	folder?: string;
	progress?: Progress;
}

export interface ExecuteOptions {
	measureMemory?: boolean;
	/** More settings for this one process. */
	env?: Record<string, string>;
}

/** An execution from the command line. */
export interface CommandLineExecution extends Execution {
	/** Of the whole process, its start included. */
	seconds: number;
	peakMemory?: PeakMemory;
	/** What n8n printed. */
	output: string;
}

/** A real n8n with a user folder of its own. */
export interface N8n {
	installed: InstalledN8n;
	/** The user folder: n8n's own folder is `.n8n` in it. */
	folder: string;
	/** A folder that workflows may read and write. */
	files: string;
	importCredentials(credentials: CredentialJson[]): Promise<void>;
	importWorkflows(workflows: WorkflowJson[]): Promise<void>;
	/** Runs a workflow that was imported, in a process of its own. A failed workflow is an answer, not an exception. */
	execute(id: string, options?: ExecuteOptions): Promise<CommandLineExecution>;
	/** Imports a workflow and executes it. */
	run(workflow: WorkflowJson, options?: ExecuteOptions): Promise<CommandLineExecution>;
	/** Any other command of n8n's. @throws when it fails */
	command(args: string[]): Promise<string>;
	/** Starts the server and makes its owner; ends when it is ready. */
	start(options?: ExecuteOptions): Promise<N8nServer>;
	/** Starts a worker of queue mode; ends when it waits for executions. What it prints is in `log()`. */
	startWorker(options?: ExecuteOptions): Promise<void>;
	/** Everything that all its processes have printed until now. */
	log(): Promise<string>;
	/** Ends every process that is left. */
	stop(): Promise<void>;
}

const PEER = 'n8n-workflow';

/**
 * Prepares a real n8n: installs it once, makes its user folder, and unpacks the package where n8n
 * keeps community nodes, so that the node's type is that of a community node.
 */
export async function prepareN8n(options: N8nOptions = {}): Promise<N8n> {
	const progress = options.progress ?? silentProgress;
	const version = n8nVersion(options.version);
	const installed = await installN8n(version, progress);
	const folder = options.folder ?? (await createRunFolder(`n8n-${version.name}`));
	const files = join(folder, 'files');
	const logs = join(folder, 'logs');
	for (const path of [files, logs, join(folder, 'tmp')]) await mkdir(path, { recursive: true });
	if (options.tarball !== undefined) await addPackage(installed, folder, options.tarball, logs);
	const environment = n8nEnvironment(installed, {
		...options,
		userFolder: folder,
		fileFolders: [files, ...(options.fileFolders ?? [])],
	});

	const running = new Set<RunningProcess>();
	let count = 0;
	const launch = async (args: string[], { measureMemory, env }: ExecuteOptions = {}) => {
		count += 1;
		const [brokerPort] = await freePorts(1);
		const name = `${String(count).padStart(3, '0')}-${args[0].replace(':', '-')}`;
		const stdout = join(logs, `${name}.out.log`);
		const stderr = join(logs, `${name}.err.log`);
		const started = startProcess({
			command: installed.node,
			args: [installed.program, ...args],
			cwd: folder,
			env: { ...environment, N8N_RUNNERS_BROKER_PORT: String(brokerPort), ...env },
			stdout,
			stderr,
			measureMemory,
		});
		running.add(started);
		const forget = () => {
			running.delete(started);
		};
		started.ended.then(forget, forget);
		return { started, stdout, stderr };
	};
	const serverLaunch =
		(args: string[], executeOptions: ExecuteOptions = {}): Launch =>
		async (env) => {
			const { started, stdout, stderr } = await launch(args, {
				...executeOptions,
				env: { ...env, ...executeOptions.env },
			});
			return { process: started, logs: [stdout, stderr] };
		};
	const finish = async (args: string[], executeOptions?: ExecuteOptions) => {
		const { started, stdout, stderr } = await launch(args, executeOptions);
		const end = await started.ended;
		return { end, started, output: await readFile(stdout, 'utf8'), stderr };
	};
	const succeed = async (args: string[]) => {
		const { end, output, stderr } = await finish(args);
		const errors = await lastLines(stderr);
		if (end.code !== 0) throw new Error(failure(args, end, `${output}\n${errors}`));
		return `${output}\n${errors}`;
	};
	const importFile = async (command: string, entries: unknown[]) => {
		const path = join(folder, 'tmp', `${command.replace(':', '-')}-${count}.json`);
		await writeFile(path, JSON.stringify(entries));
		const output = await succeed([command, `--input=${path}`]);
		if (!output.includes(`Successfully imported ${entries.length} `)) {
			throw new Error(`n8n did not take what it was to import:\n${output}`);
		}
	};
	const stop = async () => {
		await Promise.all([...running].map(async (one) => await one.stop()));
		forgetInterrupt();
	};
	const forgetInterrupt = onInterrupt(stop);

	const n8n: N8n = {
		installed,
		folder,
		files,
		stop,
		importCredentials: async (credentials) => await importFile('import:credentials', credentials),
		importWorkflows: async (workflows) =>
			await importFile(
				'import:workflow',
				workflows.map((workflow) => ({ active: false, ...workflow })),
			),
		async execute(id, executeOptions) {
			const args = ['execute', `--id=${id}`, '--rawOutput'];
			const { end, started, output, stderr } = await finish(args, executeOptions);
			let execution: Execution;
			try {
				execution = executionFromOutput(output);
			} catch {
				throw new Error(failure(args, end, `${output.slice(-4000)}\n${await lastLines(stderr)}`));
			}
			return { ...execution, output, seconds: end.seconds, peakMemory: started.peakMemory() };
		},
		async run(workflow, executeOptions) {
			await n8n.importWorkflows([workflow]);
			return await n8n.execute(workflow.id, executeOptions);
		},
		command: succeed,
		start: async (executeOptions) => await startServer(serverLaunch(['start'], executeOptions)),
		startWorker: async (executeOptions) =>
			await startWorker(serverLaunch(['worker'], executeOptions)),
		async log() {
			const names = (await readdir(logs)).sort();
			const texts = names.map(async (name) => await readFile(join(logs, name), 'utf8'));
			return (await Promise.all(texts)).join('\n');
		},
	};
	return n8n;
}

async function addPackage(
	installed: InstalledN8n,
	folder: string,
	tarball: string,
	logs: string,
): Promise<void> {
	const nodes = join(folder, '.n8n', 'nodes');
	const unpacked = join(nodes, 'node_modules', 'n8n-nodes-encrypted-containers');
	await rm(unpacked, { recursive: true, force: true });
	await unpackPackage(tarball, unpacked, join(logs, '000-unpack.log'));
	const { name, version } = JSON.parse(await readFile(join(unpacked, 'package.json'), 'utf8'));
	const list = { name: 'installed-nodes', private: true, dependencies: { [name]: version } };
	await writeFile(join(nodes, 'package.json'), JSON.stringify(list, null, 2));
	await linkPeer(installed, join(nodes, 'node_modules'));
}

/**
 * Gives the package n8n's own n8n-workflow, which it gets anywhere else too: n8n adds its modules to
 * the search path. Here Node.js would come upon the project's copy first, of another version.
 */
async function linkPeer({ program }: InstalledN8n, modules: string): Promise<void> {
	const link = join(modules, PEER);
	await rm(link, { force: true });
	await symlink(resolve(dirname(program), '..', '..', PEER), link);
}

function failure(args: string[], end: ProcessEnd, output: string): string {
	return `n8n ${args.join(' ')} failed (${end.signal ?? `exit code ${end.code}`}):\n${output}`;
}
