import { logWarning, type Host } from './host';
import type { Tries } from './tries';

const CREATED = 'Created before the execution stopped: ';
const UNKNOWN = 'Might have been created: ';

/** What was or might have been created, with what to do about it, since an execution that stops returns no items. */
export function describeCreated({ created, unknown }: Tries): string {
	const advice = 'Look for them before you run the workflow again.';
	const texts = [
		created.length > 0 && `${CREATED}${created.join(', ')}.`,
		unknown.size > 0 && `${UNKNOWN}${[...unknown].join(', ')}. ${advice}`,
	];
	return texts.filter(Boolean).join(' ');
}

/** n8n saves a canceled execution at once, so what was created also goes to its log: one line each, as a line has an end. */
export function logCreated(host: Host, { created, unknown }: Tries): void {
	const log = (line: string) => logWarning(host, `The execution was canceled. ${line}.`);
	created.forEach((container) => log(`${CREATED}${container}`));
	unknown.forEach((container) => log(`${UNKNOWN}${container}`));
}
