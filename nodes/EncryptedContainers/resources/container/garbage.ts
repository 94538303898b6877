/** V8 keeps arrays of more than 128 kB elsewhere. */
const ARRAY_LENGTH = 8000;
const ARRAY_BYTES = 8 * ARRAY_LENGTH;

/**
 * Makes V8 free buffers that were sent or stored, with its quick collection of young objects. It starts after some MB of
 * them, and the content of buffers doesn't count: each 64 MB of that, V8 scans all objects of n8n, which takes longer than
 * the transfer (npm run bench).
 */
export class Garbage {
	/** A field, so that V8 can't leave out what nobody reads. */
	protected newest: unknown[] = [];

	create(bytes: number): void {
		for (let created = 0; created < bytes; created += ARRAY_BYTES) {
			this.newest = new Array(ARRAY_LENGTH);
		}
	}
}
