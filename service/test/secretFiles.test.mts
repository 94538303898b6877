import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readConfig } from '../src/config.mts';
import { createFolder } from './support/service.mts';

const KEY = Buffer.alloc(32, 1).toString('base64');

function writeSecret(text: string): string {
	const file = join(createFolder(), 'secret');
	writeFileSync(file, text);
	return file;
}

describe('a secret in a file', () => {
	it.each([
		['API_KEY', 'ec_of-a-file-of-docker', 'apiKey'],
		['DATABASE_URL', 'postgres://a:secret@localhost/b', 'databaseUrl'],
		['SMTP_URL', 'smtp://a:secret@localhost', 'smtpUrl'],
		['MASTER_KEY_PREVIOUS', KEY, 'previousMasterKey'],
	] as const)('is the same as %s', (name, value, key) => {
		const others = { MASTER_KEY: KEY, TLS: 'off', OWNER_EMAIL: 'olive@example.com' };
		const config = readConfig({ ...others, [`${name}_FILE`]: writeSecret(`${value}\n`) });
		expect(config[key]).toBe(value);
	});

	it.each([
		['/missing', {}, "SMTP_URL_FILE must be the path of a file that isn't empty (ENOENT)."],
		[' \n', {}, "SMTP_URL_FILE must be the path of a file that isn't empty."],
		['smtp://a', { SMTP_URL: 'smtp://b' }, 'Set SMTP_URL or SMTP_URL_FILE, not both.'],
		[
			'http://user:secret@host',
			{},
			'What the file of SMTP_URL_FILE holds must be a URL that begins with smtp:// or smtps://, with / # ? % in a password written as %2F %23 %3F %25.',
		],
		[
			'smtp://user:sec#ret@host',
			{},
			'What the file of SMTP_URL_FILE holds must be a URL that begins with smtp:// or smtps://, with / # ? % in a password written as %2F %23 %3F %25.',
		],
	])('with %j is refused by name, without what it holds', (text, others, message) => {
		const file = text === '/missing' ? text : writeSecret(text);
		expect(() => readConfig({ ...others, SMTP_URL_FILE: file })).toThrow(message);
	});

	it.each(['SMTP_URL_FILE', 'MASTER_KEY_FILE', 'TLS_CERT', 'COUNTRY_DATABASE'])(
		'says that %s is a folder, as Docker makes one for a file that is missing',
		(name) => {
			expect(() => readConfig({ [name]: createFolder() })).toThrow(
				new RegExp(`^${name} must be .*\\(EISDIR\\)\\.$`),
			);
		},
	);
});
