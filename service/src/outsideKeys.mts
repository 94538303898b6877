import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { parseMasterKey } from './containers/masterKeys.mts';
import { SettingError } from './errors.mts';
import { checkedText, secret, setting } from './settings.mts';

const COMMAND_MS = 10_000;
const ONE_KEY = '32 bytes in Base64 (openssl rand -base64 32)';

/** Where a master key can come from, if not from the data folder. */
export const MASTER_KEY_SETTINGS = {
	masterKey: checkedText('MASTER_KEY', ONE_KEY, parseMasterKey),
	previousMasterKey: secret(checkedText('MASTER_KEY_PREVIOUS', ONE_KEY, parseMasterKey)),
	masterKeyFile: setting(
		'MASTER_KEY_FILE',
		`the path of a file with ${ONE_KEY} on each line`,
		(path) => parseKeys(readFileSync(path, 'utf8')),
	),
	masterKeyCommand: setting(
		'MASTER_KEY_COMMAND',
		`a command that ends well within ten seconds and prints ${ONE_KEY} on each line`,
		(command) => parseKeys(run(command)),
	),
};

/** What it prints is secret, and a part of it could be in what it complains about: nobody sees either. */
function run(command: string): string {
	const options = { timeout: COMMAND_MS, killSignal: 'SIGKILL', encoding: 'utf8' } as const;
	return execFileSync('/bin/sh', ['-c', command], {
		...options,
		stdio: ['ignore', 'pipe', 'ignore'],
	});
}

/** @returns the keys of a text with one on each line; nothing where there is none, or something else */
function parseKeys(text: string): string[] | undefined {
	const lines = text.split('\n').map((line) => line.trim());
	const keys = lines.filter((line) => line !== '');
	return keys.length > 0 && keys.every(parseMasterKey) ? keys : undefined;
}

interface Sources {
	masterKey?: string;
	masterKeyFile?: string[];
	masterKeyCommand?: string[];
}

/** The first key seals. @returns nothing where the key is in the data folder. @throws SettingError */
export function findOutsideKeys({ masterKey, masterKeyFile, masterKeyCommand }: Sources) {
	const sources = [
		{ setting: 'MASTER_KEY', keys: masterKey === undefined ? undefined : [masterKey] },
		{ setting: 'MASTER_KEY_FILE', keys: masterKeyFile },
		{ setting: 'MASTER_KEY_COMMAND', keys: masterKeyCommand },
	];
	const [source, other] = sources.filter(({ keys }) => keys !== undefined);
	if (other !== undefined) {
		throw new SettingError(`Set ${source.setting} or ${other.setting}, not both.`);
	}
	return source as { setting: string; keys: string[] } | undefined;
}
