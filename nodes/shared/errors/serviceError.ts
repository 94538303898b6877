import type { Failure } from 'n8n-workflow';

import { getFailureCause, isMissingRecord, type RequestFailure } from './failure';

/** Why a request failed, in text alone: the HTTP client's own error contains the request with the API key. */
export class ServiceError extends Error {
	/** @param reason without secrets */
	constructor(
		message: string,
		readonly description: string,
		private readonly reason: RequestFailure,
	) {
		super(message);
	}

	get status(): number | undefined {
		return this.reason.status;
	}

	/** Whether the service says that there is no such record. */
	get isNotFound(): boolean {
		return isMissingRecord(this.reason);
	}

	get failure(): Failure | undefined {
		return getFailureCause(this.reason);
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
	const { message } = error;
	const description = [error.description, advice].filter(Boolean).join(' ');
	return Object.create(error, {
		message: { value: message },
		description: { value: description },
	}) as Error;
}

/** A text of the service with a period, where it does not end a sentence itself. */
export function endSentence(text: string): string {
	return /[.!?…]$/.test(text) ? text : `${text}.`;
}
