import type { EventWatch } from '../database/eventWatch.mts';
import type { Storage } from '../storage/storage.mts';
import type { Recorder } from './trail.mts';

/** What containers are kept in: rows and keys, which record events, and encrypted files. */
export interface Vault extends Recorder {
	/** What is new in the database, also by other processes. */
	events: EventWatch;
	storage: Storage;
}
