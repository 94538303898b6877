import type { RateLimiter } from './rate-limit.cts';
import type { Store } from './store.cts';
import type { FaultPlan } from '../faults/plan.cts';
import type { Connections } from '../http/connections.cts';
import type { Journal } from '../journal.cts';
import type { SandboxSettings } from '../settings.cts';
import type { SandboxUser } from '../users.cts';

/** The parts of one running sandbox, shared by what serves requests and what steers it. */
export interface Service {
	/** Path below which the API is, without a slash at its end. */
	basePath: string;
	/** Where clients reach the service; known once it listens. */
	origin: string;
	/** Folder of this start: certificate and kept files. */
	folder: string;
	settings: SandboxSettings;
	users: SandboxUser[];
	store: Store;
	journal: Journal;
	faults: FaultPlan;
	limiter: RateLimiter;
	connections: Connections;
	/** Back to how it started. */
	reset(): void;
}
