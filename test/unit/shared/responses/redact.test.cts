import { Redactor } from '../../../../nodes/shared/responses/redact';

const key = 'key-3f9c/1d5e+7a2b"4c6d';
const password = '1234';
const filter = () => new Redactor([key, password, '']);

describe('a secret in text', () => {
	it.each([
		['in plain text', `Bearer ${key}.`],
		['within a word', `x${key}x`],
		['in JSON', JSON.stringify({ echoed: key })],
		['in a URL', `https://x.example/?key=${encodeURIComponent(key)}`],
		['in Base64', Buffer.from(key).toString('base64')],
		['twice', `${key} ${key}`],
	])('is redacted %s', (_where, text) => {
		const cleaned = filter().redactText(text);
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
	])('is redacted where it is short and stands %s', (_where, text, cleaned) => {
		expect(filter().redactText(text)).toBe(cleaned);
	});

	it.each(['Container 512345 was not found', 'abc1234', '1234ü', '2026-11-21'])(
		'is kept where a word only contains a short one: %j',
		(text) => {
			expect(filter().redactText(text)).toBe(text);
		},
	);

	it.each(['anything at all', 'undefined', '(a) - (b)'])(
		'changes nothing where there are none: %s',
		(text) => {
			expect(new Redactor(['']).redactText(text)).toBe(text);
			expect(new Redactor(['  ']).redactText(text)).toBe(text);
			expect(new Redactor(['']).redactJson({ text, nothing: '' })).toEqual({ text, nothing: '' });
		},
	);

	it('is redacted within a word from eight characters', () => {
		const redactor = new Redactor(['abcdefgh', '1234567']);
		expect(redactor.redactText('xabcdefghx x1234567x')).toBe('x[hidden]x x1234567x');
	});

	it('is matched literally, with any special characters', () => {
		const signs = '$&.*+?^{}()|[]\\/-$1';
		expect(new Redactor([signs]).redactText(`a ${signs} b`)).toBe('a [hidden] b');
		for (const short of ['$1', 'pw-4711', 'a/b', '[x]', '^', '(', '\\d', '{2}']) {
			expect(new Redactor([short]).redactText(`pay ${short} now`)).toBe('pay [hidden] now');
		}
	});

	it('can contain half a surrogate pair', () => {
		expect(new Redactor(['secret-\uD83D']).redactText('a secret-\uD83D b')).toBe('a [hidden] b');
	});
});

describe('a secret in JSON', () => {
	it('is redacted in values, in keys, in lists and at any depth', () => {
		const cleaned = filter().redactJson({
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
		'is redacted under the key %s with any value',
		(name) => {
			expect(new Redactor([]).redactJson({ [name]: 'unknown', count: 1 })).toEqual({
				[name]: '[hidden]',
				count: 1,
			});
			expect(new Redactor([]).redactJson({ [name]: 4829 })).toEqual({ [name]: '[hidden]' });
		},
	);

	it.each([[true], [false], [null], [''], [999]])(
		'does not redact flags and counts about the password: %j',
		(value) => {
			expect(new Redactor([]).redactJson({ password: value })).toEqual({ password: value });
		},
	);

	it('is redacted where the service returns it as a number', () => {
		const numeric = new Redactor(['48291357', '4711', '123']);
		const numbers = { code: 48291357, short: 4711, size: 482913570, count: 123 };
		expect(numeric.redactJson(numbers)).toEqual({
			code: '[hidden]',
			short: '[hidden]',
			size: 482913570,
			count: 123,
		});
	});

	it('keeps identifiers that contain a short one, and redacts one that equals it', () => {
		const uuid = '1234abcd-1234-4234-8234-123412341234';
		expect(new Redactor(['1234']).redactJson({ uuid })).toEqual({ uuid });
		expect(new Redactor([uuid]).redactJson({ uuid })).toEqual({ uuid: '[hidden]' });
	});

	it.each([
		...['id', 'uuid', 'user_id', 'containerId', 'name', 'first_name', 'last_name', 'file_name'],
		...['filename', 'email', 'email_address', 'emailaddress', 'mail', 'recipients'],
	])('keeps a password, but not the API key, in what a record is recognized by: %s', (name) => {
		const redactor = new Redactor([key]).extend(['hunter22']);
		expect(redactor.redactJson({ [name]: 'hunter22', list: { [name]: [key] } })).toEqual({
			[name]: 'hunter22',
			list: { [name]: ['[hidden]'] },
		});
	});

	it.each(['ids', 'idea', 'uid', 'names', 'nickname', 'mails', 'emails', 'title', 'video'])(
		'is redacted in %s',
		(name) => {
			const redactor = new Redactor([key]).extend(['hunter22']);
			expect(redactor.redactJson({ [name]: 'hunter22' })).toEqual({ [name]: '[hidden]' });
		},
	);

	it('is redacted beside a UUID', () => {
		const uuid = '1234abcd-1234-4234-8234-123412341234';
		const { after, before } = new Redactor(['1234']).redactJson({
			after: `${uuid} 1234`,
			before: `1234 ${uuid}`,
		});
		expect(after).toMatch(/ \[hidden\]$/);
		expect(before).toMatch(/^\[hidden\] /);
	});

	it('is redacted in a list alone', () => {
		const redactor = new Redactor([key]).extend(['hunter22']);
		expect(redactor.redactJson(['hunter22', 'title'])).toEqual(['[hidden]', 'title']);
	});

	it('keeps numbers, booleans and null', () => {
		const value = { a: 1, b: true, c: null, d: [0.5] };
		expect(filter().redactJson(structuredClone(value))).toEqual(value);
	});

	it('is redacted in place, without recursion', () => {
		const root: unknown[] = [];
		let inner = root;
		for (let depth = 0; depth < 50_000; depth += 1) {
			const next: unknown[] = [];
			inner.push(next);
			inner = next;
		}
		inner.push(key);
		expect(filter().redactJson(root)).toBe(root);
		expect(inner).toEqual(['[hidden]']);
	});
});
