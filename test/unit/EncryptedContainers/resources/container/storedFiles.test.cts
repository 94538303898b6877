import { listStoredFiles } from '../../../../../nodes/EncryptedContainers/resources/container/decode/storedFiles';

it.each([undefined, null, '', 7])('a file without a usable type is of any type: %j', (type) => {
	const file = { name: 'a', type, size: 1, sha256: 'AB'.repeat(32) };
	expect(listStoredFiles({ uuid: 'c-1', files: [file] } as never)).toEqual([
		{ ...file, index: 0, type: 'application/octet-stream', sha256: 'ab'.repeat(32) },
	]);
});
