import type { Answer } from './answer.cts';
import { jsonAnswer, pageAnswer, textAnswer } from './answer.cts';
import type { ErrorShape } from '../settings.cts';

/** A request that the service refuses, with the status and the words of its answer. */
export class ServiceError extends Error {
	constructor(
		readonly status: number,
		readonly code: string,
		message: string,
		readonly headers: Record<string, string> = {},
	) {
		super(message);
		this.name = 'ServiceError';
	}
}

export const invalid = (message: string) => new ServiceError(400, 'invalid_request', message);

export const notFound = (message: string) => new ServiceError(404, 'not_found', message);

/** @returns the answer to a refused request, in the shape that the settings ask for */
export function errorAnswer(error: ServiceError, shape: ErrorShape): Answer {
	return { ...shaped(error, shape), headers: error.headers };
}

function shaped({ status, code, message }: ServiceError, shape: ErrorShape): Answer {
	switch (shape) {
		case 'nested':
			return jsonAnswer(status, { error: { code, message } });
		case 'list':
			return jsonAnswer(status, { errors: [{ code, message }] });
		case 'text':
			return textAnswer(status, message);
		case 'empty':
			return { status };
		case 'html':
			return pageAnswer(status, `${status} ${code}`, message);
		default:
			return jsonAnswer(status, { message, code });
	}
}
