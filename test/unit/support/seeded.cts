import fc from 'fast-check';

/** The same cases in every execution. To use another seed, change this. A failure prints its own seed. */
const seed = 20_261_121;

/** Checks a property for many inputs, with a fixed seed that a failure prints. */
export async function always<Inputs extends [unknown, ...unknown[]]>(
	property: fc.IAsyncProperty<Inputs> | fc.IProperty<Inputs>,
	numRuns = 500,
): Promise<void> {
	await fc.assert(property as fc.IAsyncProperty<Inputs>, { seed, numRuns, verbose: 1 });
}

/** Any text: ASCII, letters of all scripts, control characters, half surrogate pairs. */
export const anyText = fc.oneof(
	fc.string(),
	fc.string({ unit: 'grapheme' }),
	fc.string({ unit: 'binary' }),
	fc.array(fc.integer({ min: 0, max: 0xffff })).map((codes) => String.fromCharCode(...codes)),
	fc
		.array(fc.constantFrom('.', '/', '%2e', '%2F', '?', '#', '\\', ';', '@', ' ', '\n', '..', 'a'))
		.map((parts) => parts.join('')),
);
