import { NodeApiError, NodeOperationError, type Failure, type INode } from 'n8n-workflow';

import {
	getFailureCause,
	isMissingRecord,
	type Doubt,
	type RequestFailure,
	type RequestSubject,
} from './failure';

export type NodeError = NodeApiError | NodeOperationError;

interface ErrorDetails {
	message: string;
	description?: string | null;
}

export type Cause = Error & ErrorDetails & { context?: { itemIndex?: number } };

/** More than any text of the node itself has. */
const MAX_LENGTH = 4000;

/** Why a request failed, without secrets: the HTTP client's own error contains the request with the API key. */
export class ServiceError extends Error {
	constructor(
		message: string,
		readonly description: string,
		readonly reason: RequestFailure,
		readonly doubt?: Doubt,
		/** What the request was about. */
		readonly subject: Partial<RequestSubject> = {},
	) {
		super(message);
	}
}

/** Whether the service might have done what failed. */
export function isInDoubt(error: unknown): error is ServiceError & { doubt: Doubt } {
	return error instanceof ServiceError && error.doubt !== undefined;
}

export function isNotFound(error: unknown): boolean {
	return error instanceof ServiceError && isMissingRecord(error.reason);
}

export function hasStatus(error: unknown, status: number): boolean {
	return error instanceof ServiceError && error.reason.status === status;
}

/** A copy of an error with other texts, with more advice, or about an item. */
export function extendError(
	error: Cause,
	{ advice, itemIndex, ...texts }: Partial<ErrorDetails> & { advice?: string; itemIndex?: number },
): Cause {
	const description = [error.description, advice].filter(Boolean).join(' ');
	const context = { ...error.context, ...(itemIndex !== undefined && { itemIndex }) };
	// Defined, not set: the message of an aborted signal can't be set.
	const changes = Object.getOwnPropertyDescriptors({ description, context, ...texts });
	return Object.create(error, changes) as Cause;
}

export function endSentence(text: string): string {
	return /[.!?…]$/.test(text) ? text : `${text}.`;
}

/** The error as n8n shows it: one of the API where a request failed, one of the node otherwise. */
export function createNodeError(node: INode, error: Cause, itemIndex?: number): NodeError {
	if (error instanceof ServiceError) return createApiError(node, error, itemIndex);
	const options = toOptions(error, itemIndex);
	const { message } = options;
	const created = new NodeOperationError(withoutParameters(node), message, options);
	// By the context of an expression, the editor names the field.
	return Object.assign(created, { message, context: { ...error.context, ...created.context } });
}

export function createApiError(
	node: INode,
	details: ErrorDetails & { reason?: RequestFailure; failure?: Failure },
	itemIndex?: number,
): NodeApiError {
	const { reason, failure = reason && getFailureCause(reason) } = details;
	const options = {
		...toOptions(details, itemIndex),
		httpCode: reason?.status?.toString(),
		failure,
	};
	const { message } = options;
	return Object.assign(new NodeApiError(withoutParameters(node), { message }, options), {
		message,
	});
}

/**
 * As plain text: names of files, fields and records come from anybody, and n8n shows messages as HTML. The message has to
 * be set again later: n8n replaces one that mentions a code such as ECONNRESET.
 */
function toOptions({ message, description }: ErrorDetails, itemIndex?: number) {
	const item = itemIndex === undefined ? '' : ` [item ${itemIndex}]`;
	return {
		message: `${toPlainText(message)}${item}`,
		description: toPlainText(description ?? '') || undefined,
		itemIndex,
	};
}

function toPlainText(text: string): string {
	return text
		.slice(0, MAX_LENGTH)
		.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
		.replaceAll('<', '‹');
}

/** An error carries its node into logs and execution records: so without parameters, a password included. */
function withoutParameters(node: INode): INode {
	const { resource, operation } = node.parameters;
	return { ...node, parameters: { resource, operation } };
}
