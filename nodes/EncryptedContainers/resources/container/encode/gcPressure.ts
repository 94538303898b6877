/** A list of 2.4 kB for every 2 KiB: larger ones would be put among the old objects, which is what is to be avoided. */
const BYTES = 2048;
const ELEMENTS = 300;

let latest: number[] = [];

/**
 * Makes and forgets small objects in the JavaScript heap, as many as a buffer has room outside of it.
 *
 * Reading a file makes large buffers and hardly anything else. Buffers that nobody needs any more are freed when V8
 * collects young objects, which is quick but only happens as the heap itself fills up. Failing that, V8 goes through
 * the whole heap, in n8n hundreds of megabytes, for every few dozen megabytes of buffers, which is half the time of an
 * upload: 1 GB took 6.6 s in n8n 2.40 before this was here and 3.6 s after, at a lower peak of memory (npm run bench).
 *
 * @param bytes length of the buffer that was just read
 * @returns the last of the objects: what can be seen from outside is not optimised away
 */
export function createGcPressure(bytes: number): readonly number[] {
	for (let made = 0; made < bytes; made += BYTES) latest = new Array<number>(ELEMENTS).fill(made);
	return latest;
}
