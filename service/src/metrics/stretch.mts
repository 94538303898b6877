/** The longest time at a stretch for which something was waited for, in seconds. */
export class Stretch {
	longest = 0;
	private start?: number;

	begin(): void {
		this.start = performance.now();
	}

	/** Nothing happens where none has begun. */
	end(): void {
		if (this.start === undefined) return;
		this.longest = Math.max(this.longest, (performance.now() - this.start) / 1000);
		this.start = undefined;
	}
}
