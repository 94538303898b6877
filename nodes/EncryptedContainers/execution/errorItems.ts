import { UserError, type IDataObject, type INodeExecutionData } from 'n8n-workflow';

import {
	createApiError,
	createNodeError,
	extendError,
	type Cause,
	type NodeError,
} from '../../shared/errors/errors';
import { listSome } from '../../shared/parameters/values';
import type { Host } from './host';
import type { Job } from './operation';

/** The error as n8n shows it: with the item, and without secrets. */
export function toNodeError(job: Job, cause: Cause): NodeError {
	const { redactor, host, index } = job.item;
	const { itemIndex = job.isForAllItems ? undefined : index } = cause.context ?? {};
	const message = redactor.redactText(cause.message);
	const description = redactor.redactText(cause.description ?? '');
	const create = host.isRouted ? createApiError : createNodeError;
	return create(host.node, extendError(cause, { message, description }), itemIndex);
}

/** The output item, where the node continues on errors. */
export function createErrorItem(job: Job, cause: Error): INodeExecutionData {
	const { item, pairedItem, isForAllItems } = job;
	const error: NodeError & { httpCode?: string | null } = toNodeError(job, cause);
	const isErrorOutput = item.host.node.onError === 'continueErrorOutput';
	// n8n merges the fields of the input, or of the first of several, into the error output: there, those of one input win.
	const keepsInput = isErrorOutput && !isForAllItems && !Array.isArray(pairedItem);
	const fields = { ...job.getErrorFields(cause) };
	if (error.httpCode) fields.httpCode = error.httpCode;
	const json: IDataObject = {};
	for (const [name, value] of Object.entries(fields)) {
		if (keepsInput && Object.hasOwn(item.input.json, name)) continue;
		json[name] = item.redactor.redactValue(name, value) as IDataObject[string];
	}
	json.error = error.message;
	if (error.description) json.errorDescription = error.description;
	if (!isErrorOutput) return { json, pairedItem };
	// With an enumerable `error`, n8n replaces the item's json by the message. One that is not enumerable only tells n8n
	// to which output the item goes (engine: handleNodeErrorOutput).
	return Object.defineProperty({ json, pairedItem }, 'error', { value: error, enumerable: false });
}

export interface FailedJob {
	job: Job;
	cause: Cause;
}

/** One failure for all of them, where the others went on. */
export function combineFailures(failures: FailedJob[]): FailedJob | undefined {
	const [first] = failures;
	if (failures.length < 2) return first;
	const messages = listSome(failures.map(({ cause }) => cause.message));
	const { description } = first.cause;
	const about = description ? ` About the first: ${description}` : '';
	const cause = new UserError(`${failures.length} containers failed; the others did not`, {
		description: `To get an item for each of them, set "On Error" to Continue in the node's settings. ${messages}.${about}`,
	});
	return { job: { ...first.job, isForAllItems: true }, cause };
}

/**
 * An agent passes the output of its tool to the model, but of an error nothing or little. One that calls the node by
 * itself calls it again after an error (engine: makeHandleToolInvocation); n8n's engine also does so after an error item.
 */
export function continuesOnErrors(
	{ context, node, isCalledByAgent }: Host,
	tries: number,
): boolean {
	const { type, retryOnFail, maxTries = 3 } = node;
	if (context.continueOnFail()) return true;
	if (!type.endsWith('Tool')) return false;
	const allTries = Math.min(5, Math.max(2, maxTries));
	return !(retryOnFail === true && isCalledByAgent && tries < allTries);
}
