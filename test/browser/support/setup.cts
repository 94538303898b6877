import type { ServerAccess } from '../../../tools/realN8n/server.cts';
import type { SandboxAddress } from '../../../sandbox/client.cts';
import { createHandover } from '../../e2e/support/setup.cts';

/** What the global setup starts for all test files. */
interface Setup {
	access: ServerAccess;
	/** The sandbox, which runs in the process of the global setup. */
	sandbox: SandboxAddress;
	/** Profile folder of the browser. */
	profile: string;
	/** A PDF that workflows can read. */
	file: string;
}

export const setup = createHandover<Setup>('BROWSER_SETUP');
