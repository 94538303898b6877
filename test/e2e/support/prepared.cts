interface Prepared {
	/** The packed package. */
	tarball: string;
	/** A user folder of n8n with the package in it and its database made. */
	userFolder: string;
}

const VARIABLE = 'E2E_PREPARED';

/** What the global setup hands to the test files, which may run in other processes. */
export const prepared = {
	write(value: Prepared): void {
		process.env[VARIABLE] = JSON.stringify(value);
	},
	/** @throws when the tests run without their global setup */
	read(): Prepared {
		const text = process.env[VARIABLE];
		if (text === undefined) throw new Error('The global setup of the e2e tests has not run.');
		return JSON.parse(text);
	},
};
