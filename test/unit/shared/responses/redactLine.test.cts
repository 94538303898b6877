import { Redactor } from '../../../../nodes/shared/responses/redact';

const password = 'Green-Harbour-7!';
const redactor = new Redactor(['api-key-0123456789', password]);
const line = (text: string) => redactor.redactLine(text);

describe('text of the service in a message', () => {
	it.each([
		['line breaks', 'one\r\ntwo\u2028three\u0085four', 'one two three four'],
		['control characters', 'a\u0000b\u0007c\u007f', 'a b c'],
		['escapes of a terminal', 'a\u001b[31mred', 'a [31mred'],
		['changes of direction', 'invoice\u202egnp.exe\u2066x\u200f', 'invoice gnp.exe x'],
		['characters that can’t be seen', 'a\u200bb\ufeffc\u00add', 'a b c d'],
		['half a surrogate pair', 'a\ud83db', 'a b'],
		[
			'tags',
			'<a href="https://evil.example">Sign in</a>',
			'‹a href="https://evil.example"›Sign in‹/a›',
		],
	])('has no %s', (_what, text, cleaned) => {
		expect(line(text)).toBe(cleaned);
	});

	it('keeps letters of all languages and symbols', () => {
		const text = 'Größe überschritten: 容器不存在 – контейнер 🔒 & 5 %';
		expect(line(text)).toBe(text);
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

	it('is searched up to 20,000 characters', () => {
		const end = `${' '.repeat(19_999)}a`;
		expect(line(end)).toBe('a');
		expect(line(end + ' '.repeat(1000))).toBe('a…');
		expect(new Redactor([]).redactLine(end)).toBe('a');
		expect(new Redactor([]).redactLine(` ${end}`)).toBe('…');
	});

	it('does not end with half a secret, wherever it is cut', () => {
		for (let before = 19_900; before <= 20_300; before += 1) {
			const text = ' '.repeat(before) + password.repeat(100);
			expect(line(text)).not.toContain(password.slice(0, 3));
		}
	});
});
