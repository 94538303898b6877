/** What goes back over the wire: no body, or text (or bytes) with its type. */
export interface Answer {
	status: number;
	body?: string | Buffer;
	contentType?: string;
	headers?: Record<string, string>;
}

export const JSON_TYPE = 'application/json; charset=utf-8';

export function jsonAnswer(status: number, value: unknown): Answer {
	return { status, body: JSON.stringify(value), contentType: JSON_TYPE };
}

export function textAnswer(status: number, text: string): Answer {
	return { status, body: text, contentType: 'text/plain; charset=utf-8' };
}

/** @returns a web page, as the portal of a service shows where a client expected JSON */
export function pageAnswer(status: number, title: string, text: string): Answer {
	const body = `<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>${title}</title></head>
<body><h1>${title}</h1><p>${text}</p></body></html>
`;
	return { status, body, contentType: 'text/html; charset=utf-8' };
}

/** @returns the page that a browser sees at any address that is no API's */
export function portalPage(): Answer {
	return pageAnswer(200, 'Secure Sharing Portal', 'Please sign in.');
}
