import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseRange } from './containers/addressRanges.mts';
import { normalizeAddress } from './containers/addresses.mts';
import { checkCountryDatabase } from './containers/country.mts';
import { MASTER_KEY_BYTES, parseMasterKey } from './containers/masterKeys.mts';

/** A setting that the service can't start with. The message is for whoever set it. */
export class SettingError extends Error {}

export type Config = ReturnType<typeof readConfig>;

export const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
const DEFAULT_OWNER = 'owner@localhost';

type Environment = Record<string, string | undefined>;

/**
 * Reads the settings (service/README.md lists them).
 *
 * @throws SettingError
 */
export function readConfig(environment: Environment) {
	const text = (name: string) => environment[name]?.trim() || undefined;
	const number = (
		name: string,
		fallback: number,
		{ min = 1, max = Number.MAX_SAFE_INTEGER } = {},
	) => {
		const value = text(name);
		if (value === undefined) return fallback;
		if (/^\d{1,16}$/.test(value) && Number(value) >= min && Number(value) <= max)
			return Number(value);
		const most = max < Number.MAX_SAFE_INTEGER ? ` to ${max}` : ' or more';
		throw new SettingError(`${name} must be a whole number, ${min}${most}, but it is "${value}".`);
	};
	const file = (name: string) => {
		const value = text(name);
		if (value === undefined || existsSync(value)) return value;
		throw new SettingError(`${name} names the file ${value}, which doesn't exist.`);
	};
	const url = (name: string, ...protocols: string[]) => {
		const value = text(name);
		if (value === undefined) return undefined;
		const isValid = URL.canParse(value) && protocols.includes(new URL(value).protocol);
		if (isValid && new URL(value).hostname !== '') return value;
		// The value can hold a password, so it isn't shown.
		throw new SettingError(`${name} must be a URL that begins with ${protocols.join('// or ')}//.`);
	};
	const masterKey = (name: string) => {
		const value = text(name);
		if (value === undefined || parseMasterKey(value) !== undefined) return value;
		throw new SettingError(
			`${name} must be ${MASTER_KEY_BYTES} bytes in Base64 (openssl rand -base64 32).`,
		);
	};

	const port = number('PORT', 8443, { min: 0, max: 65535 });
	const databaseUrl = url('DATABASE_URL', 'postgres:', 'postgresql:');
	const tls = readTls(text('TLS'), file('TLS_CERT'), file('TLS_KEY'));
	const config = {
		folder: resolve(text('DATA_DIR') ?? 'data'),
		port,
		publicUrl: readPublicUrl(text('PUBLIC_URL')),
		owner: readOwner(text('OWNER_EMAIL') ?? DEFAULT_OWNER),
		apiKey: readApiKey(text('API_KEY')),
		databaseUrl,
		storageUrl: url('STORAGE_URL', 's3:'),
		smtpUrl: url('SMTP_URL', 'smtp:', 'smtps:'),
		mailFrom: text('MAIL_FROM'),
		masterKey: masterKey('MASTER_KEY'),
		previousMasterKey: masterKey('MASTER_KEY_PREVIOUS'),
		tls,
		trustedProxies: readProxies(text('TRUST_PROXY')),
		countryDatabase: readCountryDatabase(file('COUNTRY_DATABASE')),
		timeZone: readTimeZone(text('TIME_ZONE') ?? 'UTC'),
		requestsPerMinute: number('REQUESTS_PER_MINUTE', 600),
		eventsDays: number('EVENTS_DAYS', 365),
		codesPerAddress: number('CODES_PER_ADDRESS', 5),
		codesPerIp: number('CODES_PER_IP', 20),
		maxUploadBytes: number('MAX_UPLOAD_BYTES', Number.POSITIVE_INFINITY),
		logLevel: readLogLevel(text('LOG_LEVEL')),
	};
	if (databaseUrl !== undefined && config.masterKey === undefined) {
		throw new SettingError('With DATABASE_URL, set MASTER_KEY: all processes need the same one.');
	}
	if (databaseUrl !== undefined && tls.mode === 'own') {
		throw new SettingError(
			'With DATABASE_URL, set TLS_CERT and TLS_KEY, or TLS=off behind a proxy.',
		);
	}
	return config;
}

/** `own`: a certificate of the service's own authority. `off`: a proxy in front of it does TLS. */
function readTls(mode: string | undefined, cert: string | undefined, key: string | undefined) {
	if (mode !== undefined && mode !== 'off') {
		throw new SettingError(`TLS can only be "off", but it is "${mode}".`);
	}
	if ((cert === undefined) !== (key === undefined)) {
		throw new SettingError('Set both TLS_CERT and TLS_KEY, or none of them.');
	}
	if (mode === 'off') return { mode: 'off' as const };
	if (cert === undefined || key === undefined) return { mode: 'own' as const };
	return {
		mode: 'files' as const,
		cert: readFileSync(cert, 'utf8'),
		key: readFileSync(key, 'utf8'),
	};
}

function readPublicUrl(value: string | undefined): string | undefined {
	if (value === undefined) return undefined;
	const url = URL.canParse(value) ? new URL(value) : undefined;
	if (url?.protocol === 'https:' && url.href === `${url.origin}/`) return url.origin;
	const example = 'https://share.example.com';
	throw new SettingError(
		`PUBLIC_URL must be the service's address without a path, such as ${example}.`,
	);
}

function readOwner(email: string) {
	const address = normalizeAddress(email);
	if (address !== undefined) return { email, address };
	throw new SettingError(`OWNER_EMAIL must be an email address, but it is "${email}".`);
}

function readApiKey(key: string | undefined): string | undefined {
	if (key === undefined || /^[\x21-\x7e]{16,256}$/.test(key)) return key;
	throw new SettingError('API_KEY must have 16 to 256 characters without spaces.');
}

function readProxies(list: string | undefined): string[] | undefined {
	const proxies = list?.split(',').map((entry) => entry.trim());
	const wrong = proxies?.find((entry) => parseRange(entry) === undefined);
	if (wrong === undefined) return proxies;
	throw new SettingError(
		`TRUST_PROXY must be IP addresses or networks (10.0.0.0/8), but it has "${wrong}".`,
	);
}

function readCountryDatabase(file: string | undefined): string | undefined {
	try {
		if (file !== undefined) checkCountryDatabase(file);
		return file;
	} catch {
		throw new SettingError(
			`COUNTRY_DATABASE must be a file in MaxMind's format, but ${file} is none.`,
		);
	}
}

function readTimeZone(timeZone: string): string {
	try {
		new Intl.DateTimeFormat('en', { timeZone });
		return timeZone;
	} catch {
		throw new SettingError(
			`TIME_ZONE must be a name such as Europe/Berlin, but it is "${timeZone}".`,
		);
	}
}

/** In a terminal, the lines of ordinary requests would hide what a person has to read. */
function readLogLevel(level: string = process.stderr.isTTY ? 'warn' : 'info') {
	const known = LOG_LEVELS.find((name) => name === level);
	if (known !== undefined) return known;
	throw new SettingError(
		`LOG_LEVEL must be one of ${LOG_LEVELS.join(', ')}, but it is "${level}".`,
	);
}
