import type { SandboxSettings } from './settings.cts';

type ErrorShape = SandboxSettings['errorShape'];
type ChangeResponse = SandboxSettings['deleteResponse'];

/** A response to send: no body, or text (or bytes) with its type. */
export interface ServiceResponse {
	status: number;
	body?: string | Buffer;
	contentType?: string;
	headers?: Record<string, string>;
}

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

export const JSON_TYPE = 'application/json; charset=utf-8';

export function jsonResponse(status: number, value: unknown): ServiceResponse {
	return { status, body: JSON.stringify(value), contentType: JSON_TYPE };
}

function textResponse(status: number, text: string): ServiceResponse {
	return { status, body: text, contentType: 'text/plain; charset=utf-8' };
}

/** An HTML page where a client expects JSON. */
function htmlResponse(status: number, title: string, text: string): ServiceResponse {
	const body = `<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>${title}</title></head>
<body><h1>${title}</h1><p>${text}</p></body></html>
`;
	return { status, body, contentType: 'text/html; charset=utf-8' };
}

/** The page that a browser sees at any URL outside the API. */
export function portalPage(): ServiceResponse {
	return htmlResponse(200, 'Secure Sharing Portal', 'Please sign in.');
}

/** @returns the response to a refused request, in the form that the settings ask for */
export function errorResponse(error: ServiceError, shape: ErrorShape): ServiceResponse {
	const { status, code, message, headers } = error;
	const shapes: Record<ErrorShape, () => ServiceResponse> = {
		json: () => jsonResponse(status, { message, code }),
		nested: () => jsonResponse(status, { error: { code, message } }),
		list: () => jsonResponse(status, { errors: [{ code, message }] }),
		text: () => textResponse(status, message),
		empty: () => ({ status }),
		html: () => htmlResponse(status, `${status} ${code}`, message),
	};
	return { ...shapes[shape](), headers };
}

/** @returns the response to a change, in the form that the settings ask for */
export function changeResponse(
	shape: ChangeResponse,
	status: number,
	message: string,
	record: unknown,
): ServiceResponse {
	const shapes: Record<ChangeResponse, () => ServiceResponse> = {
		record: () => jsonResponse(status, record),
		empty: () => ({ status }),
		noContent: () => ({ status: 204 }),
		message: () => jsonResponse(status, { message }),
		text: () => textResponse(status, message),
	};
	return shapes[shape]();
}
