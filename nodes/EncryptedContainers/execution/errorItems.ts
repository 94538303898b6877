import type { IExecutePaginationFunctions, INodeExecutionData } from 'n8n-workflow';

import { CANCELED } from '../../shared/errors/messages';
import type { NodeError } from '../../shared/errors/nodeErrors';
import {
	createApiError,
	createInputError,
	toNodeApiError,
	withItemIndex,
} from '../../shared/errors/nodeErrors';
import type { ItemContext } from './itemContext';
import type { RunContext } from './runContext';

/**
 * Returns an error item if the node continues on errors. Otherwise stops the execution, waits for the running requests
 * and throws: not before n8n has started all items, because with Batching it doesn't listen until then. If n8n ends the
 * execution by itself, nobody listens, and there is no item.
 *
 * @throws NodeApiError that states what was created before the execution stopped
 */
export async function handleError(
	item: ItemContext,
	run: RunContext,
	cause: unknown,
): Promise<INodeExecutionData[]> {
	const { context, itemIndex } = item;
	const error = toNodeError(item, cause);
	item.state.setError(error);
	const isCanceled = context.getExecutionCancelSignal()?.aborted;
	if (!isCanceled && context.continueOnFail()) return [createErrorItem(item, error)];
	if (!isCanceled) run.stop();
	if (!(await run.waitForAllItems())) return [];
	if (isCanceled) throw createApiError(context.getNode(), { ...CANCELED, itemIndex });
	await run.onIdle();
	error.description = [error.description, describeCreated(run)].filter(Boolean).join(' ');
	throw toNodeApiError(error);
}

/**
 * Stops the requests if n8n ends the execution between two batches, as when an expression fails there. What was created
 * goes to n8n's log, since n8n's own error doesn't name it.
 */
export async function reportIfEnded(
	context: IExecutePaginationFunctions,
	run: RunContext,
): Promise<void> {
	if (context.continueOnFail() || (await run.waitForAllItems())) return;
	run.stop();
	await run.onIdle();
	const created = describeCreated(run);
	if (created === '') return;
	context.logger.error(`The execution of "${context.getNode().name}" ended early. ${created}`);
}

function createErrorItem(item: ItemContext, error: NodeError): INodeExecutionData {
	const errorItem: INodeExecutionData = {
		json: {
			...item.getErrorFields(),
			error: error.message,
			...(error.description ? { errorDescription: error.description } : {}),
			...('httpCode' in error && error.httpCode ? { httpCode: error.httpCode } : {}),
		},
		pairedItem: item.pairedItem,
	};
	if (item.context.getNode().onError !== 'continueErrorOutput') return errorItem;
	// With an enumerable `error`, n8n replaces the item's json by the message. One that is not enumerable only tells n8n
	// to which output the item goes (engine: handleNodeErrorOutput).
	return Object.defineProperty(errorItem, 'error', { value: error, enumerable: false });
}

/** States what was or might have been created, since an execution that stops returns no items. */
function describeCreated({ created, unknown }: RunContext): string {
	const sentences: string[] = [];
	if (created.length > 0) {
		sentences.push(`Created before the execution stopped: ${created.join(', ')}.`);
	}
	if (unknown.size > 0) {
		sentences.push(
			`Might have been created: ${[...unknown].join(', ')}. Look for them before you run the workflow again.`,
		);
	}
	if (sentences.length === 0) return '';
	const hint =
		'To keep the output of successful items, set "On Error" to Continue in the node\'s settings.';
	return [...sentences, hint].join(' ');
}

function toNodeError({ context, itemIndex, redactText }: ItemContext, error: unknown): NodeError {
	if (error instanceof Error && 'node' in error && 'context' in error) {
		return withItemIndex(error as NodeError, itemIndex);
	}
	const { message, description } = error as Error & { description?: string };
	return createInputError(context.getNode(), {
		message: redactText(message),
		description: description && redactText(description),
		itemIndex,
	});
}
