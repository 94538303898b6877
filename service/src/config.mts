import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { createSecureContext } from 'node:tls';
import { parseRange } from './containers/addressRanges.mts';
import { normalizeAddress } from './containers/addresses.mts';
import { openCountryDatabase } from './containers/country.mts';
import { createCalendar } from './containers/rules.mts';
import { parseMasterKey } from './containers/seal.mts';
import { attempt } from './errors.mts';

/** A setting that the service can't start with. The message is for whoever set it. */
export class SettingError extends Error {}

export type Config = ReturnType<typeof readConfig>;

type Parse<Value> = (text: string) => Value | undefined;

/** What a stream of 10,000 parts of 5 MiB holds, and no more fits into S3. */
const S3_BYTES = 48 * 1024 ** 3;
const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'];

function toOrigin(url: string): string | undefined {
	const { protocol, href, origin } = new URL(url);
	return protocol === 'https:' && href === `${origin}/` ? origin : undefined;
}

const isApiKey = (text: string) => /^[\x21-\x7e]{16,256}$/.test(text);

/** Reads the settings that service/README.md lists. An empty one counts as not set. @throws SettingError */
export function readConfig(environment: Record<string, string | undefined>) {
	/** The message says what the setting must be, not what it is: it can be a secret. */
	const read = <Value,>(name: string, expected: string, parse: Parse<Value>) => {
		const text = environment[name]?.trim();
		const value = text ? attempt(() => parse(text)) : undefined;
		if (text && value === undefined) throw new SettingError(`${name} must be ${expected}.`);
		return value;
	};
	const keep = (name: string, expected: string, check: (text: string) => unknown) =>
		read(name, expected, (text) => (check(text) ? text : undefined));
	const number = (name: string, min = 1, max = 1e15) =>
		read(name, `a whole number from ${min} to ${max}`, (digits) => {
			const value = /^\d{1,16}$/.test(digits) ? Number(digits) : NaN;
			return value >= min && value <= max ? value : undefined;
		});
	const url = (name: string, ...protocols: string[]) =>
		keep(name, `a URL that begins with ${protocols.join('// or ')}//`, (text) => {
			const { protocol, hostname } = new URL(text);
			return protocols.includes(protocol) && hostname !== '';
		});
	const masterKey = (name: string) =>
		keep(name, '32 bytes in Base64 (openssl rand -base64 32)', parseMasterKey);
	const pem = (name: string, what: 'cert' | 'key') =>
		read(name, `the path of a ${what === 'key' ? 'private key' : 'certificate'} (PEM)`, (path) => {
			const text = readFileSync(path, 'utf8');
			return createSecureContext({ [what]: text }) && text;
		});

	const storageUrl = url('STORAGE_URL', 's3:');
	const maxBytes = storageUrl ? S3_BYTES : Infinity;
	const [cert, key] = [pem('TLS_CERT', 'cert'), pem('TLS_KEY', 'key')];
	const config = {
		folder: resolve(environment.DATA_DIR?.trim() || 'data'),
		port: number('PORT', 0, 65535) ?? 8443,
		publicUrl: read('PUBLIC_URL', 'such as https://share.example.com, without a path', toOrigin),
		owner: keep('OWNER_EMAIL', 'an email address', normalizeAddress) ?? 'owner@localhost',
		apiKey: keep('API_KEY', '16 to 256 characters without spaces', isApiKey),
		databaseUrl: url('DATABASE_URL', 'postgres:', 'postgresql:'),
		storageUrl,
		smtpUrl: url('SMTP_URL', 'smtp:', 'smtps:'),
		mailFrom: keep('MAIL_FROM', 'an address, or Name <address>', (text) =>
			normalizeAddress(/<([^<>]+)>$/.exec(text)?.[1] ?? text),
		),
		masterKey: masterKey('MASTER_KEY'),
		previousMasterKey: masterKey('MASTER_KEY_PREVIOUS'),
		certificate: cert && key ? { cert, key } : undefined,
		isTlsOff: keep('TLS', '"off" where a proxy does TLS', (text) => text === 'off') === 'off',
		trustedProxies: read('TRUST_PROXY', 'IP addresses or networks (10.0.0.0/8)', (list) => {
			const proxies = list.split(',').map((entry) => entry.trim());
			return proxies.every(parseRange) ? proxies : undefined;
		}),
		countryDatabase: keep('COUNTRY_DATABASE', 'the path of an .mmdb file', openCountryDatabase),
		calendar: read('TIME_ZONE', 'a name such as Europe/Berlin', createCalendar) ?? createCalendar(),
		requestsPerMinute: number('REQUESTS_PER_MINUTE') ?? 600,
		eventsDays: number('EVENTS_DAYS', 1, 36500) ?? 365,
		codesPerAddress: number('CODES_PER_ADDRESS') ?? 5,
		codesPerIp: number('CODES_PER_IP') ?? 20,
		maxUploadBytes: Math.min(number('MAX_UPLOAD_BYTES') ?? maxBytes, maxBytes),
		logLevel:
			keep('LOG_LEVEL', `one of ${LOG_LEVELS.join(', ')}`, (text) => LOG_LEVELS.includes(text)) ??
			// In a terminal, the lines of ordinary requests would hide what a person has to read.
			(process.stderr.isTTY ? 'warn' : 'info'),
	};
	if (!cert !== !key) throw new SettingError('Set both TLS_CERT and TLS_KEY, or none of them.');
	if (!attempt(() => createSecureContext(config.certificate))) {
		throw new SettingError("TLS_KEY isn't the key of TLS_CERT.");
	}
	if (config.databaseUrl && !config.masterKey) {
		throw new SettingError('With DATABASE_URL, set MASTER_KEY: all processes need the same one.');
	}
	if (config.databaseUrl && !config.certificate && !config.isTlsOff) {
		throw new SettingError('With DATABASE_URL, set TLS_CERT and TLS_KEY, or TLS=off.');
	}
	return config;
}
