import { mentionsPassword, Redactor } from '../../../../nodes/shared/responses/redact';

const key = 'key-3f9c/1d5e+7a2b"4c6d';
const password = '1234';
const filter = () => new Redactor([key, password, '']);

describe('a secret in text', () => {
	it('is redacted in any case, also within a word and twice', () => {
		expect(filter().redactText(`x${key}x ${key}`)).toBe('x[hidden]x [hidden]');
		expect(filter().redactText('x KEY-3f9C/1d5E+7A2b"4c6D')).toBe('x [hidden]');
		const uuid = '5f0c2a4e-8d1b-4c7a-9e36-2b7d1f4a6c90';
		expect(new Redactor([uuid]).redactText(`{${uuid.toUpperCase()}}`)).toBe('{[hidden]}');
	});

	it.each([
		['Password 1234 is too short', 'Password [hidden] is too short'],
		['"1234"', '"[hidden]"'],
		['1234:1234', '[hidden]:[hidden]'],
		...['Container 512345 was not found', 'abc1234', '1234ü', '2026-11-21'].map((text) => [
			text,
			text,
		]),
	])('is redacted where it is short only where it stands alone: %j', (text, cleaned) => {
		expect(filter().redactText(text)).toBe(cleaned);
	});

	it('is matched literally, with any special characters', () => {
		const odd = ['$&.*+?^{}()|[]\\/-$1', '$1', 'pw-4711', 'a/b', '[x]', '^', '(', '\\d', '{2}'];
		for (const secret of [...odd, 'secret-\uD83D']) {
			expect(new Redactor([secret]).redactText(`pay ${secret} now`)).toBe('pay [hidden] now');
		}
	});
});

const kept = { a: 1, b: true, c: null, d: [0.5], list: ['title'] };
/** The passwords, and a value of the service before and after. */
const table: Array<[string, string[], object, object]> = [
	[
		'values, keys and lists, at any depth',
		[password],
		{ [`header ${key}`]: 'kept', list: [key, { deep: [`Bearer ${key}`] }], code: '1234' },
		{
			'header [hidden]': 'kept',
			list: ['[hidden]', { deep: ['Bearer [hidden]'] }],
			code: '[hidden]',
		},
	],
	['a list alone', ['hunter22'], ['hunter22', 'title'], ['[hidden]', 'title']],
	['nothing else', [password], kept, kept],
	[
		'a number, other than a count',
		['48291357', ' 4711 ', '123'],
		{ code: 48291357, short: 4711, size: 482913571, count: 123 },
		{ code: '[hidden]', short: '[hidden]', size: 482913571, count: 123 },
	],
	[
		'fields named as a password, other than switches and counts',
		[],
		{
			password: 'unknown',
			api_key: 'x',
			PassCode: 4829,
			a: { password: true, pin: null, pw: 999 },
		},
		{
			...{ password: '[hidden]', api_key: '[hidden]', PassCode: '[hidden]' },
			a: { password: true, pin: null, pw: 999 },
		},
	],
];

const recordNames = [
	...['id', 'uuid', 'user_id', 'containerId', 'name', 'first_name', 'last_name', 'file_name'],
	...['filename', 'email', 'email_address', 'emailaddress', 'mail', 'recipients'],
	...['emailTo', 'endsOn'],
];
const otherNames = ['ids', 'idea', 'uid', 'names', 'nickname', 'mails', 'emails', 'title', 'video'];

describe('a secret in JSON', () => {
	it.each(table)('is redacted in %s', async (_where, passwords, value, redacted) => {
		const root = structuredClone(value) as unknown[];
		const redactor = new Redactor([key]).extend(passwords);

		expect(await redactor.redactJson(root, pause)).toBe(root);
		expect(root).toEqual(redacted);
	});

	it.each([...recordNames, ...otherNames])(
		'is redacted in %s, unless it names a record and the secret is a password',
		async (name) => {
			const redactor = new Redactor([key]).extend(['hunter22']);
			const value = { [name]: 'hunter22', list: { [name]: [key] } };
			expect(await redactor.redactJson(value, pause)).toEqual({
				[name]: recordNames.includes(name) ? 'hunter22' : '[hidden]',
				list: { [name]: ['[hidden]'] },
			});
		},
	);
});

