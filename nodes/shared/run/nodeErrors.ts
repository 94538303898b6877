import type { INode, JsonObject } from 'n8n-workflow';
import { NodeApiError, NodeOperationError } from 'n8n-workflow';

/** What an error says: what happened, how to get unstuck, and at which item. */
export interface ErrorWords {
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
export function apiError(
	node: INode,
	{ message, description, status, itemIndex }: ErrorWords & { status?: number },
): NodeApiError {
	const text = withItem(message, itemIndex);
	const error = new NodeApiError(withoutSecrets(node), { message: text } as JsonObject, {
		message: text,
		description,
		itemIndex,
		httpCode: status === undefined ? undefined : String(status),
	});
	return error;
}

/**
 * Makes the error for input that cannot be sent.
 *
 * @param node the node at work
 * @param words message, description and item
 */
export function inputError(
	node: INode,
	{ message, description, itemIndex }: ErrorWords,
): NodeOperationError {
	return new NodeOperationError(withoutSecrets(node), withItem(message, itemIndex), {
		description,
		itemIndex,
	});
}

function withItem(message: string, itemIndex?: number): string {
	return itemIndex === undefined ? message : `${message} [item ${itemIndex}]`;
}

/** An error carries its node into logs and execution records: without what the user typed, a password among it. */
function withoutSecrets(node: INode): INode {
	const { resource, operation } = node.parameters;
	return { ...node, parameters: { resource, operation } };
}
