import { NodeApiError, NodeOperationError, type Failure, type INode } from 'n8n-workflow';

export type NodeError = NodeApiError | NodeOperationError;

interface ErrorDetails {
	message: string;
	description?: string;
	itemIndex?: number;
}

/** More than any text of the node itself has. */
const MAX_LENGTH = 4000;

const notFound = new WeakSet<object>();

/** The error of a request, built from text alone: the HTTP client's own error contains the request with the API key. */
export function createApiError(
	node: INode,
	details: ErrorDetails & { status?: number; isNotFound?: boolean; failure?: Failure },
): NodeApiError {
	const { status, failure } = details;
	const options = { ...toOptions(details), httpCode: status?.toString(), failure };
	const error = new NodeApiError(withoutParameters(node), { message: options.message }, options);
	if (details.isNotFound) notFound.add(error);
	return Object.assign(error, { message: options.message });
}

export function createInputError(node: INode, details: ErrorDetails): NodeOperationError {
	const options = toOptions(details);
	const error = new NodeOperationError(withoutParameters(node), options.message, options);
	return Object.assign(error, { message: options.message });
}

/** The error of a request for another item that waited for it, or for all items; it names that item, or none. */
export function withItemIndex(error: NodeError, itemIndex?: number): NodeError {
	// An error in the input of an item keeps that item, even when other items wait for its request.
	if (error.context.itemIndex === itemIndex || !(error instanceof NodeApiError)) return error;
	return copyError(error, { itemIndex });
}

/**
 * The error that ends an execution. n8n's RoutingNode wraps any other than a NodeApiError into one that carries the node
 * with all its parameters, a password included, into the log.
 */
export function toNodeApiError(error: NodeError): NodeApiError {
	if (error instanceof NodeApiError) return error;
	return copyError(error);
}

export function isNotFound(error: unknown): boolean {
	return error instanceof NodeApiError && notFound.has(error);
}

export function hasStatus(error: unknown, status: string): boolean {
	return error instanceof NodeApiError && error.httpCode === status;
}

/** The error of a read, which also says that the change before it was sent. */
export function noteSentChange(error: Error): Error {
	if (!(error instanceof NodeApiError)) return error;
	const doubt = 'The change was sent before this, and the service might have made it.';
	return copyError(error, { description: `${error.description ?? ''} ${doubt}`.trim() });
}

/** Adds what to do about an error of n8n, such as one of an expression. */
export function addAdvice(error: Error & { description?: string | null }, advice: string): Error {
	const description = [error.description, advice].filter(Boolean).join(' ');
	return Object.assign(error, { description });
}

export function withoutItem(message: string): string {
	return message.replace(/ \[item \d+\]$/, '');
}

/** A text of the service with a period, where it does not end a sentence itself. */
export function endSentence(text: string): string {
	return /[.!?…]$/.test(text) ? text : `${text}.`;
}

function copyError(error: NodeError, changes: Partial<ErrorDetails> = {}): NodeApiError {
	return createApiError(error.node, {
		message: withoutItem(error.message),
		description: error.description ?? undefined,
		status: (error instanceof NodeApiError && Number(error.httpCode)) || undefined,
		isNotFound: isNotFound(error),
		itemIndex: error.context.itemIndex as number | undefined,
		failure: error.failure,
		...changes,
	});
}

/**
 * Names of files, fields and records come from anybody, and n8n shows messages as HTML: what can't be seen, or could be
 * a tag, is replaced. The message has to be set again later: n8n replaces one that mentions a code such as ECONNRESET.
 */
function toOptions({ message, description, itemIndex }: ErrorDetails): ErrorDetails {
	const [plain, advice] = [message, description].map((text) =>
		text
			?.slice(0, MAX_LENGTH)
			.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
			.replaceAll('<', '‹'),
	);
	const item = itemIndex === undefined ? '' : ` [item ${itemIndex}]`;
	return { message: `${plain}${item}`, description: advice, itemIndex };
}

/** An error carries its node into logs and execution records: so without parameters, a password included. */
function withoutParameters(node: INode): INode {
	const { resource, operation } = node.parameters;
	return { ...node, parameters: { resource, operation } };
}
