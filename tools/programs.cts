import { existsSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import which from 'which';

/** Debian keeps the programs of the PostgreSQL server outside PATH, in one folder per version. */
const POSTGRESQL = '/usr/lib/postgresql';

/**
 * Finds a program of the system by one of its names.
 * @throws with what to install when there is none
 */
export function findProgram(names: string[], packages: string[]): string {
	const versions = existsSync(POSTGRESQL) ? readdirSync(POSTGRESQL) : [];
	const newestFirst = versions.sort((one, other) => Number(other) - Number(one));
	const folders = newestFirst.map((version) => join(POSTGRESQL, version, 'bin'));
	const path = [process.env.PATH, ...folders].join(delimiter);
	const found = names.map((name) => which.sync(name, { nothrow: true, path })).find(Boolean);
	if (found) return found;
	const command = `apt-get install --no-install-recommends ${packages.join(' ')}`;
	throw new Error(`This machine has no ${names[0]}. On Debian or Ubuntu: ${command}`);
}
