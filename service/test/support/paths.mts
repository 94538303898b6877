import { join } from 'node:path';

const repository = join(import.meta.dirname, '../../..');

/** The built service. */
export const mainFile = join(repository, 'service/dist/main.mjs');

/** What NODE_OPTIONS loads into the service. */
export const faultsFile = join(repository, 'service/test/support/faults.mjs');

/** What the first version of the service stored, as SQL. */
export const firstVersion = join(repository, 'service/test/fixtures/version1.sql');
