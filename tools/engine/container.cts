import { createRequire } from 'node:module';
import './environment.cts';

/** Loads what n8n-core depends on, in its version. */
export const requireOfCore = createRequire(require.resolve('n8n-core'));

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
 * Loaded as n8n-core itself loads them: other development tools can install another copy of n8n's
 * packages, whose service container has none of the engine's services.
 */

/** The service container of the engine under test. */
export const { Container: container } = requireOfCore('@n8n/di') as { Container: ServiceContainer };

/** The class of n8n's logger in the engine under test. */
export const { Logger } = requireOfCore('@n8n/backend-common') as LoggerModule;
