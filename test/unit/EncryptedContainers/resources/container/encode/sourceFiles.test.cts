import type { IBinaryData } from 'n8n-workflow';
import type { SourceFile } from '../../../../../../nodes/EncryptedContainers/resources/container/encode/sourceFiles';
import {
	getAllFiles,
	getNamedFiles,
	deduplicateFileNames,
	createTextFile,
} from '../../../../../../nodes/EncryptedContainers/resources/container/encode/sourceFiles';

const label = 'Input Binary Field';
const inMemory: IBinaryData = { data: 'aGk=', mimeType: 'text/plain', fileName: 'hi.txt' };
const stored: IBinaryData = {
	id: 'filesystem-v2:1',
	data: 'filesystem-v2',
	mimeType: 'a/b',
	bytes: 2,
};

describe('files from named fields', () => {
	it('keep the order of the names', () => {
		expect(getNamedFiles({ a: inMemory, b: stored }, ['b', 'a'])).toEqual([
			{ name: 'b', type: 'a/b', content: { stored: 'filesystem-v2:1', bytes: 2 } },
			{ name: 'hi.txt', type: 'text/plain', content: { base64: 'aGk=' } },
		]);
	});

	it.each([
		['the field itself', {}, 'data'],
		["the field and the file's extension", { fileExtension: 'pdf' }, 'data.pdf'],
		['the field for a blank file name', { fileName: '  ' }, 'data'],
		['the file', { fileName: ' Grüße "1".pdf', fileExtension: 'pdf' }, ' Grüße "1".pdf'],
	])('are named after %s', (_what, details, name) => {
		const data = { data: '', mimeType: 'a/b', ...details };
		expect(getNamedFiles({ data }, ['data'])[0].name).toBe(name);
	});

	it('can be Base64 with line breaks', () => {
		const data = { ...inMemory, data: ' aG\r\nk=\n' };
		expect(getNamedFiles({ data }, ['data'])[0].content).toEqual({ base64: 'aGk=' });
	});

	it('have a name also when nothing of that of the field is left', () => {
		expect(getNamedFiles({ '/': stored }, ['/'])[0].name).toBe('file');
	});

	it('are rejected when a field is missing, and the error lists the existing fields', () => {
		expect(() => getNamedFiles({ invoice: inMemory, terms: stored }, ['data'])).toThrow(
			expect.objectContaining({
				message: 'The input item has no binary field "data"',
				description: expect.stringMatching(/"Input Binary Field".*"invoice", "terms"/),
			}),
		);
	});

	it('are rejected when the item has no binary field', () => {
		expect(() => getNamedFiles({}, ['data'])).toThrow(
			expect.objectContaining({
				message: 'The input has no file',
				description: 'Add a node that provides one, or set "File Source" to Text.',
			}),
		);
	});

	it('are rejected when no field is named', () => {
		expect(() => getNamedFiles({ a: inMemory }, [])).toThrow(`"${label}" is empty`);
	});

	it('can be files alone, of an item that has none', () => {
		expect(getNamedFiles({}, [inMemory]).map(({ name }) => name)).toEqual(['hi.txt']);
	});

	it.each([[[]], [[inMemory, 'data']]])('are rejected for an item that has none: %j', (entries) => {
		expect(() => getNamedFiles({}, entries)).toThrow('The input has no file');
	});

	it.each(['filesystem', 'filesystem-v2', 's3', 'azure', 'database'])(
		'are rejected when one is only the name of a storage: %s',
		(data) => {
			expect(() => getNamedFiles({ a: { ...inMemory, data } }, ['a'])).toThrow(
				'The binary field "a" holds no file content',
			);
		},
	);

	it.each(['Grüße', 'data:a/b;base64,eA==', 'eHh4e', 'e', 'e===', 'e=H4'])(
		'are rejected when the content of one is not Base64: %s',
		(data) => {
			expect(() => getNamedFiles({ a: { ...inMemory, data } }, ['a'])).toThrow(
				'The content of the binary field "a" is not Base64',
			);
		},
	);

	it.each(['', 'eHg', 'eHg=', 'eHh4eA==', 'e-_+/w=='])('can be Base64: %j', (data) => {
		expect(getNamedFiles({ a: { ...inMemory, data } }, ['a'])[0].content).toEqual({
			base64: data,
		});
	});

	it('are stored elsewhere only where they have a reference, and have a size only in bytes', () => {
		const a = { ...inMemory, id: '' };
		const b = { ...stored, bytes: '2 kB' } as unknown as IBinaryData;
		expect(getNamedFiles({ a, b }, ['a', 'b']).map(({ content }) => content)).toEqual([
			{ base64: 'aGk=' },
			{ stored: 'filesystem-v2:1', bytes: undefined },
		]);
	});

	it('can have numbers as name and type', () => {
		const a = { data: '', mimeType: 5, fileName: 2026 } as unknown as IBinaryData;
		expect(getNamedFiles({ a }, ['a'])).toMatchObject([
			{ name: '2026', type: 'application/octet-stream' },
		]);
	});

	it.each(['constructor', '__proto__', 'toString'])(
		'never come from an inherited property: %s',
		(name) => {
			expect(() => getNamedFiles({ a: inMemory }, [name])).toThrow(`no binary field "${name}"`);
		},
	);

	it.each([
		[10, /"f8", "f9"\.$/],
		[50, /"f8", "f9" and 40 more\.$/],
	])('list at most ten existing fields in the error: %i', (length, description) => {
		const binary = Object.fromEntries(
			Array.from({ length }, (_value, index) => [`f${index}`, inMemory]),
		);
		expect(() => getNamedFiles(binary, ['data'])).toThrow(
			expect.objectContaining({ description: expect.stringMatching(description) }),
		);
	});
});

