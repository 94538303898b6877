import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readOptions } from '../../../tools/probe/options.cts';

const KEY = 'a-key-that-nobody-may-see';
const baseUrl = 'https://share.example.com/api/v1';
const service = ['--base-url', baseUrl];

let folder: string;
beforeAll(async () => {
	folder = await mkdtemp(join(tmpdir(), 'probe-'));
	await writeFile(join(folder, 'key'), `${KEY}\n`);
	await writeFile(join(folder, 'empty'), '');
	await writeFile(join(folder, 'two-keys'), `${KEY} ${KEY}`);
});
afterAll(async () => await rm(folder, { recursive: true }));

const key = (file = 'key') => ['--key-file', join(folder, file)];

it('reads the key from a file', async () => {
	const options = await readOptions([...service, ...key()], {});

	expect(options).toEqual({ baseUrl, apiKey: KEY, save: undefined });
});

it('reads the key from the environment', async () => {
	const options = await readOptions([...service, '--save', folder], { PROBE_API_KEY: KEY });

	expect(options).toEqual({ baseUrl, apiKey: KEY, save: folder });
});

it('needs nothing for the help', async () => {
	expect(await readOptions(['--help'], {})).toBeUndefined();
});

it.each<[string, () => string[], RegExp]>([
	['no base URL', () => key(), /--base-url is missing/],
	['plain HTTP', () => ['--base-url', 'http://a.example', ...key()], /does not start with https/],
	[
		'no URL',
		() => ['--base-url', 'share', ...key()],
		/--base-url can't be used. It is not a valid/,
	],
	['no key', () => service, /no API key: use --key-file, or set PROBE_API_KEY/],
	['a key file that is missing', () => [...service, ...key('x')], /--key-file can't be read/],
	['an empty key file', () => [...service, ...key('empty')], /must contain the API key/],
	['two keys', () => [...service, ...key('two-keys')], /must contain the API key and nothing/],
	['a key as an argument', () => [...service, '--key', 'x'], /Unknown option '--key'/],
	['a file to save to', () => [...service, ...key(), '--save', __filename], /is not a folder/],
])('refuses %s', async (_what, args, message) => {
	const reading = readOptions(args(), {});

	await expect(reading).rejects.toThrow(message);
	await expect(reading).rejects.not.toThrow(KEY);
});
