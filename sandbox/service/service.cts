import type { RateLimiter } from './rateLimiter.cts';
import type { Store } from './store.cts';
import type { FaultPlan } from '../faults/plan.cts';
import type { Connections } from '../http/connections.cts';
import type { Journal } from '../journal.cts';
import type { SandboxSettings } from '../settings.cts';
import type { SandboxUser } from '../users.cts';

/** The parts of one running sandbox, shared by the API and the control interface. */
export interface Service {
	/** Base path of the API, without a trailing slash. */
	basePath: string;
	/** Where clients reach the service; empty until it listens. */
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
	/** Restores the state at the start. */
	reset(): void;
}
