import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { SettingError } from './errors.mts';

/** How a setting is read. It can be a secret, so errors say what it must be, not what it is. */
export interface Setting<Value> {
	name: string;
	expected: string;
	/** Returns nothing, or throws, where the text can't be used. */
	parse: (text: string) => Value | undefined;
	fallback: Value;
	/** Also read from the file that NAME_FILE names, as Docker gives secrets. */
	isSecret?: boolean;
}

type Settings = Record<string, Setting<unknown>>;
type SettingValues<Table extends Settings> = {
	[Key in keyof Table]: Table[Key] extends Setting<infer Value> ? Value : never;
};
type Environment = Record<string, string | undefined>;

/** Reads all settings of a table. An empty one counts as not set. @throws SettingError */
export function readSettings<Table extends Settings>(table: Table, environment: Environment) {
	const values = Object.entries(table).map(([key, setting]) => [
		key,
		readSetting(setting, environment),
	]);
	return Object.fromEntries(values) as SettingValues<Table>;
}

function readSetting<Value>(setting: Setting<Value>, environment: Environment): Value {
	const { name, expected, parse, fallback, isSecret } = setting;
	const file = isSecret ? environment[`${name}_FILE`]?.trim() : undefined;
	const direct = environment[name]?.trim();
	if (file && direct) throw new SettingError(`Set ${name} or ${name}_FILE, not both.`);
	const text = file ? readSecret(`${name}_FILE`, file) : direct;
	if (!text) return fallback;
	const what = file ? `What the file of ${name}_FILE holds` : name;
	return readOrRefuse(`${what} must be ${expected}`, () => parse(text));
}

function readSecret(name: string, file: string): string {
	const requirement = `${name} must be the path of a file that isn't empty`;
	return readOrRefuse(requirement, () => readFileSync(file, 'utf8').trim() || undefined);
}

/** @throws SettingError where nothing is read, with the code of the system, such as EACCES: another user can read the file */
function readOrRefuse<Value>(requirement: string, read: () => Value | undefined): Value {
	let reason = '';
	try {
		const value = read();
		if (value !== undefined) return value;
	} catch (error) {
		const { code, syscall } = error as NodeJS.ErrnoException;
		if (syscall !== undefined) reason = ` (${code})`;
	}
	throw new SettingError(`${requirement}${reason}.`);
}

export function secret<Value>(setting: Setting<Value>): Setting<Value> {
	return { ...setting, isSecret: true };
}

export function setting<Value>(
	name: string,
	expected: string,
	parse: (text: string) => Value | undefined,
): Setting<Value | undefined> {
	return { name, expected, parse, fallback: undefined };
}

export function withDefault<Value>(
	optional: Setting<Value | undefined>,
	fallback: Value,
): Setting<Value> {
	return { ...optional, fallback };
}

/** A text that is used as it is, where the check says something that is true and throws nothing. */
export const checkedText = (name: string, expected: string, check: (text: string) => unknown) =>
	setting(name, expected, (text) => (check(text) ? text : undefined));

export function wholeNumber(name: string, { min = 1, max = 1e15 } = {}) {
	return setting(name, `a whole number from ${min} to ${max}`, (digits) => {
		const value = /^\d{1,16}$/.test(digits) ? Number(digits) : NaN;
		return value >= min && value <= max ? value : undefined;
	});
}

export function urlOf(name: string, ...protocols: string[]) {
	const begin = `a URL that begins with ${protocols.join('// or ')}//`;
	const expected = `${begin}, with / # ? % in a password written as %2F %23 %3F %25`;
	return checkedText(name, expected, (text) => {
		const { protocol, hostname } = new URL(text);
		return protocols.includes(protocol) && hostname !== '';
	});
}

/** The path of a file; the value is what the file holds. */
export function pemFile(name: string, what: 'cert' | 'key') {
	const kind = what === 'key' ? 'private key' : 'certificate';
	return setting(name, `the path of a ${kind} (PEM)`, (path) => {
		const pem = readFileSync(path, 'utf8');
		return createSecureContext({ [what]: pem }) && pem;
	});
}
