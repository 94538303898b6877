import type { IDataObject, INode, INodeExecutionData } from 'n8n-workflow';
import { NodeApiError, NodeOperationError } from 'n8n-workflow';

import { createInputError, withItemIndex, type NodeError } from '../../shared/errors/nodeErrors';
import { listSome } from '../../shared/parameters/values';
import type { Host } from './host';
import type { Item } from './item';
import type { Job } from './operation';

/** The error of an item, or of all of them, as n8n shows it: without secrets. */
export function toNodeError(item: Item, error: unknown, isForAllItems = false): NodeError {
	const itemIndex = isForAllItems ? undefined : item.index;
	if (error instanceof NodeApiError || error instanceof NodeOperationError) {
		return withItemIndex(error, itemIndex);
	}
	const { redactor, host } = item;
	const { message, description, context } = error as Error & Partial<NodeError>;
	const nodeError = createInputError(host.node, {
		message: redactor.redactText(message),
		description: redactor.redactText(description ?? ''),
		itemIndex,
	});
	// By that of an expression, the editor names the field.
	nodeError.context = { ...context, ...nodeError.context };
	return nodeError;
}

/** The output item of a job that failed, where the node continues on errors. */
export function createErrorItem(job: Job, error: NodeError): INodeExecutionData {
	const { item, pairedItem, isForAllItems } = job;
	const isErrorOutput = item.host.node.onError === 'continueErrorOutput';
	// n8n merges the fields of the input, or of the first of several, into the error output: there, those of one input win.
	const keepsInput = isErrorOutput && !isForAllItems && !Array.isArray(pairedItem);
	const { httpCode } = error as Partial<NodeApiError>;
	const details = { ...readErrorFields(job, error), ...(httpCode ? { httpCode } : {}) };
	const own = Object.entries(details).filter(
		([name]) => !keepsInput || !Object.hasOwn(item.input.json, name),
	);
	const { message, description } = error;
	const json = {
		...(Object.fromEntries(own) as IDataObject),
		error: message,
		...(description ? { errorDescription: description } : {}),
	};
	if (!isErrorOutput) return { json, pairedItem };
	// With an enumerable `error`, n8n replaces the item's json by the message. One that is not enumerable only tells n8n
	// to which output the item goes (engine: handleNodeErrorOutput).
	return Object.defineProperty({ json, pairedItem }, 'error', { value: error, enumerable: false });
}

/** None where an expression in one of them fails. */
function readErrorFields({ getErrorFields }: Job, error: NodeError): IDataObject {
	try {
		return getErrorFields(error);
	} catch {
		return {};
	}
}

export function combineErrors(node: INode, errors: NodeError[]): NodeError | undefined {
	if (errors.length < 2) return errors.at(0);
	const messages = listSome(errors.map(({ message }) => message));
	const [{ description }] = errors;
	const about = description ? ` About the first: ${description}` : '';
	return createInputError(node, {
		message: `${errors.length} containers failed; the others did not`,
		description: `To get an item for each of them, set "On Error" to Continue in the node's settings. ${messages}.${about}`,
	});
}

/**
 * An agent passes the output of its tool to the model, but of an error nothing or little. One that calls the node by
 * itself calls it again after an error (engine: makeHandleToolInvocation); n8n's engine also does so after an error item.
 */
export function continuesOnErrors({ context, node, isCalledByAgent }: Host, tries: number) {
	const { type, retryOnFail, maxTries = 3 } = node;
	if (context.continueOnFail()) return true;
	if (!type.endsWith('Tool')) return false;
	const allTries = Math.min(5, Math.max(2, maxTries));
	return !(retryOnFail === true && isCalledByAgent && tries < allTries);
}
