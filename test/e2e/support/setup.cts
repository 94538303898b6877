import { createHandover } from './handover.cts';

/** What the global setup prepares for all test files. */
interface Setup {
	/** Path of the packed package. */
	tarball: string;
	/** A user folder of n8n with the package and an empty database. */
	userFolder: string;
}

export const setup = createHandover<Setup>('E2E_SETUP');