describe('a large record', () => {
	it('is redacted with breaks', async () => {
		const pauses = jest.fn(pause);
		const redactor = new Redactor(['api-key-0123456789']).extend(['pW7']);
		const record = { text: 'Ein Text. '.repeat(20_000), list: Array(2000).fill('pW7') };

		const redacted = await redactor.redactJson(structuredClone(record), pauses);

		expect(redacted).toEqual({ text: record.text, list: Array(2000).fill('[hidden]') });
		expect(pauses.mock.calls.length).toBeGreaterThan(200);
	});

	it('is redacted as a short one is, wherever it is divided', async () => {
		const redactor = new Redactor(['api-key-0123456789']).extend(['🔒a-b🔒', 'x pW7 x']);
		for (let before = 3980; before < 4010; before += 1) {
			const text = `${'ü'.repeat(before)} 🔒a-b🔒 1🔒a-b🔒 API-KEY-0123456789${'x pW7 x'.repeat(600)}`;
			const { said } = await redactor.redactJson({ said: text }, pause);
			expect(said).toBe(redactor.redactText(text));
		}
	});
});

describe('text of the service in a message', () => {
	const secret = 'Green-Harbour-7!';
	const redactor = new Redactor(['api-key-0123456789', secret]);
	const line = (text: string) => redactor.redactLine(text);

	it.each([
		['one\r\ntwo\u2028three\u0085four', 'one two three four'],
		['a\u0000b\u0007c\u007f', 'a b c'],
		['a\u001b[31mred', 'a [31mred'],
		['invoice\u202egnp.exe\u2066x\u200f', 'invoice gnp.exe x'],
		['a\u200bb\ufeffc\u00add', 'a b c d'],
		['a\ud83db', 'a b'],
		['<a href="https://evil.example">Sign in</a>', '‹a href="https://evil.example"›Sign in‹/a›'],
		...['Größe überschritten: 容器不存在 – контейнер 🔒 & 5 %'].map((text) => [text, text]),
	])('is one plain line: %j', (text, cleaned) => {
		expect(line(text)).toBe(cleaned);
	});

	it('has at most 500 characters and no half of a pair at its end', () => {
		expect(line('a'.repeat(500))).toBe('a'.repeat(500));
		expect(line('a'.repeat(501))).toBe(`${'a'.repeat(500)}…`);
		expect(line(`${'a'.repeat(499)}🔒!`)).toBe(`${'a'.repeat(499)}…`);
		expect(line(`🔒${'a'.repeat(499)}`)).toBe(`🔒${'a'.repeat(498)}…`);
	});

	it('is cut before it is cleaned, however long it is', () => {
		expect(line('ab '.repeat(1_000_000))).toBe(`${'ab '.repeat(167).slice(0, 500)}…`);
		expect(line(' '.repeat(2_000_000))).toBe('…');
		expect(line(' '.repeat(30_000) + 'a'.repeat(1000))).toBe('…');
	});

	it('does not end with half a secret, wherever it is cut', () => {
		for (let before = 19_900; before <= 20_300; before += 1) {
			const text = ' '.repeat(before) + secret.repeat(100);
			expect(line(text)).not.toContain(secret.slice(0, 3));
		}
	});
});

describe('the name of a field', () => {
	const hides = async (name: string) =>
		(await new Redactor([]).redactJson({ [name]: 'x' }, pause))[name] === '[hidden]';

	it.each([
		...['password', 'PASSWORD', 'passWord', 'passwords', 'passwd', 'passphrase', 'PassCode'],
		...['pass_code', 'pass', 'pwd', 'pw', 'PIN', 'pins', 'pinCode', 'pin2', 'user-pin', 'userPIN'],
		...['secret', 'viewer_password', 'api_key', 'apiKey', 'API-Key', 'API - Key', 'Passwort'],
	])('is that of a password: %s', async (name) => {
		expect([await hides(name), mentionsPassword(name)]).toEqual([true, true]);
	});

	it.each([
		...['password_changed_at', 'has_password_rule', 'pin_count', 'user_pins_left', 'apiKeyOwner'],
		...['pass code hint', 'kennwortRegel'],
	])('is about a password: %s', async (name) => {
		expect([await hides(name), mentionsPassword(name)]).toEqual([false, true]);
	});

	it.each([
		...['name', 'opinion', 'shippingDate', 'secretary', 'compass', 'keyOwner', 'passport', 'spin'],
		...['spin_count', 'pink', '', 'uuid', 'Größe'],
	])('has nothing to do with one: %j', async (name) => {
		expect([await hides(name), mentionsPassword(name)]).toEqual([false, false]);
	});
});

const passwords = [
	...['Grün & "Hafen"/7', ' padded by spaces ', 'Ω-\u00e9-e\u0301-Straße', '482913', 'pW7'],
	...['a'.repeat(200), 'MiXeD-cAsE-42', "<a>='b'+`c`~!(*)\\ é/1", '???>>>~~~'],
];
const hex = (sign: string) =>
	sign
		.charCodeAt(sign.length - 1)
		.toString(16)
		.padStart(4, '0');
