import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseRange } from './containers/addressRanges.mts';
import { normalizeAddress } from './containers/addresses.mts';
import { checkCountryDatabase } from './containers/country.mts';
import { parseMasterKey } from './containers/masterKeys.mts';

/** A setting that the service can't start with. The message is for whoever set it. */
export class SettingError extends Error {}

export type Config = ReturnType<typeof readConfig>;

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'];

/**
 * Reads the settings that service/README.md lists. An empty one counts as not set.
 *
 * @throws SettingError
 */
export function readConfig(environment: Record<string, string | undefined>) {
	/** Parses a setting; where `parse` returns nothing or throws, `expected` says what it must be. */
	const read = <Value,>(
		name: string,
		expected: string,
		parse: (text: string) => Value | undefined,
	): Value | undefined => {
		const text = environment[name]?.trim() || undefined;
		const value = text === undefined ? undefined : attempt(() => parse(text));
		// What was set isn't shown: it can hold a password.
		if (text !== undefined && value === undefined)
			throw new SettingError(`${name} must be ${expected}.`);
		return value;
	};
	const number = (name: string, fallback: number, min = 1, max = 1e15) => {
		const parse = (text: string) => (/^\d{1,16}$/.test(text) ? Number(text) : NaN);
		const isInside = (value: number) => value >= min && value <= max;
		const expected = `a whole number from ${min} to ${max}`;
		return read(name, expected, (text) => [parse(text)].find(isInside)) ?? fallback;
	};
	const url = (name: string, ...protocols: string[]) =>
		read(name, `a URL that begins with ${protocols.join('// or ')}//`, (text) => {
			const { protocol, hostname } = new URL(text);
			return protocols.includes(protocol) && hostname !== '' ? text : undefined;
		});
	const text = (name: string) => read(name, 'a text', (value) => value);
	const file = (name: string) =>
		read(name, 'the path of a file that can be read', (path) => readFileSync(path, 'utf8'));
	const masterKey = (name: string) =>
		read(name, '32 bytes in Base64 (openssl rand -base64 32)', (key) => parseMasterKey(key) && key);

	const config = {
		folder: resolve(text('DATA_DIR') ?? 'data'),
		port: number('PORT', 8443, 0, 65535),
		publicUrl: read(
			'PUBLIC_URL',
			'an address without a path (https://share.example.com)',
			(value) => {
				const { protocol, href, origin } = new URL(value);
				return protocol === 'https:' && href === `${origin}/` ? origin : undefined;
			},
		),
		owner: read('OWNER_EMAIL', 'an email address', (email) => {
			const address = normalizeAddress(email);
			return address === undefined ? undefined : { email, address };
		}) ?? { email: 'owner@localhost', address: 'owner@localhost' },
		apiKey: read('API_KEY', '16 to 256 characters without spaces', (key) =>
			/^[\x21-\x7e]{16,256}$/.test(key) ? key : undefined,
		),
		databaseUrl: url('DATABASE_URL', 'postgres:', 'postgresql:'),
		storageUrl: url('STORAGE_URL', 's3:'),
		smtpUrl: url('SMTP_URL', 'smtp:', 'smtps:'),
		mailFrom: text('MAIL_FROM'),
		masterKey: masterKey('MASTER_KEY'),
		previousMasterKey: masterKey('MASTER_KEY_PREVIOUS'),
		isTlsOff: read('TLS', '"off" where a proxy does TLS', (value) => value === 'off' || undefined),
		certificate: { cert: file('TLS_CERT'), key: file('TLS_KEY') },
		trustedProxies: read('TRUST_PROXY', 'IP addresses or networks (10.0.0.0/8)', (list) => {
			const proxies = list.split(',').map((entry) => entry.trim());
			return proxies.every((entry) => parseRange(entry) !== undefined) ? proxies : undefined;
		}),
		countryDatabase: read('COUNTRY_DATABASE', "a file in MaxMind's format (.mmdb)", (path) => {
			checkCountryDatabase(path);
			return path;
		}),
		timeZone:
			read('TIME_ZONE', 'a name such as Europe/Berlin', (timeZone) => {
				new Intl.DateTimeFormat('en', { timeZone });
				return timeZone;
			}) ?? 'UTC',
		requestsPerMinute: number('REQUESTS_PER_MINUTE', 600),
		eventsDays: number('EVENTS_DAYS', 365, 1, 36500),
		codesPerAddress: number('CODES_PER_ADDRESS', 5),
		codesPerIp: number('CODES_PER_IP', 20),
		maxUploadBytes: number('MAX_UPLOAD_BYTES', Infinity),
		logLevel:
			read('LOG_LEVEL', `one of ${LOG_LEVELS.join(', ')}`, (level) =>
				LOG_LEVELS.find((known) => known === level),
			) ??
			// In a terminal, the lines of ordinary requests would hide what a person has to read.
			(process.stderr.isTTY ? 'warn' : 'info'),
	};
	const { cert, key } = config.certificate;
	if ((cert === undefined) !== (key === undefined)) {
		throw new SettingError('Set both TLS_CERT and TLS_KEY, or none of them.');
	}
	if (config.databaseUrl !== undefined && config.masterKey === undefined) {
		throw new SettingError('With DATABASE_URL, set MASTER_KEY: all processes need the same one.');
	}
	if (config.databaseUrl !== undefined && cert === undefined && !config.isTlsOff) {
		throw new SettingError(
			'With DATABASE_URL, set TLS_CERT and TLS_KEY, or TLS=off behind a proxy.',
		);
	}
	return config;
}

function attempt<Value>(run: () => Value): Value | undefined {
	try {
		return run();
	} catch {
		return undefined;
	}
}
