import { mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join, resolve } from 'node:path';
import {
	getFreePort,
	inheritedEnvironment,
	startProcess,
	type RunningProcess,
} from '../processes.cts';
import { createRunFolder, unpackPackage } from '../project.cts';
import { getN8nVersion, installN8n, type InstalledN8n } from './installN8n.cts';
import { startServer } from './server.cts';

export type N8n = Awaited<ReturnType<typeof prepareN8n>>;

interface N8nOptions {
	/** The packed package, which is installed as a community node. */
	tarball: string;
	/** An existing user folder; it stays when this process ends. */
	folder?: string;
	/** PEM file of a certificate authority to trust in addition to the public ones. */
	caPath?: string;
	/** Overrides for the environment variables of its processes. */
	env?: Record<string, string>;
}

const PEER = 'n8n-workflow';

/**
 * Prepares a real n8n: installs it once, creates its user folder, and unpacks the package where n8n
 * keeps community nodes.
 */
export async function prepareN8n(options: N8nOptions) {
	const version = getN8nVersion();
	const installed = await installN8n(version);
	const folder = options.folder ?? (await createRunFolder(`n8n-${version.name}`));
	const files = join(folder, 'files');
	const logs = join(folder, 'logs');
	for (const path of [files, logs, join(folder, 'tmp')]) await mkdir(path, { recursive: true });
	await addPackage(installed, folder, options.tarball);
	const environment = createEnvironment(installed, folder, options);
	const running: RunningProcess[] = [];
	const launch = async (args: string[], env?: Record<string, string>) => {
		const name = `${String(running.length).padStart(3, '0')}-${args[0].replace(':', '-')}`;
		const brokerPort = { N8N_RUNNERS_BROKER_PORT: String(await getFreePort()) };
		const started = startProcess({
			command: installed.node,
			args: [installed.program, ...args],
			cwd: folder,
			env: { ...environment, ...brokerPort, ...env },
			stdout: join(logs, `${name}.out.log`),
			stderr: join(logs, `${name}.err.log`),
		});
		running.push(started);
		return started;
	};
	return {
		installed,
		/** The user folder, which contains `.n8n`. */
		folder,
		/** The folder that workflows can read and write. */
		files,
		/** Starts a command of n8n. */
		launch,
		/** Starts the server and waits until it is ready. */
		start: async () => await startServer(async (env) => await launch(['start'], env)),
		/** Returns what all its processes have printed. */
		async log() {
			const names = (await readdir(logs)).sort();
			const texts = names.map(async (name) => await readFile(join(logs, name), 'utf8'));
			return (await Promise.all(texts)).join('\n');
		},
		/** Stops all its processes. */
		stop: async () => void (await Promise.all(running.map(async (one) => await one.stop()))),
	};
}

async function addPackage(installed: InstalledN8n, folder: string, tarball: string): Promise<void> {
	const nodes = join(folder, '.n8n', 'nodes');
	const unpacked = join(nodes, 'node_modules', 'n8n-nodes-encrypted-containers');
	await rm(unpacked, { recursive: true, force: true });
	await unpackPackage(tarball, unpacked);
	const { name, version } = JSON.parse(await readFile(join(unpacked, 'package.json'), 'utf8'));
	const list = { name: 'installed-nodes', private: true, dependencies: { [name]: version } };
	await writeFile(join(nodes, 'package.json'), JSON.stringify(list));
	// In other installations n8n adds its modules to the search path; here Node.js would first find this project's
	// n8n-workflow, which has another version.
	const link = join(nodes, 'node_modules', PEER);
	await rm(link, { force: true });
	await symlink(resolve(dirname(installed.program), '..', '..', PEER), link);
}

/** Returns all environment variables of an n8n process. */
function createEnvironment(installed: InstalledN8n, folder: string, { caPath, env }: N8nOptions) {
	return {
		...inheritedEnvironment(),
		PATH: [dirname(installed.node), process.env.PATH].join(delimiter),
		HOME: folder,
		TMPDIR: join(folder, 'tmp'),
		LANG: 'C.UTF-8',
		NODE_ENV: 'production',
		N8N_USER_FOLDER: folder,
		N8N_ENCRYPTION_KEY: 'a key for folders that exist for one run',
		N8N_ENFORCE_SETTINGS_FILE_PERMISSIONS: 'true',
		NO_COLOR: '1',
		N8N_DIAGNOSTICS_ENABLED: 'false',
		N8N_VERSION_NOTIFICATIONS_ENABLED: 'false',
		N8N_TEMPLATES_ENABLED: 'false',
		N8N_PERSONALIZATION_ENABLED: 'false',
		N8N_VERIFIED_PACKAGES_ENABLED: 'false',
		N8N_SECURE_COOKIE: 'false',
		N8N_RUNNERS_ENABLED: 'true',
		N8N_GRACEFUL_SHUTDOWN_TIMEOUT: '5',
		N8N_RESTRICT_FILE_ACCESS_TO: join(folder, 'files'),
		N8N_DEFAULT_BINARY_DATA_MODE: 'filesystem',
		N8N_BLOCK_ENV_ACCESS_IN_NODE: 'true',
		GENERIC_TIMEZONE: 'UTC',
		...installed.version.env,
		...(caPath !== undefined && { NODE_EXTRA_CA_CERTS: caPath }),
		...env,
	};
}
