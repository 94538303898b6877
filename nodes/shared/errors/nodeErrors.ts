import type { INode, JsonObject } from 'n8n-workflow';
import { NodeApiError, NodeOperationError } from 'n8n-workflow';

/** Either kind of error that the node throws. */
export type NodeError = NodeApiError | NodeOperationError;

/** What an error says: what happened, how to get unstuck, and at which item. */
export interface ErrorDetails {
	message: string;
	description?: string;
	itemIndex?: number;
}

/**
 * Makes the error for a request that the service did not carry out.
 *
 * It is built from words alone: the HTTP client's own error holds the request with the API key.
 *
 * @param node the node at work
 * @param words message, description and item, and the HTTP status where there was one
 */
export function createApiError(
	node: INode,
	{ message, description, status, itemIndex }: ErrorDetails & { status?: number },
): NodeApiError {
	const text = withItem(message, itemIndex);
	const error = new NodeApiError(withoutParameters(node), { message: text } as JsonObject, {
		message: text,
		description,
		itemIndex,
		httpCode: status === undefined ? undefined : String(status),
	});
	return restoreMessage(error, text);
}

/**
 * Makes the error for input that cannot be sent.
 *
 * @param node the node at work
 * @param words message, description and item
 */
export function createInputError(
	node: INode,
	{ message, description, itemIndex }: ErrorDetails,
): NodeOperationError {
	const text = withItem(message, itemIndex);
	const error = new NodeOperationError(withoutParameters(node), text, { description, itemIndex });
	return restoreMessage(error, text);
}

/**
 * The same error for another item: several may wait for one request, and each tells which item it is about.
 *
 * @param error what the request ended in
 * @param itemIndex the item that waited for it
 * @returns the error itself when it is about that item already
 */
export function withItemIndex(error: NodeError, itemIndex: number): NodeError {
	const { context, node, description } = error;
	// What is wrong with the input of an item stays with it, also where another item sends for all.
	if (context.itemIndex === itemIndex || !(error instanceof NodeApiError)) return error;
	const words = {
		message: error.message.replace(/ \[item \d+\]$/, ''),
		description: description ?? undefined,
		itemIndex,
	};
	return createApiError(node, { ...words, status: Number(error.httpCode) || undefined });
}

/**
 * The error with which a run ends. n8n wraps any other than a NodeApiError into one that carries the node with all that
 * the user typed, a password among it, into the log (engine: RoutingNode).
 *
 * @param error of an item
 * @returns an error that n8n takes as it is
 */
export function toNodeApiError(error: NodeError): NodeApiError {
	if (error instanceof NodeApiError) return error;
	const { message, node, context } = error;
	const ending = new NodeApiError(node, { message } as JsonObject, {
		message,
		description: error.description ?? undefined,
		itemIndex: context.itemIndex as number | undefined,
		httpCode: 'none',
	});
	return restoreMessage(ending, message);
}

/** n8n puts words of its own in place of a message that mentions a code such as ECONNRESET, even a service's message. */
function restoreMessage<T extends NodeError>(error: T, message: string): T {
	error.message = message;
	return error;
}

function withItem(message: string, itemIndex?: number): string {
	return itemIndex === undefined ? message : `${message} [item ${itemIndex}]`;
}

/** An error carries its node into logs and execution records: without what the user typed, a password among it. */
function withoutParameters(node: INode): INode {
	const { resource, operation } = node.parameters;
	return { ...node, parameters: { resource, operation } };
}
