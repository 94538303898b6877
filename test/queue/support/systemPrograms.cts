import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import which from 'which';

const POSTGRESQL = '/usr/lib/postgresql';

/**
 * Finds programs of the system. As root on Debian, it installs their package if one is missing.
 * @returns their paths, in the same order
 * @throws with the names of the missing programs and of their package when it can't be installed
 */
export function findSystemPrograms(names: string[], debianPackage: string): string[] {
	const isMissing = (name: string) => find(name) === null;
	if (names.some(isMissing) && process.getuid?.() === 0 && find('apt-get') !== null) {
		install(debianPackage);
	}
	const missing = names.filter(isMissing);
	if (missing.length > 0) {
		throw new Error(
			`The queue mode tests need Redis and PostgreSQL, and this machine lacks ${missing.join(', ')}. ` +
				`On Debian or Ubuntu: apt-get install --no-install-recommends ${debianPackage}`,
		);
	}
	return names.map((name) => find(name) as string);
}

function install(debianPackage: string): void {
	process.stdout.write(`Installing ${debianPackage} ...\n`);
	const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
	for (const args of [['update'], ['install', '-y', '--no-install-recommends', debianPackage]]) {
		execFileSync('apt-get', args, { env, stdio: ['ignore', 'ignore', 'inherit'] });
	}
}

/** Debian keeps the programs of the PostgreSQL server outside PATH, in one folder per version. */
function find(name: string): string | null {
	const versions = existsSync(POSTGRESQL) ? readdirSync(POSTGRESQL) : [];
	const newestFirst = versions.sort((one, other) => Number(other) - Number(one));
	const folders = newestFirst.map((version) => join(POSTGRESQL, version, 'bin'));
	const path = [process.env.PATH, ...folders].join(delimiter);
	return which.sync(name, { nothrow: true, path });
}
