/** Bytes that the values of one kind take, about: an n8n can serve many keys and users. */
const MAX_BYTES = 50_000_000;

/** What a value takes at least, with its key. */
const ENTRY_BYTES = 200;

/** What this process knows for a while. The oldest is dropped first: when it expires, or when all take too much memory. */
export class RecentValues<T> {
	/** The oldest first. */
	private readonly entries = new Map<string, { value: T; at: number; bytes: number }>();
	private bytes = 0;

	/** @param maxAge milliseconds */
	constructor(private readonly maxAge: number) {}

	get(key: string): T | undefined {
		this.drop();
		return this.entries.get(key)?.value;
	}

	/** @param size bytes that the value takes, where they can be many */
	set(key: string, value: T, size = 0): void {
		this.delete(key);
		const bytes = ENTRY_BYTES + key.length * 2 + size;
		this.entries.set(key, { value, at: Date.now(), bytes });
		this.bytes += bytes;
		this.drop();
	}

	delete(key: string): void {
		this.bytes -= this.entries.get(key)?.bytes ?? 0;
		this.entries.delete(key);
	}

	private drop(): void {
		for (const [key, { at }] of this.entries) {
			if (Date.now() - at < this.maxAge && this.bytes <= MAX_BYTES) return;
			this.delete(key);
		}
	}
}
