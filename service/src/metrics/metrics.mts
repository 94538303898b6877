import fastify, { type FastifyInstance } from 'fastify';
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { LongPolls } from '../api/longPolls.mts';
import type { Vault } from '../containers/vault.mts';
import type { Mailer } from '../mail/mailer.mts';
import type { Viewing } from '../viewing/viewing.mts';
import { observeDatabase } from './databaseTimes.mts';
import { countEvents } from './eventCounts.mts';
import { countErrors } from './logCounts.mts';
import { watchMailer } from './mailCounts.mts';
import { watchFreeBytes, watchParts } from './partStates.mts';
import { watchViewing } from './renderingTimes.mts';
import { watchRequests } from './requestTimes.mts';
import { watchStorage } from './storageTimes.mts';
import { watchTotals } from './containerTotals.mts';

/** What the service is made of. */
export interface Watched {
	vault: Vault;
	mailer: Mailer;
	viewing: Viewing;
}

export type Metrics = ReturnType<typeof createMetrics>;

/**
 * What Prometheus reads. The rooms of the service know nothing of it: it stands around what they offer. No label has a name,
 * an address or an ID.
 */
export function createMetrics() {
	const registry = new Registry();
	collectDefaultMetrics({ register: registry });
	return {
		database: observeDatabase(registry),
		logHooks: countErrors(registry),
		/** @returns the same parts, which are now measured */
		watch({ vault, mailer, viewing }: Watched): Watched {
			const count = countEvents(registry);
			const logEvent: Vault['logEvent'] = (line) => {
				count(line);
				vault.logEvent(line);
			};
			watchTotals(registry, vault.database);
			watchFreeBytes(registry, vault.storage);
			const storage = watchStorage(registry, vault.storage);
			return {
				vault: { ...vault, storage, logEvent },
				mailer: watchMailer(registry, mailer),
				viewing: watchViewing(registry, viewing),
			};
		},
		watchRequests: (app: FastifyInstance) => watchRequests(registry, app),
		watchParts: (check: Parameters<typeof watchParts>[1]) => watchParts(registry, check),
		watchLongPolls: (longPolls: LongPolls) => watchLongPolls(registry, longPolls),
		/** @returns what answers Prometheus, before it listens */
		createServer: () => createMetricsServer(registry),
	};
}

function watchLongPolls(registry: Registry, longPolls: LongPolls): void {
	new Gauge({
		name: 'ec_waiting_clients',
		help: 'Requests that wait for an event',
		registers: [registry],
		collect() {
			this.set(longPolls.size);
		},
	});
}

function createMetricsServer(registry: Registry): FastifyInstance {
	const app = fastify({ forceCloseConnections: true });
	app.get('/metrics', async (_request, reply) => {
		void reply.type(registry.contentType);
		return await registry.metrics();
	});
	return app;
}
