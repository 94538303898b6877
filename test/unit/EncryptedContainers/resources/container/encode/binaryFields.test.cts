import {
	findBinaryByPath,
	isBinaryReference,
	mergeBinaryFields,
} from '../../../../../../nodes/EncryptedContainers/resources/container/encode/binaryFields';

const file = { mimeType: 'a/b', data: 'eA==' };
const json = {
	list: [...Array<null>(10).fill(null), file],
	outer: { inner: file },
	nothing: null,
	text: 'abc',
};

describe('a file in the JSON of an item', () => {
	it.each(['list[10]', 'list.10', 'outer.inner', 'outer[inner]'])('is found by %s', (path) => {
		expect(findBinaryByPath(json, path)).toBe(file);
	});

	it.each(['list[0]', 'list', 'outer', 'nothing', 'nothing.inner', 'text', 'text.a', 'missing.a'])(
		'is not found by %s',
		(path) => {
			expect(findBinaryByPath(json, path)).toBeUndefined();
		},
	);

	it('is never an inherited property', () => {
		expect(findBinaryByPath(Object.create({ inherited: file }) as object, 'inherited')).toBe(
			undefined,
		);
	});

	it.each([null, undefined, 'mimeType', 5, {}])('is not %j', (value) => {
		expect(isBinaryReference(value)).toBe(false);
	});
});

describe('the files of an item', () => {
	it('are those that n8n put into its JSON and those beside it, which count first', () => {
		const other = { ...file, data: '' };
		const item = { json: { _files: { a: file, b: file, c: 'text' } }, binary: { b: other } };

		expect(mergeBinaryFields(item as never)).toEqual({ a: file, b: other });
	});

	it.each([null, 'text', [file]])('are those beside the JSON where it has %j', (_files) => {
		expect(mergeBinaryFields({ json: { _files }, binary: { a: file } } as never)).toEqual({
			a: file,
		});
	});
});
