/** What a failed request was about, for its message. */
export interface RequestSubject {
	/** What the request does, in words that follow "to": "get the container". */
	action: string;
	containerId?: string;
	/** Where it is known. */
	containerName?: string;
	contactEmail?: string;
	/** The user in the path, where it is not that of the API key. */
	chosenUser?: string;
	/** Bytes. */
	uploadSize?: number;
	createsContainer?: boolean;
	/** Whether the request changes or deletes something. */
	isChange?: boolean;
	/** Of the base URL. */
	origin: string;
	attempts: number;
	/** Whether a proxy is set in the Request Options. */
	hasProxy?: boolean;
}

/** The message, and what to do. */
export type Texts = [message: string, advice: string];

export const CHECK_PROXY =
	"The connection goes through the proxy in the node's settings, under Request Options > Proxy: check it too.";
export const CHECK_ROUTE = 'If the error persists, check the proxies between n8n and the service.';

/** How much was uploaded, in brackets. */
export function formatUploadSize({ uploadSize }: RequestSubject): string {
	if (uploadSize === undefined) return '';
	const kilobytes = Math.max(1, Math.round(uploadSize / 1000));
	const size = kilobytes < 1000 ? `${kilobytes} kB` : `${(kilobytes / 1000).toFixed(1)} MB`;
	return ` (${size} in total)`;
}
