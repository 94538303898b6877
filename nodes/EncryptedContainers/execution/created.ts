import { CANCELED } from '../../shared/errors/messages';
import { createApiError, type NodeError } from '../../shared/errors/nodeErrors';
import { logWarning, type Host } from './host';
import type { Tries } from './tries';

const CONTINUE_HINT =
	'To keep the output of successful items, set "On Error" to Continue in the node\'s settings.';
const CREATED = 'Created before the execution stopped: ';
const UNKNOWN = 'Might have been created: ';

/** What was or might have been created, with what to do about it, since an execution that stops returns no items. */
function describeCreated({ created, unknown }: Tries): string {
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

/** Adds it to the error of an execution that stops. */
export function addCreated(error: NodeError, tries: Tries): NodeError {
	const created = describeCreated(tries);
	const texts = [error.description, created, created && CONTINUE_HINT];
	error.description = texts.filter(Boolean).join(' ');
	return error;
}

export function createCanceledError({ node }: Host, tries: Tries): NodeError {
	const description = `${CANCELED.description} ${describeCreated(tries)}`.trim();
	return createApiError(node, { ...CANCELED, description, itemIndex: 0 });
}
