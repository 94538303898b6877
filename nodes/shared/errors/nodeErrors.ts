import type { Failure, INode, JsonObject } from 'n8n-workflow';
import { NodeApiError, NodeOperationError } from 'n8n-workflow';

export type NodeError = NodeApiError | NodeOperationError;

export interface ErrorDetails {
	message: string;
	description?: string;
	itemIndex?: number;
}

/** More than any text of the node itself has. */
const MAX_LENGTH = 4000;

/** The errors that say that a record does not exist (any more). */
const notFound = new WeakSet<object>();

/** The error of a request, built from text alone: the HTTP client's own error contains the request with the API key. */
export function createApiError(
	node: INode,
	{
		message,
		description,
		status,
		isNotFound: isMissing = false,
		itemIndex,
		failure,
	}: ErrorDetails & { status?: number; isNotFound?: boolean; failure?: Failure },
): NodeApiError {
	const text = withItem(toPlainText(message), itemIndex);
	const error = new NodeApiError(withoutParameters(node), { message: text } as JsonObject, {
		message: text,
		description: description && toPlainText(description),
		itemIndex,
		httpCode: status === undefined ? undefined : String(status),
		failure,
	});
	if (isMissing) notFound.add(error);
	return restoreMessage(error, text);
}

/** The error of input that can't be sent. */
export function createInputError(
	node: INode,
	{ message, description, itemIndex }: ErrorDetails,
): NodeOperationError {
	const text = withItem(toPlainText(message), itemIndex);
	const error = new NodeOperationError(withoutParameters(node), text, {
		description: description && toPlainText(description),
		itemIndex,
	});
	return restoreMessage(error, text);
}

/** The error of a request for another item that waited for it; it names that item. */
export function withItemIndex(error: NodeError, itemIndex: number): NodeError {
	const { context, node, description, failure } = error;
	// An error in the input of an item keeps that item, even when other items wait for its request.
	if (context.itemIndex === itemIndex || !(error instanceof NodeApiError)) return error;
	return createApiError(node, {
		message: error.message.replace(/ \[item \d+\]$/, ''),
		description: description ?? undefined,
		status: Number(error.httpCode) || undefined,
		isNotFound: isNotFound(error),
		itemIndex,
		failure,
	});
}

/**
 * The error that ends an execution. n8n's RoutingNode wraps any other than a NodeApiError into one that carries the node
 * with all its parameters, a password included, into the log.
 */
export function toNodeApiError(error: NodeError): NodeApiError {
	if (error instanceof NodeApiError) return error;
	const { message, node, context } = error;
	const ending = new NodeApiError(node, { message } as JsonObject, {
		message,
		description: error.description ?? undefined,
		itemIndex: context.itemIndex as number | undefined,
	});
	return restoreMessage(ending, message);
}

/** Whether the service says that the record does not exist (any more). */
export function isNotFound(error: unknown): boolean {
	return error instanceof NodeApiError && notFound.has(error);
}

export function hasStatus(error: unknown, status: string): boolean {
	return error instanceof NodeApiError && error.httpCode === status;
}

/** n8n replaces a message that mentions a code such as ECONNRESET, even when it is the service's message. */
function restoreMessage<T extends NodeError>(error: T, message: string): T {
	error.message = message;
	return error;
}

/**
 * Names of files, fields and records come from anybody, and n8n shows messages as HTML: what can't be seen, or could be
 * a tag, is replaced.
 */
function toPlainText(text: string): string {
	return text
		.slice(0, MAX_LENGTH)
		.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
		.replaceAll('<', '‹');
}

function withItem(message: string, itemIndex?: number): string {
	return itemIndex === undefined ? message : `${message} [item ${itemIndex}]`;
}

/** An error carries its node into logs and execution records: so without parameters, a password included. */
function withoutParameters(node: INode): INode {
	const { resource, operation } = node.parameters;
	return { ...node, parameters: { resource, operation } };
}
