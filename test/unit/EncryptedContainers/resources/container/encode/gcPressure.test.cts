import { createGcPressure } from '../../../../../../nodes/EncryptedContainers/resources/container/encode/gcPressure';

it('no bytes need no objects', () => {
	expect(createGcPressure(0)).toEqual([]);
});

it.each([
	[1, 0],
	[2048, 0],
	[2049, 2048],
	[10_000, 8192],
])('the last object for %i bytes is a short list for those from byte %i', (bytes, start) => {
	expect(createGcPressure(bytes)).toEqual(Array<number>(300).fill(start));
});
