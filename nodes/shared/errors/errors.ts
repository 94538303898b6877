import { NodeApiError, NodeOperationError, type Failure, type INode } from 'n8n-workflow';

import { getFailureCause, isMissingRecord, type RequestFailure } from './failure';

export type NodeError = NodeApiError | NodeOperationError;

interface ErrorDetails {
	message: string;
	description?: string | null;
}

/** More than any text of the node itself has. */
const MAX_LENGTH = 4000;

/** Why a request failed, in text alone: the HTTP client's own error contains the request with the API key. */
export class ServiceError extends Error {
	readonly status;
	readonly failure;
	readonly isNotFound;

	/** @param reason without secrets */
	constructor(
		message: string,
		readonly description: string,
		reason: RequestFailure,
	) {
		super(message);
		this.status = reason.status;
		this.failure = getFailureCause(reason);
		this.isNotFound = isMissingRecord(reason);
	}
}

export function isNotFound(error: unknown): boolean {
	return error instanceof ServiceError && error.isNotFound;
}

export function hasStatus(error: unknown, status: number): boolean {
	return error instanceof ServiceError && error.status === status;
}

/** The error of a read, which also says that the change before it was sent. */
export function noteSentChange(error: Error): Error {
	if (!(error instanceof ServiceError)) return error;
	return withAdvice(error, 'The change was sent before this, and the service might have made it.');
}

/** A copy of an error that also says something else. */
export function withAdvice(error: Error & { description?: string | null }, advice: string): Error {
	const description = [error.description, advice].filter(Boolean).join(' ');
	const texts = { message: { value: error.message }, description: { value: description } };
	return Object.create(error, texts) as Error;
}

/** A text of the service with a period, where it does not end a sentence itself. */
export function endSentence(text: string): string {
	return /[.!?…]$/.test(text) ? text : `${text}.`;
}

export function createApiError(
	node: INode,
	details: ErrorDetails & { status?: number; failure?: Failure },
	itemIndex?: number,
): NodeApiError {
	const { status, failure } = details;
	const options = toOptions(details, itemIndex);
	const { message } = options;
	const more = { ...options, httpCode: status?.toString(), failure };
	return Object.assign(new NodeApiError(withoutParameters(node), { message }, more), { message });
}

export function createInputError(node: INode, details: ErrorDetails, itemIndex?: number) {
	const options = toOptions(details, itemIndex);
	const { message } = options;
	return Object.assign(new NodeOperationError(withoutParameters(node), message, options), {
		message,
	});
}

/**
 * The error that ends an execution. n8n's RoutingNode wraps any other than a NodeApiError into one that carries the node
 * with all its parameters, a password included, into the log.
 */
export function toNodeApiError(error: NodeError): NodeApiError {
	if (error instanceof NodeApiError) return error;
	const { message, context, node } = error;
	const options = { message, description: error.description ?? undefined, ...context };
	return Object.assign(new NodeApiError(node, { message }, options), { message });
}

/**
 * Names of files, fields and records come from anybody, and n8n shows messages as HTML: what can't be seen, or could be
 * a tag, is replaced. The message has to be set again later: n8n replaces one that mentions a code such as ECONNRESET.
 */
function toOptions({ message, description }: ErrorDetails, itemIndex?: number) {
	const clean = (text: string) =>
		text
			.slice(0, MAX_LENGTH)
			.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
			.replaceAll('<', '‹');
	const item = itemIndex === undefined ? '' : ` [item ${itemIndex}]`;
	return {
		message: `${clean(message)}${item}`,
		description: clean(description ?? '') || undefined,
		itemIndex,
	};
}

/** An error carries its node into logs and execution records: so without parameters, a password included. */
function withoutParameters(node: INode): INode {
	const { resource, operation } = node.parameters;
	return { ...node, parameters: { resource, operation } };
}
