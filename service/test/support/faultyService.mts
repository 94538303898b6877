import { randomUUID } from 'node:crypto';
import { existsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { waitFor } from '../../../tools/processes.cts';
import { startService } from './service.mts';

interface Faults {
	days?: number;
	isDiskFull?: boolean;
	/** What others keep free is all that is left. */
	isSpaceShort?: boolean;
	isDiskSlow?: boolean;
	/** No file is opened. */
	isDiskBroken?: boolean;
	/** For two seconds, now. */
	isBlocked?: boolean;
}

/** A service that does at `fail` what faults.mjs can. */
export async function startFaultyService(env: Record<string, string> = {}) {
	const file = join(tmpdir(), `faults-${randomUUID()}`);
	const options = `--import=${pathToFileURL(join(import.meta.dirname, 'faults.mjs')).href}`;
	const service = await startService({ env: { ...env, NODE_OPTIONS: options, FAULTS: file } });
	const fail = async (faults: Faults) => {
		writeFileSync(file, JSON.stringify(faults));
		service.signal('SIGUSR2');
		await waitFor(() => !existsSync(file));
	};
	return { ...service, fail };
}
