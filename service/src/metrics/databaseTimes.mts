import { Counter, Histogram, type Registry } from 'prom-client';
import type { DatabaseObserver } from '../database/observedDialect.mts';

const BUCKETS = [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10];

export function observeDatabase(registry: Registry): DatabaseObserver {
	const waits = new Histogram({
		name: 'ec_database_wait_seconds',
		help: 'How long a connection to the database was waited for',
		buckets: BUCKETS,
		registers: [registry],
	});
	const statements = new Histogram({
		name: 'ec_database_statement_seconds',
		help: 'How long a statement took in the database',
		buckets: BUCKETS,
		registers: [registry],
	});
	const errors = new Counter({
		name: 'ec_database_errors_total',
		help: 'Statements that failed, and connections that were not there',
		registers: [registry],
	});
	return {
		onConnection: (seconds) => waits.observe(seconds),
		onStatement: (seconds) => statements.observe(seconds),
		onError: () => errors.inc(),
	};
}
