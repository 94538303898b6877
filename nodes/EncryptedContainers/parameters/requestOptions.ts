import { UserError, type IDataObject, type IHttpRequestOptions } from 'n8n-workflow';

import { parseInteger } from '../../shared/parameters/values';

/** Timers of Node.js fire at once after more milliseconds. */
const MAX_TIMEOUT = 2_147_483_647;

/** Parses the Request Options on the Settings tab, which n8n adds but doesn't check: a number can be text (RoutingNode). */
export function parseRequestOptions(value: unknown) {
	const { proxy, timeout, batching, allowUnauthorizedCerts } = (value || {}) as IDataObject;
	if (allowUnauthorizedCerts) {
		throw new UserError('"Ignore SSL Issues (Insecure)" can\'t be turned on in the node', {
			description:
				'Whoever owns the API key decides about it: turn it on in the credential, and remove it from Request Options on the Settings tab of the node.',
		});
	}
	const { batch } = (batching ?? {}) as { batch?: IDataObject };
	const size = parseNumber(batch?.batchSize, 'Items per Batch', -1) ?? 1;
	return {
		requestOptions: {
			proxy: parseProxy(toTrimmedText(proxy)),
			timeout: parseNumber(timeout, 'Timeout', 0, MAX_TIMEOUT) || undefined,
		},
		/** How many items start at once, and how many milliseconds before the next ones. */
		batching: {
			// n8n's own description: -1 turns batching off, and 0 counts as 1.
			size: size < 0 ? Number.POSITIVE_INFINITY : Math.max(1, size),
			interval: parseNumber(batch?.batchInterval, 'Batch Interval (ms)', 0, MAX_TIMEOUT) ?? 0,
		},
	};
}

function parseNumber(value: unknown, label: string, min: number, max?: number): number | undefined {
	return toTrimmedText(value) === '' ? undefined : parseInteger(value, label, min, max);
}

/** Empty also as an expression returns it for a field that is missing. */
function toTrimmedText(value: unknown): string {
	return String(value ?? '').trim();
}

/** n8n also takes the URL of a proxy, and ignores one of another kind: the request would go past it. */
function parseProxy(text: string) {
	if (text === '') return undefined;
	try {
		const { protocol, href, username, password } = new URL(text);
		decodeURIComponent(username + password);
		if (/^https?:$/.test(protocol)) return href as IHttpRequestOptions['proxy'] & string;
	} catch {
		// It is not a URL, or has a percent sign that nobody encoded.
	}
	throw new UserError('"Proxy" is not a URL with http:// or https://', {
		description:
			"Enter a URL such as http://proxy.example.com:3128 in the node's settings, under Request Options > Proxy. Encode a percent sign as %25.",
	});
}
