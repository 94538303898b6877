import type { IHttpRequestOptions } from 'n8n-workflow';
import { UserError } from 'n8n-workflow';

import { isExpression } from '../../shared/parameters/expressions';
import { parseInteger } from '../../shared/parameters/scalars';

/**
 * The proxy and the timeout in the node's Request Options, as n8n reads them for an execution (engine: RoutingNode). For
 * pickers, n8n doesn't read them. Expressions are left out: the editor can't resolve them.
 *
 * @param saved the parameter as the workflow stores it
 * @throws UserError for a value that can't be used
 */
export function parseSavedRequestOptions(saved: unknown): Partial<IHttpRequestOptions> {
	const isSet = (value: unknown) => value !== undefined && value !== '' && !isExpression(value);
	const { proxy, timeout } = (saved ?? {}) as { proxy?: unknown; timeout?: unknown };
	return {
		...(isSet(proxy) ? { proxy: parseProxy(proxy) } : {}),
		...(isSet(timeout) ? { timeout: parseInteger(timeout, 'Timeout', 1) } : {}),
	};
}

function parseProxy(value: unknown): IHttpRequestOptions['proxy'] {
	const url = typeof value === 'string' && URL.canParse(value) ? new URL(value) : undefined;
	if (url === undefined || url.hostname === '') {
		throw new UserError('"Proxy" is not a URL', {
			description:
				"Enter a URL such as http://proxy.example.com:3128 in the node's settings, under Request Options > Proxy.",
		});
	}
	const { protocol, hostname, port, username, password } = url;
	const defaultPort = protocol === 'https:' ? 443 : 80;
	const decode = decodeURIComponent;
	return {
		protocol: protocol.slice(0, -1),
		host: hostname,
		port: Number(port) || defaultPort,
		...(username === ''
			? {}
			: { auth: { username: decode(username), password: decode(password) } }),
	};
}
