import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** A program of the system, and the Debian package that it comes in. */
export interface SystemProgram {
	name: string;
	debianPackage: string;
}

const POSTGRESQL = '/usr/lib/postgresql';

/**
 * Finds programs of the system. On Debian, and as root, those that are missing are installed.
 * @returns their paths, in the order of the programs
 * @throws with the names of those that are missing, and of their packages, where nothing may be installed
 */
export function systemPrograms(programs: SystemProgram[]): string[] {
	install(programs.filter(({ name }) => find(name) === undefined));
	const missing = programs.filter(({ name }) => find(name) === undefined);
	if (missing.length > 0) {
		const names = missing.map(({ name }) => name).join(', ');
		throw new Error(
			`Queue mode is tested with Redis and PostgreSQL, and this machine lacks ${names}. ` +
				`On Debian or Ubuntu: apt-get install --no-install-recommends ${packagesOf(missing).join(' ')}`,
		);
	}
	return programs.map(({ name }) => find(name) as string);
}

function install(missing: SystemProgram[]): void {
	const mayInstall = process.getuid?.() === 0 && find('apt-get') !== undefined;
	if (missing.length === 0 || !mayInstall) return;
	const packages = packagesOf(missing);
	process.stdout.write(`Installing ${packages.join(' and ')} ...\n`);
	const aptGet = (...args: string[]) =>
		execFileSync('apt-get', args, {
			env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
			stdio: ['ignore', 'ignore', 'inherit'],
		});
	aptGet('update');
	aptGet('install', '--yes', '--no-install-recommends', ...packages);
}

function packagesOf(programs: SystemProgram[]): string[] {
	return [...new Set(programs.map(({ debianPackage }) => debianPackage))];
}

/** In the search path, or where Debian keeps the programs of PostgreSQL's server. */
function find(name: string): string | undefined {
	const ofPostgres = existsSync(POSTGRESQL) ? readdirSync(POSTGRESQL) : [];
	const newestFirst = ofPostgres.sort((one, other) => Number(other) - Number(one));
	return [
		...(process.env.PATH ?? '').split(delimiter),
		...newestFirst.map((version) => join(POSTGRESQL, version, 'bin')),
	]
		.map((folder) => join(folder, name))
		.find((path) => existsSync(path));
}
