import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import which from 'which';

/** Debian keeps the programs of the PostgreSQL server outside PATH, in one folder per version. */
const POSTGRESQL = '/usr/lib/postgresql';

/**
 * Finds a program of the system by one of its names. As root on Debian, it installs the packages if there is none.
 * @throws with what to install when it can't
 */
export function findProgram(names: string[], packages: string[]): string {
	const found = find(names);
	if (found !== undefined) return found;
	if (process.getuid?.() === 0 && find(['apt-get']) !== undefined) {
		process.stdout.write(`Installing ${packages.join(' and ')} ...\n`);
		const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
		for (const args of [['update'], ['install', '-y', '--no-install-recommends', ...packages]]) {
			execFileSync('apt-get', args, { env, stdio: ['ignore', 'ignore', 'inherit'] });
		}
	}
	const installed = find(names);
	if (installed !== undefined) return installed;
	const command = `apt-get install --no-install-recommends ${packages.join(' ')}`;
	throw new Error(`This machine has no ${names[0]}. On Debian or Ubuntu: ${command}`);
}

function find(names: string[]): string | undefined {
	const versions = existsSync(POSTGRESQL) ? readdirSync(POSTGRESQL) : [];
	const newestFirst = versions.sort((one, other) => Number(other) - Number(one));
	const folders = newestFirst.map((version) => join(POSTGRESQL, version, 'bin'));
	const path = [process.env.PATH, ...folders].join(delimiter);
	return names.map((name) => which.sync(name, { nothrow: true, path })).find((one) => one !== null);
}
