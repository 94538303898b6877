import { keepAsIs, Redactor } from '../../../../nodes/shared/responses/redact';

const key = 'key-3f9c/1d5e+7a2b"4c6d';
const redactor = () => new Redactor([key, '']).extend(['2026', 'a"/+)', 'Grün & Hafen']);

describe('a secret in text', () => {
	it.each([
		['as it is', `x${key}x ${key}`, 'x[hidden]x [hidden]'],
		['in JSON', `{"a":${JSON.stringify(key)}}`, '{"a":"[hidden]"}'],
		['in a URL', `?a=${encodeURIComponent('Grün & Hafen')}&b`, '?a=[hidden]&b'],
		['in a URL in lower case', '?a=key-3f9c%2f1d5e%2b7a2b%224c6d', '?a=[hidden]'],
		['that is short, as the whole text', '2026', '[hidden]'],
		['that is short, elsewhere', 'until 2026-12-31 (2026)', 'until 2026-12-31 (2026)'],
		[
			'that is short, in JSON',
			'{"code":"2026","at":"2026-12-31"}',
			'{"code":"[hidden]","at":"2026-12-31"}',
		],
		['that is short, in a form', 'a=1&password=2026&b=2026.5', 'a=1&password=[hidden]&b=2026.5'],
		[
			'that is short, in a sentence',
			'The password 2026 is too short: 2026.',
			'The password [hidden] is too short: [hidden].',
		],
		[
			'that is short, in quotes',
			"Not '2026' but '2026-01' or \"in 2026\"",
			"Not '[hidden]' but '2026-01' or \"in 2026\"",
		],
		[
			'that is short, with signs',
			'{"password":"a\\"/+)"} a%22%2F%2B)',
			'{"password":"[hidden]"} a%22%2F%2B)',
		],
		['that is empty', '', ''],
	])('is redacted %s', (_where, text, redacted) => {
		expect(redactor().redactText(text)).toBe(redacted);
	});

	it('is matched literally, also half of a pair', () => {
		for (const secret of ['$&.*+?^{}()|[]\\/-$1', '$$$$$$$$', 'secret-\uD83D']) {
			expect(new Redactor([secret]).redactText(`pay ${secret} now`)).toBe('pay [hidden] now');
		}
	});
});

describe('a secret in JSON', () => {
	it('is redacted in values, keys and lists, at any depth', async () => {
		const record = {
			[`a ${key}`]: [key, { deep: [`Bearer ${key}`] }],
			code: '2026',
			pin: 48291357,
		};
		expect(await redactor().extend(['48291357']).redactJson(record)).toEqual({
			...{ 'a [hidden]': ['[hidden]', { deep: ['Bearer [hidden]'] }] },
			...{ code: '[hidden]', pin: '[hidden]' },
		});
	});

	it('leaves everything else as it was, and what the node itself wrote', async () => {
		const record = {
			...{ password: 'of somebody else', size: 2026, time: { end: '2026-12-31' }, name: '2026' },
			...{ note: 'Report 2026', at: 'the year: 2026/12', container_name: 'A: 2026' },
			...{ count: 0.5, none: null, settings: keepAsIs({ note: '2026' }) },
		};
		const before = structuredClone(record);
		expect(await redactor().redactJson(record)).toEqual(before);
	});
});

describe('text of the service in a message', () => {
	const line = (text: string) => redactor().redactLine(text);

	it.each([
		['one\r\ntwo\u2028three\u0085four', 'one two three four'],
		['invoice\u202egnp.exe\u2066x\u200f', 'invoice gnp.exe x'],
		['a\ud83db', 'a b'],
		['<a href="https://evil.example">Sign in</a>', '‹a href="https://evil.example"›Sign in‹/a›'],
		['Größe überschritten: 容器不存在 🔒 & 5 %', 'Größe überschritten: 容器不存在 🔒 & 5 %'],
		[`${'a'.repeat(490)} ${key}`, `${'a'.repeat(490)} [hidden]`],
	])('is one plain line: %j', (text, cleaned) => {
		expect(line(text)).toBe(cleaned);
	});

	it('has at most 500 characters and no half of a pair at its end', () => {
		expect(line('a'.repeat(500))).toBe('a'.repeat(500));
		expect(line('a'.repeat(501))).toBe(`${'a'.repeat(500)}…`);
		expect(line(`${'a'.repeat(499)}🔒!`)).toBe(`${'a'.repeat(499)}…`);
	});
});
