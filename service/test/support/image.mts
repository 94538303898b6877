import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { findProgram } from '../../../test/support/programs.cts';
import { installOnce } from '../../../tools/install.cts';
import { getFreePort, inheritedEnvironment, runCommand } from '../../../tools/processes.cts';
import { startProcess, waitUntilReady } from '../../../tools/processes.cts';
import { cacheFolder, projectRoot } from '../../../tools/project.cts';
import { createFolder } from './service.mts';

/** The image that is built, and everything that buildah keeps: the base is built once. */
const store = join(cacheFolder, 'image');
const BASE = 'localhost/node-24';
const NODE = `node-linux-${process.arch}`;
const PACKAGES = { [NODE]: '24.21.0', npm: '11.19.1' };
const SUITE = 'bookworm';
/** What the base has beyond what a container needs, as in the official images. */
const SPARE = 'var/cache/apt var/lib/apt/lists usr/share/doc usr/share/man usr/share/locale';
const MIRROR_PAUSE_MS = 20_000;
const AUTHORITIES = 'etc/ssl/certs/ca-certificates.crt';

interface ImageConfig {
	User: string;
	Env: string[];
	Entrypoint: string[];
	Labels: Record<string, string>;
	Volumes: Record<string, object>;
	Healthcheck: { Test: string[] };
}

/** Runs buildah, which needs no daemon. @returns its output */
async function buildah(...args: string[]): Promise<string> {
	const options = { maxBuffer: 100_000_000, env: inheritedEnvironment() };
	const { stdout } = await promisify(execFile)(findBuildah(), withStore(args), options);
	return stdout.trim();
}

const findBuildah = () => findProgram(['buildah'], ['buildah']);

const withStore = (args: string[]) => [
	...['--storage-driver', 'vfs', '--root', join(store, 'root'), '--runroot', join(store, 'run')],
	...args,
];

/**
 * NODE_IMAGE, which is pulled. Without it, one that is made of Debian's packages, and of Node.js from npm: then nothing but
 * these two has to be reached.
 */
async function ensureBase(): Promise<string> {
	const { NODE_IMAGE } = process.env;
	if (NODE_IMAGE) return NODE_IMAGE;
	const finish = async (log: string) => await buildBase(log);
	const manifests = { packages: { dependencies: PACKAGES } };
	await installOnce({ title: 'the base of the image', folder: store, manifests, finish });
	return BASE;
}

async function downloadDebian(root: string, stdout: string): Promise<void> {
	rmSync(root, { recursive: true, force: true });
	await runCommand({
		command: findProgram(['debootstrap'], ['debootstrap', 'debian-archive-keyring']),
		args: ['--variant=minbase', SUITE, root],
		cwd: store,
		env: { ...inheritedEnvironment(), PATH: `${process.env.PATH}:/usr/sbin:/sbin` },
		stdout,
	});
}

async function buildBase(stdout: string): Promise<void> {
	const root = join(store, 'debian');
	const download = async () => await downloadDebian(root, stdout);
	// A mirror can fail for a moment, and debootstrap asks again at once.
	await download().catch(async () => await sleep(MIRROR_PAUSE_MS).then(download));
	for (const folder of SPARE.split(' ')) rmSync(join(root, folder), { recursive: true });
	const packages = join(store, 'packages/node_modules');
	const local = join(root, 'usr/local');
	cpSync(join(packages, NODE, 'bin/node'), join(local, 'bin/node'));
	cpSync(join(packages, 'npm'), join(local, 'lib/node_modules/npm'), { recursive: true });
	symlinkSync('../lib/node_modules/npm/bin/npm-cli.js', join(local, 'bin/npm'));
	// It trusts what this machine trusts.
	mkdirSync(join(root, 'etc/ssl/certs'), { recursive: true });
	cpSync(join('/', AUTHORITIES), join(root, AUTHORITIES));
	writeFileSync(join(local, 'etc/npmrc'), `cafile=/${AUTHORITIES}\n`);
	const container = await buildah('from', 'scratch');
	await buildah('add', container, root, '/');
	await buildah('commit', '--rm', container, BASE);
	rmSync(root, { recursive: true });
}

/** Builds an image as `docker build` does. @returns its name, and a container of it */
async function build(dockerfile: string, buildArgs: Record<string, string> = {}) {
	const image = `localhost/test-${randomBytes(6).toString('hex')}`;
	const stdout = join(createFolder(), 'build.log');
	const options = ['--isolation', 'chroot', '--format', 'docker', '--layers=false'];
	const values = Object.entries({ NODE_IMAGE: await ensureBase(), ...buildArgs });
	const args = values.flatMap(([name, value]) => ['--build-arg', `${name}=${value}`]);
	const file = join(projectRoot, dockerfile);
	await runCommand({
		command: findBuildah(),
		args: withStore(['bud', ...options, ...args, '--file', file, '--tag', image, projectRoot]),
		cwd: projectRoot,
		env: inheritedEnvironment(),
		stdout,
	});
	const container = await buildah('from', image);
	const remove = async () => {
		await buildah('rm', container);
		await buildah('rmi', image);
	};
	return { image, container, remove };
}

