import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { createSecureContext } from 'node:tls';
import { readBrand } from './brand/brand.mts';
import { limitLanguages, readLanguages } from './brand/languages.mts';
import { parseRange } from './containers/addressRanges.mts';
import { normalizeAddress } from './containers/addresses.mts';
import { withoutPort } from './web/clientAddress.mts';
import { openCountryDatabase } from './web/country.mts';
import { createCalendar } from './containers/rules.mts';
import { attempt, SettingError } from './errors.mts';
import { findOutsideKeys, MASTER_KEY_SETTINGS } from './outsideKeys.mts';
import { chooseScanner, isClamdUrl } from './requests/scanners.mts';
import { openConverter } from './viewing/office/openConverter.mts';
import {
	checkedText,
	pemFile,
	readSettings,
	secret,
	setting,
	urlOf,
	wholeNumber,
	withDefault,
} from './settings.mts';

export type Config = ReturnType<typeof readConfig>;

/** What a stream of 10,000 parts of 5 MiB holds, and no more fits into S3. */
const S3_BYTES = 48 * 1024 ** 3;
const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'];
/** In a terminal, the lines of ordinary requests would hide what a person has to read. */
const LOG_LEVEL = process.stderr.isTTY ? 'warn' : 'info';
const LOG_FORMAT = process.stderr.isTTY ? 'text' : 'json';

/** The owner where nobody is named. Codes for it are only files in the outbox. */
export const NO_MAILBOX = 'owner@localhost';

/** A line each, as service/README.md lists them. */
const SETTINGS = {
	folder: withDefault(setting('DATA_DIR', 'a path', resolve), resolve('data')),
	port: withDefault(wholeNumber('PORT', { min: 0, max: 65_535 }), 8443),
	metricsPort: wholeNumber('METRICS_PORT', { max: 65_535 }),
	metricsHosts: setting(
		'METRICS_HOST',
		'IP addresses, such as 192.0.2.1, or :: for all',
		parseHosts,
	),
	hosts: setting('HOST', 'IP addresses, such as 192.0.2.1, or :: for all', parseHosts),
	publicUrl: setting('PUBLIC_URL', 'such as https://share.example.com, without a path', toOrigin),
	owner: withDefault(checkedText('OWNER_EMAIL', 'an email address', normalizeAddress), NO_MAILBOX),
	apiKey: secret(checkedText('API_KEY', '16 to 256 characters without spaces', isApiKey)),
	databaseUrl: secret(urlOf('DATABASE_URL', 'postgres:', 'postgresql:')),
	storageUrl: urlOf('STORAGE_URL', 's3:'),
	smtpUrl: secret(urlOf('SMTP_URL', 'smtp:', 'smtps:')),
	mailFrom: checkedText('MAIL_FROM', 'an address, or Name <address>', isSender),
	...MASTER_KEY_SETTINGS,
	tlsCert: pemFile('TLS_CERT', 'cert'),
	tlsKey: pemFile('TLS_KEY', 'key'),
	tlsNames: withDefault(
		setting('TLS_NAMES', 'host names and IP addresses, separated by commas', parseTlsNames),
		[],
	),
	isTlsOff: withDefault(setting('TLS', '"off" where a proxy does TLS', isOff), false),
	isTrustedProxy: setting('TRUST_PROXY', 'IP addresses or networks (10.0.0.0/8)', parseProxies),
	countryDatabase: checkedText(
		'COUNTRY_DATABASE',
		'the path of an .mmdb file',
		openCountryDatabase,
	),
	calendar: withDefault(
		setting('TIME_ZONE', 'a name such as Europe/Berlin', createCalendar),
		createCalendar(),
	),
	isWatermarkOff: withDefault(
		setting('WATERMARK', '"off" where pages are shown without a mark', isOff),
		false,
	),
	isPageTextOff: withDefault(
		setting('PAGE_TEXT', '"off" where pages come without their text', isOff),
		false,
	),
	office: setting('OFFICE', 'soffice, its path, or the URL of Gotenberg', openConverter),
	brandFolder: setting('BRAND_DIR', 'the path of a folder', resolve),
	languageTags: setting('LANGUAGES', 'tags of languages such as en, de', toTags),
	requestsPerMinute: withDefault(wholeNumber('REQUESTS_PER_MINUTE'), 600),
	deleteAfterDays: wholeNumber('DELETE_AFTER_DAYS', { max: 36_500 }),
	eventsDays: withDefault(wholeNumber('EVENTS_DAYS', { max: 36_500 }), 365),
	codesPerAddress: withDefault(wholeNumber('CODES_PER_ADDRESS'), 5),
	codesPerIp: withDefault(wholeNumber('CODES_PER_IP'), 20),
	rememberHours: withDefault(wholeNumber('REMEMBER_HOURS', { min: 0, max: 720 }), 12),
	maxUploadBytes: withDefault(wholeNumber('MAX_UPLOAD_BYTES'), Infinity),
	scanCommand: setting('SCAN_COMMAND', 'a command', (command) => command),
	clamdUrl: checkedText('CLAMD_URL', 'tcp://host:port or unix:///path', isClamdUrl),
	keptFreeBytes: withDefault(wholeNumber('KEEP_FREE_BYTES', { min: 0 }), 1_000_000_000),
	logLevel: withDefault(
		checkedText('LOG_LEVEL', `one of ${LOG_LEVELS.join(', ')}`, isLogLevel),
		LOG_LEVEL,
	),
	logFormat: withDefault(setting('LOG_FORMAT', 'json or text', toLogFormat), LOG_FORMAT),
};

