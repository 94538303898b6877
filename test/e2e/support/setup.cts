/**
 * Passes a value from jest's global setup to the test files, which can run in other processes, in an
 * environment variable.
 */
export function createHandover<T>(variable: string) {
	return {
		write(value: T): void {
			process.env[variable] = JSON.stringify(value);
		},
		/** @throws when the global setup did not run */
		read(): T {
			const text = process.env[variable];
			if (text === undefined) throw new Error('The global setup of these tests did not run.');
			return JSON.parse(text) as T;
		},
	};
}

/** The packed package, and a user folder of n8n with the package and an empty database. */
export const setup = createHandover<{ tarball: string; userFolder: string }>('E2E_SETUP');