/** What compose.yaml prepares n8n with. */
export async function buildPreparation() {
	const { container, remove } = await build('compose/Dockerfile');
	return { root: await buildah('mount', container), remove };
}

/** The image of the service. `remove` also removes its containers. */
export async function buildImage() {
	const { image, container, remove } = await build('service/Dockerfile', { VERSION: '1.2.3' });
	const { Docker } = JSON.parse(await buildah('inspect', '--type', 'image', image));
	const config = Docker.config as ImageConfig;
	for (const volume of Object.keys(config.Volumes)) {
		// Without isolation, buildah would put an empty one over the one that is given.
		await buildah('config', '--volume', `${volume}-`, container);
	}
	return {
		config,
		root: await buildah('mount', container),
		run: async (options: RunOptions) => await runImage(container, config, options),
		/** Runs a command as `docker exec` does. */
		execute: async ({ data, env = {} }: RunOptions, ...command: string[]) =>
			await buildah(...toRun(container, config, { data, env }), '--', ...command),
		/** Bytes of its layers, as they are pulled. */
		measure: async () => await measure(image),
		remove,
	};
}

interface RunOptions {
	/** The folder that is mounted as the volume. */
	data: string;
	env?: Record<string, string>;
}

function toRun(container: string, { User }: ImageConfig, { data, env = {} }: RunOptions): string[] {
	const given = Object.entries(env).flatMap(([name, value]) => ['--env', `${name}=${value}`]);
	const options = ['--isolation', 'chroot', '--user', User, '--volume', `${data}:/data`];
	return ['run', ...options, ...given, container];
}

/** Runs the image until `stop`, on a free port. */
async function runImage(container: string, config: ImageConfig, { data, env = {} }: RunOptions) {
	const PORT = String(await getFreePort());
	const run = toRun(container, config, { data, env: { ...env, PORT } });
	const args = withStore([...run, '--', ...config.Entrypoint]);
	return await follow({ command: findBuildah(), args }, PORT);
}

/** Runs what is in a folder as its root, which can't be written, as a user that it doesn't know, with `data` as the volume. */
export async function runReadOnly(root: string, config: ImageConfig, data: string) {
	const port = String(await getFreePort());
	const env = [...config.Env, `PORT=${port}`];
	const script = [
		'mount --bind "$0" "$0"',
		'mount -o remount,bind,ro "$0"',
		'mount --bind "$1" "$0/data"',
		'mount -t proc proc "$0/proc"',
		'root="$0"; shift',
		'exec chroot --userspec=4711:0 --groups= "$root" /usr/bin/env -i "$@"',
	].join(' && ');
	const args = ['--mount', 'sh', '-c', script, root, data, ...env, ...config.Entrypoint];
	return await follow({ command: 'unshare', args }, port);
}

/** Starts it, and waits until it is ready. */
async function follow(program: { command: string; args: string[] }, port: string) {
	const folder = createFolder();
	const logs = { stdout: join(folder, 'printed.txt'), stderr: join(folder, 'log.txt') };
	const env = inheritedEnvironment();
	const running = startProcess({ ...program, ...logs, cwd: folder, env });
	const readPrinted = () => readFileSync(logs.stdout, 'utf8');
	/** That of the service itself, which runs on this machine like any other process. */
	const readPid = () => Number(/"pid":(\d+),/.exec(readFileSync(logs.stderr, 'utf8'))?.[1]);
	// Both come through pipes of their own, in any order.
	const isPrinted = () => /^ {2}Mails .*\n/m.test(readPrinted());
	await waitUntilReady(running, async () => isPrinted() && readPid() > 0);
	const pid = readPid();
	return {
		port,
		origin: `https://localhost:${port}`,
		printed: readPrinted(),
		pid,
		/** Ends it as `docker stop` does. */
		stop: async () => {
			process.kill(pid, 'SIGTERM');
			return await running.ended;
		},
	};
}

async function measure(image: string): Promise<number> {
	const folder = createFolder();
	await buildah('push', '--quiet', image, `oci:${folder}:image`);
	const read = (digest: string) => {
		const path = join(folder, 'blobs', digest.replace(':', '/'));
		return JSON.parse(readFileSync(path, 'utf8'));
	};
	const index = JSON.parse(readFileSync(join(folder, 'index.json'), 'utf8'));
	const { layers } = read(index.manifests[0].digest) as { layers: Array<{ size: number }> };
	return layers.reduce((sum, { size }) => sum + size, 0);
}