/** Reads the settings of the environment, and what follows from several of them. @throws SettingError */
export function readConfig(environment: Record<string, string | undefined>) {
	const { tlsCert: cert, tlsKey: key, ...settings } = readSettings(SETTINGS, environment);
	const { brandFolder, languageTags } = settings;
	const brand = brandFolder === undefined ? undefined : readBrand(brandFolder);
	const languages = limitLanguages(readLanguages(brandFolder), languageTags);
	const certificate = cert && key ? { cert, key } : undefined;
	if (!cert !== !key) throw new SettingError('Set both TLS_CERT and TLS_KEY, or neither.');
	if (!attempt(() => createSecureContext(certificate))) {
		throw new SettingError("TLS_KEY isn't the key of TLS_CERT.");
	}
	const outsideKeys = findOutsideKeys(settings);
	if (settings.databaseUrl && !outsideKeys) {
		throw new SettingError(
			'With DATABASE_URL, set MASTER_KEY, MASTER_KEY_FILE or MASTER_KEY_COMMAND: all processes need the same key.',
		);
	}
	if (settings.databaseUrl && !certificate && !settings.isTlsOff) {
		throw new SettingError('With DATABASE_URL, set TLS_CERT and TLS_KEY, or TLS=off.');
	}
	if (settings.smtpUrl && settings.owner === NO_MAILBOX) {
		throw new SettingError(
			`With SMTP_URL, set OWNER_EMAIL to your address: the mail server would get the codes of ${NO_MAILBOX}, who can open everything. If ${NO_MAILBOX} already has containers or API keys, first run "users rename ${NO_MAILBOX} <your address>".`,
		);
	}
	const maxBytes = settings.storageUrl ? S3_BYTES : Infinity;
	const maxUploadBytes = Math.min(settings.maxUploadBytes, maxBytes);
	const openScan = chooseScanner(settings);
	const isOfficeShown = settings.office !== undefined;
	const derived = { brand, languages, certificate, outsideKeys, maxUploadBytes, openScan };
	return { ...settings, ...derived, isOfficeShown };
}

function toOrigin(url: string): string | undefined {
	const { protocol, href, origin } = new URL(url);
	return protocol === 'https:' && href === `${origin}/` ? origin : undefined;
}

function isApiKey(text: string): boolean {
	return /^[\x21-\x7e]{16,256}$/.test(text);
}

/** @param sender an address, or a name with an address in angle brackets */
export function getAddress(sender: string): string {
	const [, address = sender] = /<([^<>]+)>$/.exec(sender) ?? [];
	return address;
}

function isSender(text: string): boolean {
	return normalizeAddress(getAddress(text)) !== undefined;
}

function toTags(list: string): string[] {
	return list.split(',').map((tag) => tag.trim());
}

function parseHosts(list: string): string[] | undefined {
	const hosts = list.split(',').map((entry) => entry.trim());
	return hosts.every((host) => isIP(host) !== 0) ? hosts : undefined;
}

function parseTlsNames(list: string): string[] | undefined {
	const names = list.split(',').map((entry) => entry.trim().toLowerCase());
	const isName = (name: string) => /^[a-z\d_-]+(?:\.[a-z\d_-]+)*$/.test(name) || isIP(name) !== 0;
	return names.every(isName) ? names : undefined;
}

function isOff(text: string): true | undefined {
	return text === 'off' || undefined;
}

function parseProxies(list: string): ((address: string) => boolean) | undefined {
	const ranges = list.split(',').map((entry) => parseRange(entry.trim()));
	if (ranges.includes(undefined)) return undefined;
	return (address) => ranges.some((contains) => contains?.(withoutPort(address)));
}

function toLogFormat(text: string): 'json' | 'text' | undefined {
	return text === 'json' || text === 'text' ? text : undefined;
}

function isLogLevel(text: string): boolean {
	return LOG_LEVELS.includes(text);
}
