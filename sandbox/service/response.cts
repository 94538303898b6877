/** A response to send: no body, or text (or bytes) with its type. */
export interface ServiceResponse {
	status: number;
	body?: string | Buffer;
	contentType?: string;
	headers?: Record<string, string>;
}

export const JSON_TYPE = 'application/json; charset=utf-8';

export function jsonResponse(status: number, value: unknown): ServiceResponse {
	return { status, body: JSON.stringify(value), contentType: JSON_TYPE };
}

export function textResponse(status: number, text: string): ServiceResponse {
	return { status, body: text, contentType: 'text/plain; charset=utf-8' };
}

/** An HTML page where a client expects JSON. */
export function htmlResponse(status: number, title: string, text: string): ServiceResponse {
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
