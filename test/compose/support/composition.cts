import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { findProgram } from '../../support/programs.cts';
import {
	inheritedEnvironment,
	lastLines,
	startProcess,
	waitUntilReady,
	type RunningProcess,
} from '../../../tools/processes.cts';
import { projectRoot } from '../../../tools/project.cts';

interface ComposedService {
	image: string;
	environment?: Record<string, string>;
	entrypoint?: string[];
	command?: string[];
	volumes?: string[];
	secrets?: string[];
	depends_on?: Record<string, { condition: string }>;
	healthcheck?: { test?: string[] };
}

/** What stands for an image here: what it runs, and the settings that it needs besides those of the file. */
interface Stand {
	command: string[];
	env?: Record<string, string>;
}

interface Options {
	/** The file in the project's folder. */
	file: string;
	/** Values of the variables in the file. */
	variables?: Record<string, string>;
	/** By the beginning of an image's name. One that is missing runs already. */
	stands: Record<string, Stand>;
	/** Texts of the file, and of the scripts that it runs, and what they are here: ports and folders. */
	replacements: Record<string, string>;
	/** Where volumes and what is printed are. */
	folder: string;
}

/** A folder outside of the project, whose packages no program in it must find. */
export function createComposeFolder(): string {
	const folder = mkdtempSync(join(tmpdir(), 'compose-'));
	process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
	return folder;
}

/** Runs what a compose file says as processes of this machine: same commands, settings, order and checks. */
export function readComposition({ file, variables = {}, stands, replacements, folder }: Options) {
	const text = readFileSync(join(projectRoot, file), 'utf8');
	// Compose fills in values after it has parsed the file: one that is empty is a text.
	const fillInValue = (_key: unknown, value: unknown) =>
		typeof value === 'string' ? fillIn(value, variables) : value;
	const { services } = parse(text, fillInValue, { merge: true }) as {
		services: Record<string, ComposedService>;
	};
	const running = new Map<string, Promise<RunningProcess | undefined>>();

	/** Folders of this machine by the paths in the container. */
	const mount = ({ volumes = [], secrets = [] }: ComposedService) => {
		const mounts: Record<string, string> = {};
		for (const [source, target] of volumes.map((volume) => volume.split(':'))) {
			const path = source.startsWith('.') ? join(projectRoot, source) : join(folder, source);
			if (!source.startsWith('.')) mkdirSync(path, { recursive: true });
			mounts[target] = path;
		}
		if (secrets.length > 0) mounts['/run/secrets'] = join(folder, 'secrets');
		return mounts;
	};

	const prepare = (name: string) => {
		const service = services[name];
		const [, stand] =
			Object.entries(stands).find(([image]) => service.image.startsWith(image)) ?? [];
		if (stand === undefined) return undefined;
		const here = { ...mount(service), ...replacements };
		const translate = (value: string) => replaceWhole(value, here);
		const settings = Object.entries(service.environment ?? {});
		const own = Object.fromEntries(settings.map(([key, value]) => [key, translate(value)]));
		const env = { ...inheritedEnvironment(), ...stand.env, ...own };
		const words = service.entrypoint
			? [...service.entrypoint, ...(service.command ?? [])]
			: [...stand.command, ...(service.command ?? [])];
		return { env, words: words.map(translate), translate };
	};

	const run = (name: string, [command, ...args]: string[], env: Record<string, string>) => {
		const program = findProgram([command], [command]);
		const stdout = join(folder, `${name}.log`);
		return startProcess({ command: program, args, cwd: folder, env, stdout });
	};

	const waitForCondition = async (name: string, condition: string) => {
		const started = await up(name);
		if (started === undefined || condition === 'service_started') return;
		if (condition === 'service_healthy') {
			const { env, translate } = prepare(name)!;
			const [, ...check] = services[name].healthcheck!.test!.map(translate);
			const isHealthy = async () => (await run(`${name}-health`, check, env).ended).code === 0;
			await waitUntilReady(started, isHealthy);
		} else {
			const { code } = await started.ended;
			if (code !== 0) throw new Error(`${name} failed:\n${await lastLines(started)}`);
		}
	};

	const start = async (name: string) => {
		const { depends_on = {} } = services[name];
		const others = Object.entries(depends_on);
		await Promise.all(
			others.map(async ([other, { condition }]) => await waitForCondition(other, condition)),
		);
		const prepared = prepare(name);
		return prepared && run(name, prepared.words, prepared.env);
	};

	/** Starts a service after those that it depends on. */
	const up = async (name: string): Promise<RunningProcess | undefined> => {
		const started = running.get(name) ?? start(name);
		running.set(name, started);
		return await started;
	};

	return {
		up,
		isHealthy: async (name: string) => await waitForCondition(name, 'service_healthy'),
		/** What a service printed. */
		readLog: (name: string) => readFileSync(join(folder, `${name}.log`), 'utf8'),
		down: async () => {
			for (const started of [...running.values()].reverse()) {
				await started.then(async (one) => await one?.stop()).catch(() => undefined);
			}
			running.clear();
		},
	};
}

/** Replaces texts, but not where a word only begins with one: `/data` is no part of `/database`. */
function replaceWhole(text: string, replacements: Record<string, string>): string {
	const isWord = /[\w-]/;
	return Object.entries(replacements).reduce((result, [from, to]) => {
		const [first, ...others] = result.split(from);
		const attach = (before: string, after: string) =>
			before + (isWord.test(from.at(-1)!) && isWord.test(after.charAt(0)) ? from : to) + after;
		return others.reduce(attach, first);
	}, text);
}

/** `${NAME:?}`, `${NAME:-default}` and `$$`, as Compose does. */
function fillIn(text: string, variables: Record<string, string>): string {
	const filled = text.replace(
		/\$\{(\w+)(?::-([^}]*)|:\?)?\}/g,
		(whole, name: string, other?: string) => {
			const value = variables[name] ?? other;
			if (value === undefined) throw new Error(`${whole} has no value`);
			return value;
		},
	);
	return filled.replaceAll('$$', '$');
}

/** A copy of files of the project in which paths are those of this machine. */
export function copyTranslated(
	files: string[],
	folder: string,
	replacements: Record<string, string>,
) {
	mkdirSync(folder, { recursive: true });
	for (const file of files) {
		const target = join(folder, file.split('/').at(-1)!);
		cpSync(join(projectRoot, file), target);
		let text = readFileSync(target, 'utf8');
		for (const [from, to] of Object.entries(replacements)) text = text.replaceAll(from, to);
		writeFileSync(target, text);
	}
}
