import type { IExecutePaginationFunctions, INodeExecutionData } from 'n8n-workflow';
import { NodeApiError, NodeOperationError } from 'n8n-workflow';

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

const CONTINUE_HINT =
	'To keep the output of successful items, set "On Error" to Continue in the node\'s settings.';

/**
 * Returns an error item if the node continues on errors, or is the tool of an agent. Otherwise stops the execution, waits for the running requests
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
	const { context } = item;
	const error = toNodeError(item, cause);
	item.state.setError(error);
	const isCanceled = context.getExecutionCancelSignal()?.aborted;
	if (!isCanceled && context.continueOnFail()) return [createErrorItem(item, error)];
	if (isCanceled) return await endCanceled(item, run);
	// An agent passes the output of its tool to the model, but of an error nothing or little.
	if (isTool(context) && !run.isTriedAgain(context)) return [createErrorItem(item, error)];
	run.stop();
	if (!(await run.waitForAllItems())) return [];
	await run.onIdle();
	error.description = join(error.description, describeCreated(run), CONTINUE_HINT);
	throw toNodeApiError(error);
}

/**
 * Waits for the requests that n8n aborts. n8n saves a canceled execution at once, so what was created goes to its log
 * as well as into the error.
 */
async function endCanceled(
	{ context, itemIndex }: ItemContext,
	run: RunContext,
): Promise<INodeExecutionData[]> {
	await run.onIdle();
	const created = describeCreated(run);
	if (created !== '' && !run.isReported) {
		context.logger.warn(`The execution of "${context.getNode().name}" was canceled. ${created}`);
	}
	run.isReported = true;
	if (!(await run.waitForAllItems())) return [];
	const description = join(CANCELED.description, created);
	throw createApiError(context.getNode(), { ...CANCELED, description, itemIndex });
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
	const ending = `The execution of "${context.getNode().name}" ended early.`;
	context.logger.error(join(ending, created, CONTINUE_HINT));
}

/** n8n gives the tool of an agent a type of its own. */
function isTool(context: IExecutePaginationFunctions): boolean {
	return context.getNode().type.endsWith('Tool');
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
	return sentences.join(' ');
}

/** Joins sentences; the hint follows only where something was created. */
function join(text: string | null | undefined, created: string, hint = ''): string {
	return [text, created, created === '' ? '' : hint].filter(Boolean).join(' ');
}

function toNodeError({ context, itemIndex, redactText }: ItemContext, error: unknown): NodeError {
	if (error instanceof NodeApiError || error instanceof NodeOperationError) {
		return withItemIndex(error, itemIndex);
	}
	const { message, description } = error as Error & { description?: string | null };
	return createInputError(context.getNode(), {
		message: redactText(message),
		description: redactText(description ?? ''),
		itemIndex,
	});
}
