import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseRange } from './containers/addressRanges.mts';
import { normalizeAddress } from './containers/addresses.mts';
import { openCountryDatabase } from './containers/country.mts';
import { parseMasterKey } from './containers/seal.mts';
import { attempt } from './errors.mts';

/** A setting that the service can't start with. The message is for whoever set it. */
export class SettingError extends Error {}

export type Config = ReturnType<typeof readConfig>;

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'];

/** Reads the settings that service/README.md lists. An empty one counts as not set. @throws SettingError */
export function readConfig(environment: Record<string, string | undefined>) {
	/** Where `parse` returns nothing or throws, the message says what the setting must be, not what it is: it can be a secret. */
	const read = <Value,>(
		name: string,
		expected: string,
		parse: (text: string) => Value | undefined,
	) => {
		const text = environment[name]?.trim();
		const value = text ? attempt(() => parse(text)) : undefined;
		if (text && value === undefined) throw new SettingError(`${name} must be ${expected}.`);
		return value;
	};
	const text = (name: string) => read(name, 'a text', (value) => value);
	const number = (name: string, min = 1, max = 1e15) =>
		read(name, `a whole number from ${min} to ${max}`, (digits) => {
			const value = /^\d{1,16}$/.test(digits) ? Number(digits) : NaN;
			return value >= min && value <= max ? value : undefined;
		});
	const url = (name: string, ...protocols: string[]) =>
		read(name, `a URL that begins with ${protocols.join('// or ')}//`, (value) => {
			const { protocol, hostname } = new URL(value);
			return protocols.includes(protocol) && hostname !== '' ? value : undefined;
		});
	const file = (name: string) =>
		read(name, 'the path of a file that can be read', (path) => readFileSync(path, 'utf8'));
	const masterKey = (name: string) =>
		read(name, '32 bytes in Base64 (openssl rand -base64 32)', (key) => parseMasterKey(key) && key);

	const [cert, key] = [file('TLS_CERT'), file('TLS_KEY')];
	const config = {
		folder: resolve(text('DATA_DIR') ?? 'data'),
		port: number('PORT', 0, 65535) ?? 8443,
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
		apiKey: read('API_KEY', '16 to 256 characters without spaces', (value) =>
			/^[\x21-\x7e]{16,256}$/.test(value) ? value : undefined,
		),
		databaseUrl: url('DATABASE_URL', 'postgres:', 'postgresql:'),
		storageUrl: url('STORAGE_URL', 's3:'),
		smtpUrl: url('SMTP_URL', 'smtp:', 'smtps:'),
		mailFrom: text('MAIL_FROM'),
		masterKey: masterKey('MASTER_KEY'),
		previousMasterKey: masterKey('MASTER_KEY_PREVIOUS'),
		certificate: cert && key ? { cert, key } : undefined,
		isTlsOff: read('TLS', '"off" where a proxy does TLS', (value) => value === 'off' || undefined),
		trustedProxies: read('TRUST_PROXY', 'IP addresses or networks (10.0.0.0/8)', (list) => {
			const proxies = list.split(',').map((entry) => entry.trim());
			return proxies.every(parseRange) ? proxies : undefined;
		}),
		countryDatabase: read('COUNTRY_DATABASE', "a file in MaxMind's format (.mmdb)", (path) => {
			openCountryDatabase(path);
			return path;
		}),
		timeZone:
			read('TIME_ZONE', 'a name such as Europe/Berlin', (timeZone) => {
				new Intl.DateTimeFormat('en', { timeZone });
				return timeZone;
			}) ?? 'UTC',
		requestsPerMinute: number('REQUESTS_PER_MINUTE') ?? 600,
		eventsDays: number('EVENTS_DAYS', 1, 36500) ?? 365,
		codesPerAddress: number('CODES_PER_ADDRESS') ?? 5,
		codesPerIp: number('CODES_PER_IP') ?? 20,
		maxUploadBytes: number('MAX_UPLOAD_BYTES') ?? Infinity,
		logLevel:
			read('LOG_LEVEL', `one of ${LOG_LEVELS.join(', ')}`, (level) =>
				LOG_LEVELS.find((known) => known === level),
			) ??
			// In a terminal, the lines of ordinary requests would hide what a person has to read.
			(process.stderr.isTTY ? 'warn' : 'info'),
	};
	if (!cert !== !key) throw new SettingError('Set both TLS_CERT and TLS_KEY, or none of them.');
	if (config.databaseUrl && !config.masterKey) {
		throw new SettingError('With DATABASE_URL, set MASTER_KEY: all processes need the same one.');
	}
	if (config.databaseUrl && !config.certificate && !config.isTlsOff) {
		throw new SettingError(
			'With DATABASE_URL, set TLS_CERT and TLS_KEY, or TLS=off behind a proxy.',
		);
	}
	return config;
}
