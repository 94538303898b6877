import type { LoggerOptions } from 'pino';
import { Counter, type Registry } from 'prom-client';

const ERROR_LEVEL = 50;

/** @returns hooks that count the errors of a log */
export function countErrors(registry: Registry): NonNullable<LoggerOptions['hooks']> {
	const errors = new Counter({
		name: 'ec_log_errors_total',
		help: 'Lines of the log that are errors',
		registers: [registry],
	});
	return {
		logMethod(line, log, level) {
			if (level >= ERROR_LEVEL) errors.inc();
			log.apply(this, line);
		},
	};
}