const escape = (sign: string) => `\\u${hex(sign)}`;
const toJson = (text: string) => JSON.stringify(text).slice(1, -1);
const percent = (sign: string) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`;
const toUrl = (text: string) => encodeURIComponent(text).replace(/[!'()*]/g, percent);
const NAMED: Record<string, string> = {
	...{ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' },
};
const toHtml = (text: string, write: (sign: string) => string) =>
	text.replace(/[&<>"'/`=]/g, write);
const toBase64 = (text: string, alphabet: 'base64' | 'base64url' = 'base64') =>
	Buffer.from(text).toString(alphabet);

const alterations: Array<(text: string) => string> = [
	(text) => text,
	(text) => text.trim(),
	(text) => text.toLowerCase(),
	(text) => text.toUpperCase(),
];
const encodings: Array<[string, (text: string) => string]> = [
	['as entered', (text) => text],
	['in JSON', toJson],
	['in JSON of ASCII', (text) => toJson(text).replace(/[^ -~]/g, escape)],
	['in JSON of Go', (text) => toJson(text).replace(/[<>&]/g, escape)],
	[
		'in JSON of .NET',
		(text) =>
			toJson(text).replace(/[^ -~]|\\"|[&'+<>`]/g, (sign) => `\\u${hex(sign).toUpperCase()}`),
	],
	[
		'in JSON of PHP',
		(text) =>
			toJson(text)
				.replace(/[^ -~]/g, escape)
				.replaceAll('/', '\\/'),
	],
	['in JSON within JSON', (text) => JSON.stringify(JSON.stringify(text)).slice(3, -3)],
	['in a URL', encodeURIComponent],
	['in a URL, strictly', toUrl],
	['in a URL in lower case', (text) => toUrl(text).replace(/%../g, (sign) => sign.toLowerCase())],
	['in a URL with plus signs', (text) => toUrl(text).replaceAll('%20', '+')],
	['in a form', (text) => new URLSearchParams([['', text]]).toString().slice(1)],
	['in Base64', (text) => toBase64(text)],
	['in Base64 in JSON of PHP', (text) => toBase64(text).replaceAll('/', '\\/')],
	['in Base64 in a URL', (text) => encodeURIComponent(toBase64(text))],
	['in Base64 for URLs', (text) => toBase64(text, 'base64url')],
	['in HTML', (text) => toHtml(text, (sign) => `&#${sign.charCodeAt(0)};`)],
	['in HTML with names', (text) => toHtml(text, (sign) => NAMED[sign] ?? sign)],
	['in HTML with hexadecimal numbers', (text) => toHtml(text, (sign) => `&#x0${hex(sign)};`)],
	['in a URL in JSON', (text) => toJson(encodeURIComponent(text))],
];

describe('a password', () => {
	const base = new Redactor(['api-key-0123456789']);
	const rows = alterations.flatMap((alter) =>
		passwords.map((text) => ({ echoed: alter(text), redactor: base.extend([text]) })),
	);

	it.each(encodings)('is redacted %s, trimmed and in other capitals', (_where, encode) => {
		for (const { echoed, redactor } of rows) {
			expect(redactor.redactText(`It is "${encode(echoed)}".`)).toMatch(
				/^It is "\S{0,6} ?\[hidden\] ?\S{0,6}"\.$/,
			);
		}
	});
});

describe('a secret in Base64 of a longer text', () => {
	const echo = (secret: string, before: string, after: string, alphabet: 'base64' | 'base64url') =>
		new Redactor([secret]).redactText(Buffer.from(`${before}${secret}${after}`).toString(alphabet));

	it.each(['', 'u', 'u:', 'me:'])('is redacted behind %j', (before) => {
		for (const secret of ['abcdefgh', 'Grün & "Hafen"/7', 'ÿÿÿ>>>???~~~']) {
			for (const after of ['', '!', '!!']) {
				for (const alphabet of ['base64', 'base64url'] as const) {
					expect(echo(secret, before, after, alphabet)).toMatch(/^.{0,4}\[hidden\].{0,6}$/);
				}
			}
		}
	});

	it('is kept where it is short: what stands for it could be anything', () => {
		expect(echo('abc', 'u', '', 'base64')).toBe('dWFiYw==');
		expect(new Redactor(['abc']).redactText('FiY')).toBe('FiY');
	});
});

describe('two secrets', () => {
	it('are both redacted where one contains the other', () => {
		const redactor = new Redactor(['api-key']).extend(['0123456789', 'my key-0123456789!']);
		expect(redactor.redactText('my key-0123456789! api-key 0123456789')).toBe(
			'[hidden] [hidden] [hidden]',
		);
	});
});

async function pause(): Promise<void> {
	await Promise.resolve();
}
