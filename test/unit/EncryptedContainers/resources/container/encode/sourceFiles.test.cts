import type { IBinaryData } from 'n8n-workflow';
import {
	cleanFileName,
	sanitizeMediaType,
} from '../../../../../../nodes/EncryptedContainers/resources/container/encode/sourceFiles';
import { getFiles } from '../../../../../../nodes/EncryptedContainers/resources/container/encode/inputFiles';
import { createTextFile } from '../../../../../../nodes/EncryptedContainers/resources/container/encode/sourceFiles';

const inMemory: IBinaryData = { data: 'aGk=', mimeType: 'text/plain', fileName: 'hi.txt' };
const stored: IBinaryData = {
	...{ id: 'filesystem-v2:1', data: 'filesystem-v2', mimeType: 'a/b' },
};
const named = (data: object) => getFiles({ a: { ...inMemory, ...data } as never }, ['a'])[0];

describe('files from named fields', () => {
	it('keep the order of the names', () => {
		expect(getFiles({ a: inMemory, b: stored }, ['b', 'a'])).toEqual([
			{ name: 'b', type: 'a/b', content: { stored: 'filesystem-v2:1' } },
			{ name: 'hi.txt', type: 'text/plain', content: { base64: 'aGk=' } },
		]);
	});

	it.each([
		[{ fileName: undefined }, 'a'],
		[{ fileName: undefined, fileExtension: 'pdf' }, 'a.pdf'],
		[{ fileName: '  ' }, 'a'],
		[{ fileName: ' Grüße "1".pdf', fileExtension: 'pdf' }, ' Grüße "1".pdf'],
		[{ fileName: 2026, mimeType: 5 }, '2026'],
	])('with %j are named %j', (details, name) => {
		expect(named(details).name).toBe(name);
	});

	it('have a name and a type also when nothing of those of the field is left', () => {
		expect(getFiles({ '/': stored }, ['/'])[0].name).toBe('file');
		expect(named({ mimeType: 5 }).type).toBe('application/octet-stream');
	});

	it.each([
		...['', 'eHg', 'eHg=', 'eHh4eA==', 'e-_+/w=='].map((data) => [data, data]),
		[' aG\r\nk=\n', 'aGk='],
	])('can be Base64: %j', (data, base64) => {
		expect(named({ data }).content).toEqual({ base64 });
	});

	it('can be files alone, of an item that has none', () => {
		expect(getFiles({}, [inMemory]).map(({ name }) => name)).toEqual(['hi.txt']);
	});

	it.each<[string, () => unknown]>([
		['"Input Binary Field" is empty', () => getFiles({ a: inMemory }, [])],
		...[['data'], [], [inMemory, 'data']].map((entries): [string, () => unknown] => [
			'The input has no file',
			() => getFiles({}, entries),
		]),
		['The binary field "a" holds no file content', () => named({ data: undefined })],
		...['Grüße', 'data:a/b;base64,eA==', 'eHh4e', 'e===', 'e=H4'].map(
			(data): [string, () => unknown] => [
				'The content of the binary field "a" is not Base64',
				() => named({ data }),
			],
		),
		...['constructor', '__proto__', 'toString'].map((name): [string, () => unknown] => [
			`The input item has no binary field "${name}"`,
			() => getFiles({ a: inMemory }, [name]),
		]),
		['"File Name" is empty', () => createTextFile('x', ' ')],
	])('are an error that says %s', (message, getFiles) => {
		expect(getFiles).toThrow(message);
	});
});

it('a file from text has a trimmed name, the media type of its extension, and can be empty', () => {
	const file = { name: 'report.CSV', type: 'text/csv', content: { text: 'a;b' } };
	expect(createTextFile('a;b', ' report.CSV ')).toEqual(file);
	expect(createTextFile('', 'empty.txt').content).toEqual({ text: '' });
});

it.each([
	['text/plain', 'report.txt noending unknown.xyz trailing. trap.constructor'],
	['text/csv', 'report.CSV .csv'],
	['text/html', 'page.html a.htm'],
	['text/markdown', 'notes.md'],
	['application/json', 'data.json'],
	['application/xml', 'archive.tar.xml'],
	['text/calendar', 'a.ics'],
	['image/svg+xml', 'a.svg'],
])('the media type %s is that of the text files %s', (type, names) => {
	for (const name of names.split(' ')) expect(createTextFile('', name).type).toBe(type);
});

describe('the media type of an input file', () => {
	it.each([
		...['application/pdf', 'image/svg+xml', 'text/plain; charset=utf-8', 'x-multipart/mixed'],
		...['text/plain;charset="utf-8"', 'text/plain ; charset=utf-8'],
		...['text/x-mixed; boundary="a b"; x=y', 'application/vnd.openxmlformats.document'],
	])('is kept when it is valid: %s', (type) => {
		expect(sanitizeMediaType(` ${type} `)).toBe(type);
	});

	it.each([
		...[undefined, '', 'pdf', 'a/', '/b', 'a/b/c', 'a/b\r\nX-Injected: 1', 'a/b\n'.repeat(2)],
		...['a/b; x="\r\n"', 'a/b; x="\u0000"', 'a/b"', 'text/html<script>', 'tëxt/plain'],
		...['text/plain; name="naïve\u0085"', 'multipart/mixed; boundary="a b"; x=y'],
		...['Multipart/Related', 'message/rfc822', 'MESSAGE/partial'],
	])('is application/octet-stream when it is invalid or means further parts: %j', (type) => {
		expect(sanitizeMediaType(type)).toBe('application/octet-stream');
	});
});

describe('a file name', () => {
	it.each([
		...['a..', '..a', '👨‍👩‍👧 ❤️‍🔥.png', 'می‌خواهم क्‍ष.pdf'].map((name) => [name, name]),
		...['../', '//', '\u0000\u2028\u200b'].map((name) => [name, '']),
		['invoice\u202efdp.exe', 'invoicefdp.exe'],
		['\ufeffa\u00adb\u200e\u2066c\u2069.txt', 'abc.txt'],
	])('is cleaned: %j', (name, cleaned) => {
		expect(cleanFileName(name)).toBe(cleaned);
	});
});
