import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../config.mts';
import { normalizeAddress } from '../containers/addresses.mts';
import type { Vault } from '../containers/vault.mts';
import { DATABASE_FILE } from '../database/open.mts';
import { SettingError } from '../errors.mts';
import { openVault } from '../openVault.mts';

export interface Command {
	/** Such as `users add <email>`. A word in angle brackets is an argument. */
	usage: string;
	help: string;
	/** Without a value, such as `admin` for --admin. */
	flags?: string[];
	run: (invocation: Invocation) => Promise<Outcome>;
}

export interface Invocation {
	config: Config;
	/** What stands for the words in angle brackets. */
	args: string[];
	flags: ReadonlySet<string>;
}

/** What is printed. With problems, which come first, not all is well. */
export interface Outcome {
	problems?: string[];
	lines: string[];
}

export type VaultInvocation = Invocation & { vault: Vault };

/** For a command that reads or changes what the service stores. */
export function withVault(run: (invocation: VaultInvocation) => Promise<Outcome>): Command['run'] {
	return async (invocation) => {
		const { databaseUrl, folder } = invocation.config;
		const file = join(folder, DATABASE_FILE);
		if (!databaseUrl && !existsSync(file)) {
			throw new SettingError(`DATA_DIR has no ${file}. Start the service first.`);
		}
		const vault = await openVault(invocation.config);
		try {
			return await run({ ...invocation, vault });
		} finally {
			await vault.database.destroy();
		}
	};
}

/** @throws SettingError where an argument is no email address */
export function readAddress(email: string): string {
	const address = normalizeAddress(email);
	if (!address) throw new SettingError(`The address "${email}" is not an email address.`);
	return address;
}

export const describeNewKey = (key: string) => `API key   ${key} (shown only now, so keep it)`;

export const describeCount = (count: number) =>
	count === 1 ? '1 container' : `${count} containers`;
