import { join } from 'node:path';
import type { Config } from '../config.mts';
import { normalizeAddress } from '../containers/addresses.mts';
import type { Vault } from '../containers/vault.mts';
import { DATABASE_FILE, hasDatabase } from '../database/open.mts';
import { findUser } from '../database/queries.mts';
import type { Queries, UserRow } from '../database/schema.mts';
import { SettingError } from '../errors.mts';
import { openVault } from '../openVault.mts';

export interface Command {
	/** Such as `users add <email>`. A word in angle brackets is an argument. */
	usage: string;
	help: string;
	/** Without a value, such as `admin` for --admin. */
	flags?: string[];
	/** With a value, such as `name` for --name. */
	options?: string[];
	run: (invocation: Invocation) => Promise<Outcome>;
}

export interface Invocation {
	config: Config;
	/** What stands for the words in angle brackets. */
	args: string[];
	flags: ReadonlySet<string>;
	/** The values of the options that were given. */
	options: ReadonlyMap<string, string>;
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
		if (!hasDatabase(databaseUrl, folder)) {
			const file = join(folder, DATABASE_FILE);
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
	if (!address) throw new SettingError(`"${email}" is not an email address.`);
	return address;
}

/** @throws SettingError where nobody has the address */
export async function getUser(queries: Queries, email: string): Promise<UserRow> {
	const user = await findUser(queries, 'address', readAddress(email));
	if (!user) throw new SettingError(`There is no user ${email}.`);
	return user;
}

export const describeNewKey = (key: string) => `API key   ${key} (shown only now, so keep it)`;

export const describeCount = (count: number) =>
	count === 1 ? '1 container' : `${count} containers`;

export const describeRequests = (count: number) =>
	count === 1 ? '1 request for files' : `${count} requests for files`;

const MAX_DAYS = 36_500;

/** @throws SettingError where the text isn't a number of days */
export function readDays(text: string): number {
	const days = /^\d{1,5}$/.test(text) ? Number(text) : NaN;
	if (days >= 1 && days <= MAX_DAYS) return days;
	throw new SettingError(`--days must be a whole number from 1 to ${MAX_DAYS}, not "${text}".`);
}

/** Lines with columns that are as wide as their longest cell. */
export function formatTable(rows: string[][]): string[] {
	const widths: number[] = [];
	for (const row of rows) {
		for (const [index, cell] of row.entries()) {
			widths[index] = Math.max(widths[index] ?? 0, cell.length);
		}
	}
	return rows.map((row) =>
		row
			.map((cell, index) => cell.padEnd(widths[index]))
			.join('   ')
			.trim(),
	);
}
