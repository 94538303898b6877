import { Redactor } from '../../../../nodes/shared/responses/redact';

const passwords = [
	...['Grün & "Hafen"/7', ' padded by spaces ', 'Ω-\u00e9-e\u0301-Straße', '482913', 'pW7'],
	...[
		'a'.repeat(200),
		`${'ab'.repeat(99)}C`,
		'MiXeD-cAsE-42',
		"<a>='b'+`c`~!(*)\\ é/1",
		'???>>>~~~',
	],
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
const toBase64 = (text: string, alphabet: 'base64' | 'base64url' = 'base64') =>
	Buffer.from(text).toString(alphabet);
const toHex = (text: string) => Buffer.from(text).toString('hex');
const toHtml = (text: string) =>
	text.replace(/[^\w -]/gu, (sign) => `&#x${Number(sign.codePointAt(0)).toString(16)};`);

const alterations: Array<[string, (text: string) => string]> = [
	['unaltered', (text) => text],
	['trimmed', (text) => text.trim()],
	['in lower case', (text) => text.toLowerCase()],
	['in upper case', (text) => text.toUpperCase()],
	['trimmed and in lower case', (text) => text.trim().toLowerCase()],
	['with composed letters', (text) => text.normalize('NFC')],
	['with decomposed letters', (text) => text.normalize('NFD')],
	['in upper case with decomposed letters', (text) => text.toUpperCase().normalize('NFD')],
];
const encodings: Array<[string, (text: string) => string]> = [
	['as entered', (text) => text],
	['in JSON', toJson],
	['in JSON of ASCII', (text) => toJson(text).replace(/[^ -~]/g, escape)],
	['in JSON of Go', (text) => toJson(text).replace(/[<>&]/g, escape)],
	['in JSON of Gson', (text) => toJson(text).replace(/[<>&'=]/g, escape)],
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
	['in a whole URL', encodeURI],
	['in a URL, strictly', toUrl],
	['in a URL in lower case', (text) => toUrl(text).replace(/%../g, (sign) => sign.toLowerCase())],
	['in a URL with slashes', (text) => toUrl(text).replaceAll('%2F', '/')],
	['in a URL with plus signs', (text) => toUrl(text).replaceAll('%20', '+')],
	['in a URL without tildes', (text) => toUrl(text).replaceAll('~', '%7E')],
	['in a form', (text) => new URLSearchParams([['', text]]).toString().slice(1)],
	['in Base64', (text) => toBase64(text)],
	['in Base64 in JSON of PHP', (text) => toBase64(text).replaceAll('/', '\\/')],
	['in Base64 in a URL', (text) => encodeURIComponent(toBase64(text))],
	['in Base64 for URLs', (text) => toBase64(text, 'base64url')],
	['in hex', toHex],
	['in hex in capitals', (text) => toHex(text).toUpperCase()],
	['in a URL in JSON', (text) => toJson(encodeURIComponent(text))],
	['in HTML', toHtml],
];

describe.each(alterations)('a password %s', (_how, alter) => {
	let redactors: Array<[string, Redactor]>;
	beforeAll(() => {
		const base = new Redactor(['api-key-0123456789']);
		redactors = passwords.map((password) => [password, base.extend([password])]);
	});

	it.each(encodings)('is redacted %s', (_where, encode) => {
		for (const [password, redactor] of redactors) {
			const echoed = encode(alter(password));
			expect(redactor.redactText(`It is "${echoed}".`)).toMatch(
				/^It is "\S{0,6} ?\[hidden\] ?\S{0,6}"\.$/,
			);
		}
	});
});

describe('a text that nearly has the password', () => {
	it.each(['é', '!', '%', '\\', '+', 'ab'])('is searched in no time: %j', (sign) => {
		const passwords = [198, 199, 200].map((length) => sign.repeat(length / sign.length));
		const redactor = new Redactor(['api-key-0123456789']).extend(passwords);
		for (const [, encode] of encodings) {
			for (const near of [sign, sign.normalize('NFD')].map((text) => encode(text.repeat(98)))) {
				// Processor time, since others may use the machine.
				const start = process.cpuUsage();
				redactor.redactText(`${near}x`.repeat(Math.ceil(4000 / near.length)));
				expect(process.cpuUsage(start).user / 1000).toBeLessThan(50);
			}
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
		const redactor = new Redactor(['key-0123456789']).extend(['my key-0123456789!', '0123456789']);
		expect(redactor.redactText('my key-0123456789! key-0123456789 0123456789')).toBe(
			'[hidden] [hidden] [hidden]',
		);
	});
});
