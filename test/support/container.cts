import { createRequire } from 'node:module';
import './environment.cts';

const requireOfCore = createRequire(require.resolve('n8n-core'));

interface ServiceContainer {
	get<T>(type: abstract new (...values: never[]) => T): T;
	set<T>(type: abstract new (...values: never[]) => T, instance: T): void;
}

interface EngineLogger {
	setInternalLogger(logger: unknown): void;
}

interface LoggerModule {
	Logger: abstract new (...values: never[]) => EngineLogger;
}

/*
 * These are loaded as n8n-core itself would load them: another copy of n8n's packages may be hoisted
 * by other development tools, with a service container of its own that knows none of the engine's
 * services.
 */

/** The service container of the engine under test. */
export const { Container: container } = requireOfCore('@n8n/di') as { Container: ServiceContainer };

/** The class of n8n's logger, as the engine under test has it. */
export const { Logger } = requireOfCore('@n8n/backend-common') as LoggerModule;
