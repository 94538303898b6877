import { SecretFilter } from '../../../nodes/shared/answers/secrets';

const key = 'key-3f9c/1d5e+7a2b"4c6d';
const password = '1234';
const filter = () => new SecretFilter([key, password, undefined, '']);

describe('a secret in text', () => {
	it.each([
		['as it is', `Bearer ${key}.`],
		['within a word', `x${key}x`],
		['in JSON', JSON.stringify({ echoed: key })],
		['in a URL', `https://x.example/?key=${encodeURIComponent(key)}`],
		['in Base64', Buffer.from(key).toString('base64')],
		['twice', `${key} ${key}`],
	])('is hidden %s', (_where, text) => {
		const cleaned = filter().text(text);
		expect(cleaned).toContain('[hidden]');
		for (const form of [
			key,
			JSON.stringify(key).slice(1, -1),
			encodeURIComponent(key),
			Buffer.from(key).toString('base64'),
		]) {
			expect(cleaned).not.toContain(form);
		}
	});

	it.each([
		['alone', 'Password 1234 is too short', 'Password [hidden] is too short'],
		['in quotes', '"1234"', '"[hidden]"'],
		['at both ends', '1234:1234', '[hidden]:[hidden]'],
	])('is hidden where it is short and stands %s', (_where, text, cleaned) => {
		expect(filter().text(text)).toBe(cleaned);
	});

	it.each(['Container 512345 was not found', 'abc1234', '1234ü', '2026-11-21'])(
		'leaves what only contains a short one: %j',
		(text) => {
			expect(filter().text(text)).toBe(text);
		},
	);

	it('does nothing where there are no secrets', () => {
		expect(new SecretFilter([undefined, '']).text('anything at all')).toBe('anything at all');
	});

	it('is taken literally, whatever signs it holds', () => {
		const signs = '$&.*+?^{}()|[]\\/-$1';
		expect(new SecretFilter([signs]).text(`a ${signs} b`)).toBe('a [hidden] b');
		for (const short of ['$1', 'pw-4711', 'a/b', '[x]', '^', '(', '\\d', '{2}']) {
			expect(new SecretFilter([short]).text(`pay ${short} now`)).toBe('pay [hidden] now');
		}
	});

	it('may hold half a character', () => {
		expect(new SecretFilter(['secret-\uD83D']).text('a secret-\uD83D b')).toBe('a [hidden] b');
	});
});

describe('a secret in JSON', () => {
	it('is hidden in values, in keys, in lists and at any depth', () => {
		const cleaned = filter().json({
			[`header ${key}`]: 'kept',
			list: [key, { deep: [`Bearer ${key}`] }],
			pin: '1234',
		});
		expect(cleaned).toEqual({
			'header [hidden]': 'kept',
			list: ['[hidden]', { deep: ['Bearer [hidden]'] }],
			pin: '[hidden]',
		});
	});

	it.each(['password', 'Password', 'passphrase', 'passwd', 'api_key', 'apiKey', 'apikey'])(
		'is hidden under the key %s, whatever it is',
		(name) => {
			expect(new SecretFilter([]).json({ [name]: 'unknown', count: 1 })).toEqual({
				[name]: '[hidden]',
				count: 1,
			});
			expect(new SecretFilter([]).json({ [name]: 482913 })).toEqual({ [name]: '[hidden]' });
		},
	);

	it.each([[true], [false], [null], ['']])(
		'does not replace what says whether there is a password: %j',
		(value) => {
			expect(new SecretFilter([]).json({ password: value })).toEqual({ password: value });
		},
	);

	it('is hidden where the service echoes it as a number', () => {
		const numeric = new SecretFilter(['48291357']);
		expect(numeric.json({ pin: 48291357, size: 482913570 })).toEqual({
			pin: '[hidden]',
			size: 482913570,
		});
	});

	it('leaves identifiers whole that contain a short one, and hides one that is it', () => {
		const uuid = '1234abcd-1234-4234-8234-123412341234';
		expect(new SecretFilter(['1234']).json({ uuid })).toEqual({ uuid });
		expect(new SecretFilter([uuid]).json({ uuid })).toEqual({ uuid: '[hidden]' });
	});

	it('leaves numbers, booleans and null as they are', () => {
		const value = { a: 1, b: true, c: null, d: [0.5] };
		expect(filter().json(structuredClone(value))).toEqual(value);
	});

	it('is looked for in place, without recursion', () => {
		const root: unknown[] = [];
		let inner = root;
		for (let depth = 0; depth < 50_000; depth += 1) {
			const next: unknown[] = [];
			inner.push(next);
			inner = next;
		}
		inner.push(key);
		expect(filter().json(root)).toBe(root);
		expect(inner).toEqual(['[hidden]']);
	});
});
