import { pino, type DestinationStream } from 'pino';
import type { Config } from './config.mts';
import type { EventLine } from './containers/trail.mts';

/** Each event is a line of the log: also where its level leaves out all that is no failure, but for "silent". */
export function createEventLog(level: Config['logLevel'], stream: DestinationStream) {
	const log = pino({ level: level === 'silent' ? level : 'info' }, stream);
	return (event: EventLine) => log.info({ event }, 'event');
}
