import type { ServiceResponse } from './response.cts';
import { jsonResponse, htmlResponse, textResponse } from './response.cts';
import type { ErrorShape } from '../settings.cts';

/** A request that the service refuses, with the status and message of its response. */
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

/** @returns the response to a refused request, in the form that the settings ask for */
export function errorResponse(error: ServiceError, shape: ErrorShape): ServiceResponse {
	return { ...format(error, shape), headers: error.headers };
}

function format({ status, code, message }: ServiceError, shape: ErrorShape): ServiceResponse {
	switch (shape) {
		case 'nested':
			return jsonResponse(status, { error: { code, message } });
		case 'list':
			return jsonResponse(status, { errors: [{ code, message }] });
		case 'text':
			return textResponse(status, message);
		case 'empty':
			return { status };
		case 'html':
			return htmlResponse(status, `${status} ${code}`, message);
		default:
			return jsonResponse(status, { message, code });
	}
}