describe('all files', () => {
	it('keep the order of the item', () => {
		expect(getAllFiles({ b: inMemory, a: stored }).map(({ name }) => name)).toEqual([
			'hi.txt',
			'a',
		]);
	});

	it('are rejected when there are none', () => {
		expect(() => getAllFiles({})).toThrow('The input has no file');
	});
});

describe('a file from text', () => {
	it('has a trimmed name, and the media type of its extension', () => {
		expect(createTextFile('a;b', ' report.CSV ')).toEqual({
			name: 'report.CSV',
			type: 'text/csv',
			content: { text: 'a;b' },
		});
	});

	it('needs a name, and no content', () => {
		expect(() => createTextFile('x', ' ')).toThrow('"File Name" is empty');
		expect(createTextFile('', 'empty.txt').content).toEqual({ text: '' });
	});
});

describe('files of the same name', () => {
	const uniqueNames = (...names: string[]) =>
		deduplicateFileNames(
			names.map((name): SourceFile => ({ name, type: 'a/b', content: { text: '' } })),
		).map(({ name }) => name);

	it.each([
		['unless they differ', ['a.txt', 'b.txt'], ['a.txt', 'b.txt']],
		[
			'with a number before the extension',
			['a.txt', 'a.txt', 'a.txt'],
			['a.txt', 'a (2).txt', 'a (3).txt'],
		],
		['with a number at the end', ['a', 'a'], ['a', 'a (2)']],
		[
			'with a number before the last extension',
			['a.tar.gz', 'a.tar.gz'],
			['a.tar.gz', 'a.tar (2).gz'],
		],
		['with a number after a leading dot', ['.env', '.env'], ['.env', '.env (2)']],
		['ignoring upper and lower case', ['A.txt', 'a.TXT'], ['A.txt', 'a (2).TXT']],
		['ignoring the form of Unicode', ['\u00e9', 'e\u0301'], ['\u00e9', 'e\u0301 (2)']],
		[
			'around a name that already has a number',
			['a (2).txt', 'a.txt', 'a.txt'],
			['a (2).txt', 'a.txt', 'a (3).txt'],
		],
		[
			'before a name that already has a number',
			['a.txt', 'a.txt', 'a (2).txt'],
			['a.txt', 'a (2).txt', 'a (2) (2).txt'],
		],
	])('get distinct names, %s', (_how, names, expected) => {
		expect(uniqueNames(...names)).toEqual(expected);
	});

	it('get distinct names quickly, even when there are many', () => {
		const startedAt = Date.now();
		const names = uniqueNames(...Array.from({ length: 20_000 }, () => 'scan.pdf'));
		expect(new Set(names).size).toBe(20_000);
		expect(Date.now() - startedAt).toBeLessThan(2_000);
	});
});
