import type { NetworkErrorReason, RequestFailure, RequestSubject } from './failure';

type NetworkFailure = Extract<RequestFailure, { kind: 'network' }>;

/** The message, and what to do. */
export type Texts = [message: string, advice: string];

export const CHECK_PROXY =
	"The connection goes through the proxy in the node's settings, under Request Options > Proxy: check it too.";
export const CHECK_ROUTE = 'If the error persists, check the proxies between n8n and the service.';

/** n8n recognizes a canceled execution by this word in the message. */
export const CANCELED = {
	message: 'The execution was canceled',
	description: 'The node stopped the request. Data that the service already accepted stays there.',
};

/** How much was uploaded, in brackets. */
export function formatUploadSize({ uploadSize }: RequestSubject): string {
	if (uploadSize === undefined) return '';
	const kilobytes = Math.max(1, Math.round(uploadSize / 1000));
	const size = kilobytes < 1000 ? `${kilobytes} kB` : `${(kilobytes / 1000).toFixed(1)} MB`;
	return ` (${size} in total)`;
}

/** Whether a connection was not to the service: a proxy is set in the Request Options, or in the environment of n8n. */
function isToProxy({ port, host }: NetworkFailure, origin: string): boolean {
	const { hostname, port: ownPort } = new URL(origin);
	const isOtherPort = port !== undefined && port !== (Number(ownPort) || 443);
	return isOtherPort || (host !== undefined && host !== hostname);
}

/** What to say of a request that got no response. */
export function getTextsForNetworkError(failure: NetworkFailure, subject: RequestSubject): Texts {
	const { code, seconds, port, host } = failure;
	const { action, origin, uploadSize, hasProxy } = subject;
	const reason = isToProxy(failure, origin) ? 'proxy' : failure.reason;
	const texts: Record<NetworkErrorReason, Texts> = {
		refused: [
			`Could not connect to ${origin}`,
			'No service is running at this URL, or a firewall blocks the connection. Check the host and port of the Base URL in the credential, and check that the service is running.',
		],
		nameNotFound: [
			`The host name of ${origin} was not found`,
			'Check the Base URL in the credential for typos, and check the DNS settings of the machine that runs n8n.',
		],
		handshake: [
			`Could not make a secure connection to ${origin} (${code})`,
			`The ${/ETIMEDOUT|ESOCKETTIMEDOUT|ABORTED|CANCELED/.test(code) ? 'TLS handshake took too long' : 'connection was closed during the TLS handshake'}. Nothing was sent. Check the host and port of the Base URL in the credential, and the firewalls and proxies between n8n and the service.`,
		],
		certificate: [
			`The certificate of ${origin} is not trusted (${code})`,
			'If the service uses a private certificate authority, start n8n with NODE_EXTRA_CA_CERTS set to a file with its certificate. Otherwise, check that the certificate is valid for the host of the Base URL.',
		],
		tlsRefused: [
			`${origin} requires a client certificate, or supports no common TLS version (${code})`,
			'The node has no client certificate. Ask the operator of the service for an address that accepts the API key alone, with TLS 1.2 or later, or connect through a proxy that does the rest.',
		],
		notHttps: [
			`${origin} doesn't support HTTPS on this port (${code})`,
			'Check the port of the Base URL in the credential. The node connects only over HTTPS.',
		],
		timeout: [
			seconds === undefined
				? `The service did not respond in time to the request to ${action}`
				: `The service did not send a complete response within ${seconds} ${seconds === 1 ? 'second' : 'seconds'} to the request to ${action}`,
			`Run the workflow again later. For a slow service, raise ${seconds === undefined ? 'the timeout on the Settings tab of the node, under Request Options > Timeout' : 'Options > Response Timeout'}.`,
		],
		reset:
			uploadSize === undefined
				? [
						`The service closed the connection before it responded to the request to ${action}`,
						`Run the workflow again later. ${CHECK_ROUTE}`,
					]
				: [
						`The service closed the connection during the upload${formatUploadSize(subject)}`,
						'The files might be larger than the service accepts, the service might have refused the API key, or the connection was interrupted. Send fewer or smaller files in one container, test the credential, or try again.',
					],
		other: [
			`The request to ${action} failed (${code})`,
			`Check the Base URL in the credential and the network connection between n8n and ${origin}.`,
		],
		proxy: [
			`Could not connect to the proxy${port === undefined ? '' : ` on port ${port}`}${host === undefined ? '' : ` ${host}`}`,
			"Check the proxy in the node's settings, under Request Options > Proxy, or in the environment variable HTTPS_PROXY of n8n, and check that it is running.",
		],
		cancelled: [CANCELED.message, CANCELED.description],
		early: [
			`The service responded before it had received all files${formatUploadSize(subject)}`,
			'The response says that the request was accepted, but the files were not read. Check the gateways between n8n and the service.',
		],
	};
	const [message, advice] = texts[reason];
	const isProxyUsed = hasProxy && reason !== 'proxy' && reason !== 'cancelled';
	return isProxyUsed ? [message, `${advice} ${CHECK_PROXY}`] : [message, advice];
}
