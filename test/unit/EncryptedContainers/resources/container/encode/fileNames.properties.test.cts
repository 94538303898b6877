import fc from 'fast-check';
import { cleanFileName } from '../../../../../../nodes/EncryptedContainers/resources/container/encode/fileNames';
import type { SourceFile } from '../../../../../../nodes/EncryptedContainers/resources/container/encode/sourceFiles';
import { deduplicateFileNames } from '../../../../../../nodes/EncryptedContainers/resources/container/encode/sourceFiles';
import { always, anyText } from '../../../../support/seeded.cts';

const longText = fc
	.tuple(anyText, fc.integer({ min: 1, max: 400 }))
	.map(([text, count]) => text.slice(0, 20).repeat(count));
const fileName = fc.oneof(
	anyText,
	longText,
	fc
		.tuple(longText, fc.constantFrom('.pdf', '.tar.gz', '.jpeg', ''))
		.map((parts) => parts.join('')),
);
const expectSafe = (name: string) => {
	expect(Buffer.byteLength(name)).toBeLessThanOrEqual(255);
	expect(name).not.toMatch(/[/\\\p{Cc}\p{Zl}\p{Zp}]|(?![\u200c\u200d])\p{Cf}/u);
	expect(['', '.', '..']).not.toContain(name.trim());
};

const toFile = (name: string): SourceFile => ({ name, type: 'text/plain', content: { text: '' } });

describe('a file name', () => {
	it('is one that parsers keep, or empty, and stays the same from then on', async () => {
		await always(
			fc.property(fileName, (name) => {
				const cleaned = cleanFileName(name);
				if (cleaned !== '') expectSafe(cleaned);
				expect(cleanFileName(cleaned)).toBe(cleaned);
			}),
			3000,
		);
	});

	it('keeps its extension and the start of its name', async () => {
		const plain = fc.stringMatching(/^[a-zé📦 ]{1,300}$/u);
		await always(
			fc.property(plain, fc.constantFrom('.pdf', '.jpeg', '.docx'), (stem, extension) => {
				fc.pre(stem.trim() !== '');
				const cleaned = cleanFileName(`C:\\folder/${stem}${extension}`);
				expect(cleaned.endsWith(extension)).toBe(true);
				expect(stem.startsWith(cleaned.slice(0, -extension.length))).toBe(true);
				if (Buffer.byteLength(stem) <= 250) expect(cleaned).toBe(`${stem}${extension}`);
			}),
		);
	});

	it.each([
		...['a..', '..a', 'a'.repeat(255), '👨‍👩‍👧 ❤️‍🔥.png', 'می‌خواهم क्‍ष.pdf'].map((name) => [
			name,
			name,
		]),
		...['../', '//', '\u0000\u2028\u200b'].map((name) => [name, '']),
		['a'.repeat(256), 'a'.repeat(255)],
		// The longest extension, and what is too long for one.
		[`${'a'.repeat(255)}.${'b'.repeat(31)}`, `${'a'.repeat(223)}.${'b'.repeat(31)}`],
		[`${'a'.repeat(254)}.${'b'.repeat(32)}`, `${'a'.repeat(254)}.`],
		['invoice\u202efdp.exe', 'invoicefdp.exe'],
		['\ufeffa\u00adb\u200e\u2066c\u2069.txt', 'abc.txt'],
	])('is cleaned: %j', (name, cleaned) => {
		expect(cleanFileName(name)).toBe(cleaned);
	});

	it('is unique in a container, and still one that parsers keep', async () => {
		await always(
			fc.property(fc.array(fileName, { maxLength: 20 }), (names) => {
				const files = [...names, ...names].map((name) => toFile(cleanFileName(name) || 'file'));
				const unique = deduplicateFileNames(files).map(({ name }) => name);
				expect(new Set(unique.map((name) => name.toLowerCase())).size).toBe(files.length);
				for (const name of unique) expectSafe(name);
			}),
		);
	});

	it('is unique also where names look numbered, or are too long to differ with a number', () => {
		const names = Array.from({ length: 2000 }, (_file, at) =>
			at % 2
				? 'a.pdf'
				: at % 4
					? `a (${at}).pdf`
					: `${'x'.repeat(251)}${1000 + Math.floor(at / 8)}`,
		);
		const unique = deduplicateFileNames(names.map(toFile)).map(({ name }) => name.toLowerCase());
		expect(new Set(unique).size).toBe(2000);
	});
});
