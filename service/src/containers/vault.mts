import type { Database } from '../database/schema.mts';
import type { Storage } from '../storage/storage.mts';
import type { MasterKeys } from './masterKeys.mts';

/** Where containers are: their rows, their encrypted files, and the keys to both. */
export interface Vault {
	database: Database;
	storage: Storage;
	keys: MasterKeys;
}
