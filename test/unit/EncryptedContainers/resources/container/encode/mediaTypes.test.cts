import {
	getMediaType,
	sanitizeMediaType,
} from '../../../../../../nodes/EncryptedContainers/resources/container/encode/mediaTypes';

describe('the media type of a text file', () => {
	it.each([
		['report.txt', 'text/plain'],
		['report.CSV', 'text/csv'],
		['page.html', 'text/html'],
		['notes.md', 'text/markdown'],
		['data.json', 'application/json'],
		['archive.tar.xml', 'application/xml'],
		['a.css', 'text/css'],
		['a.eml', 'message/rfc822'],
		['a.htm', 'text/html'],
		['a.ics', 'text/calendar'],
		['a.js', 'text/javascript'],
		['a.jsonl', 'application/jsonl'],
		['a.markdown', 'text/markdown'],
		['a.rtf', 'application/rtf'],
		['a.sql', 'application/sql'],
		['a.svg', 'image/svg+xml'],
		['a.tsv', 'text/tab-separated-values'],
		['a.vcf', 'text/vcard'],
		['a.xhtml', 'application/xhtml+xml'],
		['a.yaml', 'application/yaml'],
		['a.yml', 'application/yaml'],
		['noending', 'text/plain'],
		['unknown.xyz', 'text/plain'],
		['trailing.', 'text/plain'],
		['.csv', 'text/csv'],
		['trap.constructor', 'text/plain'],
		['', 'text/plain'],
	])('of %j is %s', (name, type) => {
		expect(getMediaType(name)).toBe(type);
	});
});

describe('a media type from an input file', () => {
	it.each([
		'application/pdf',
		'image/svg+xml',
		'text/plain; charset=utf-8',
		'text/plain;charset="utf-8"',
		'text/plain ; charset=utf-8',
		'x-multipart/mixed',
		'text/x-mixed; boundary="a b"; x=y',
		'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
	])('is kept when it is valid: %s', (type) => {
		expect(sanitizeMediaType(` ${type} `)).toBe(type);
	});

	it.each([
		[undefined],
		[''],
		['pdf'],
		['a/'],
		['/b'],
		['a/b/c'],
		['a/b\r\nX-Injected: 1'],
		['a/b\n'.repeat(2)],
		['a/b; x="\r\n"'],
		['a/b; x="\u0000"'],
		['a/b; x'],
		['a/b"'],
		['text/html<script>'],
		['tëxt/plain'],
		['text/plain; name="naïve\u0085"'],
		['multipart/mixed; boundary="a b"; x=y'],
		['Multipart/Related'],
		['message/rfc822'],
		['MESSAGE/partial'],
	])('becomes application/octet-stream when it is invalid or means further parts: %j', (type) => {
		expect(sanitizeMediaType(type)).toBe('application/octet-stream');
	});

	it('is checked quickly', () => {
		const startedAt = Date.now();
		sanitizeMediaType(`a/b${'; a=b'.repeat(20_000)}"`);
		sanitizeMediaType(`a/b${' '.repeat(50_000)}x`);
		sanitizeMediaType(`a/b;${' '.repeat(50_000)}x`);
		expect(Date.now() - startedAt).toBeLessThan(1_000);
	});
});
