import type { NetworkErrorReason, RequestFailure } from './failure';
import { isOutcomeUnknown } from './failure';

type NetworkFailure = Extract<RequestFailure, { kind: 'network' }>;

/** What a failed request was about, for its message. */
export interface RequestSubject {
	/** What the request does, in words that follow "to": "get the container". */
	action: string;
	containerId?: string;
	contactEmail?: string;
	/** The user in the path, where it is not that of the API key. */
	chosenUser?: string;
	/** Name of the new container. */
	containerName?: string;
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

export interface ErrorMessage {
	message: string;
	description: string;
}

/** n8n recognizes a canceled execution by this word in the message. */
export const CANCELED: ErrorMessage = {
	message: 'The execution was canceled',
	description: 'The node stopped the request. Data that the service already accepted stays there.',
};

const CHECK_PROXY =
	"The connection goes through the proxy in the node's settings, under Request Options > Proxy: check it too.";

const RAISE_LIMIT =
	'Lower "Max Concurrent Requests" or raise "Max Retries" in the options, or process fewer items at a time.';

/** Describes a failed request to the user, always with the service's own message. */
export function getErrorMessage(failure: RequestFailure, subject: RequestSubject): ErrorMessage {
	const { message, description } = messageFor(failure, subject);
	const doubt = isOutcomeUnknown(failure) ? describeDoubt(failure, subject) : '';
	return { message, description: `${description}${doubt}` };
}

function describeDoubt(
	{ kind }: RequestFailure,
	{ createsContainer, containerName, isChange }: RequestSubject,
): string {
	if (createsContainer) {
		const container = containerName ? `"${containerName}"` : 'it';
		return ` The container might have been created: look for ${container} with the operation Container > Get Many before you run this item again, or set "If Container Exists" to Reuse Existing.`;
	}
	// The service reported a failure, or other values than those that were sent.
	if (!isChange || kind === 'unexpected') return '';
	return ' The service might have made the change.';
}

function messageFor(failure: RequestFailure, subject: RequestSubject): ErrorMessage {
	switch (failure.kind) {
		case 'status':
			return messageForStatus(failure, subject);
		case 'network':
			return messageForNetworkError(failure, subject);
		case 'tooLarge':
			return {
				message: `The service returned more than ${failure.maxBytes / 1_000_000} MB for the request to ${subject.action}`,
				description:
					'The node stopped reading, to protect the memory of n8n. If it is a list, get fewer entries at a time, if the service supports it. Otherwise, check the Base URL in the credential, and report this response to the operator of the service.',
			};
		case 'html':
			return {
				message: `Received an HTML page${failure.title ? ` ("${failure.title}")` : ''} instead of an API response`,
				description: `Check the Base URL in the credential: ${subject.origin} returned an HTML page. The Base URL must end with the version, for example https://share.example.com/api/v1.`,
			};
		case 'invalidJson':
			return {
				message: `The service returned invalid JSON for the request to ${subject.action}: ${failure.reason}`,
				description:
					'The response was cut off or changed in transit. Run the workflow again. If the error persists, check the proxies between n8n and the service.',
			};
		case 'unexpected':
			return {
				message: `The service returned ${failure.received} instead of ${failure.expected} for the request to ${subject.action}`,
				description:
					'Check that the Base URL in the credential is the URL of the API and ends with the right version. If it is correct, report this response to the operator of the service.',
			};
	}
}

function messageForStatus(
	{
		status,
		isPage,
		serviceMessage,
		location,
		retryAfter,
	}: Extract<RequestFailure, { kind: 'status' }>,
	subject: RequestSubject,
): ErrorMessage {
	const quote = serviceMessage
		? `Message from the service: ${serviceMessage}${/[.!?…]$/.test(serviceMessage) ? '' : '.'}`
		: `The service returned no message (status ${status}).`;
	if (status < 400) {
		return {
			message: 'The service redirected the request to another URL',
			description: `The service returned a redirect${location ? ` to ${location}` : ''}. The node doesn't follow redirects, so that the API key is not sent to another URL. Enter the URL of the API itself as the Base URL in the credential.`,
		};
	}
	if (subject.hasProxy && isPage && status !== 407) {
		return {
			message: `The proxy or the service refused to ${subject.action} (status ${status})`,
			description: `The response is not from the API. ${CHECK_PROXY} ${quote}${formatAttempts(subject.attempts)}`,
		};
	}
	const hint = looksLikeName(subject.containerId)
		? `"${subject.containerId}" looks like a name. Choose it From List, or enter the ID. `
		: '';
	const notFound = messageForNotFound(subject);
	const messages: Record<number, ErrorMessage> = {
		400: {
			message: `The service did not accept the request to ${subject.action}${serviceMessage ? `: ${serviceMessage}` : ''}`,
			description: `${hint}${quote} Check the parameters of the node.`,
		},
		401: {
			message: 'The service did not accept the API key',
			description: `Open the credential and enter a valid API key. To create one, go to Configuration > API Keys in the service portal. ${quote}`,
		},
		403: {
			message: `The API key has no permission to ${subject.action}`,
			description: `The API key has the permissions of the user who created it. Use the API key of a user with this permission${subject.chosenUser === undefined ? '' : ', or check Options > User ID'}. A firewall in front of the service can also refuse a request: then ask its operator to allow it. ${quote}`,
		},
		404: {
			message: notFound.message,
			description: `${hint}${notFound.description} ${quote}`,
		},
		409: {
			message: `The service can't ${subject.action} in the current state`,
			description: `${quote} If the container was encoded without "Allow Changes Later", its rules can't be changed: encode the files again with the new rules, then delete the old container.`,
		},
		407: {
			message: 'The proxy between n8n and the service rejected the request',
			description: `Check the user name and password of the proxy, in the node's settings under Request Options > Proxy, or in the environment variable HTTPS_PROXY of n8n. ${quote}`,
		},
		413: {
			message: `The files are larger than the service accepts${formatUploadSize(subject)}`,
			description: `Send fewer or smaller files in one container, or ask the operator of the service to raise the limit. ${quote}`,
		},
		429: {
			message: 'The service received too many requests',
			description: `${retryAfter ? `The service asks to wait (Retry-After: ${retryAfter}). ` : ''}${RAISE_LIMIT} ${quote}${formatAttempts(subject.attempts)}`,
		},
	};
	const message = messages[status === 422 ? 400 : status];
	if (message !== undefined) return message;
	return status >= 500
		? {
				message: `The service could not ${subject.action} (status ${status})`,
				description: `Run the workflow again later. If the error persists, contact the operator of the service. ${quote}${formatAttempts(subject.attempts)}`,
			}
		: {
				message: `The service refused to ${subject.action} (status ${status})`,
				description: quote,
			};
}

/** Whether a connection was not to the service: a proxy is set in the Request Options, or in the environment of n8n. */
function isToProxy({ port, host }: NetworkFailure, origin: string): boolean {
	const { hostname, port: ownPort } = new URL(origin);
	const isOtherPort = port !== undefined && port !== (Number(ownPort) || 443);
	return isOtherPort || (host !== undefined && host !== hostname);
}

function messageForNetworkError(failure: NetworkFailure, subject: RequestSubject): ErrorMessage {
	const { code, seconds, port, host } = failure;
	const { action, origin, uploadSize, hasProxy } = subject;
	const reason = isToProxy(failure, origin) ? 'proxy' : failure.reason;
	const attempts = formatAttempts(subject.attempts);
	const isUpload = uploadSize !== undefined;
	const messages: Record<NetworkErrorReason, ErrorMessage> = {
		refused: {
			message: `Could not connect to ${origin}`,
			description: `No service is running at this URL, or a firewall blocks the connection. Check the host and port of the Base URL in the credential, and check that the service is running.${attempts}`,
		},
		nameNotFound: {
			message: `The host name of ${origin} was not found`,
			description: `Check the Base URL in the credential for typos, and check the DNS settings of the machine that runs n8n.${attempts}`,
		},
		certificate: {
			message: `The certificate of ${origin} is not trusted (${code})`,
			description:
				'If the service uses a private certificate authority, start n8n with NODE_EXTRA_CA_CERTS set to a file with its certificate. Otherwise, check that the certificate is valid for the host of the Base URL.',
		},
		clientCertificate: {
			message: `${origin} requires a client certificate, or rejects the TLS settings (${code})`,
			description:
				'The node has no client certificate. Ask the operator of the service for an address that accepts the API key alone, or connect through a proxy that adds the certificate.',
		},
		tlsVersion: {
			message: `${origin} and n8n support no common TLS version (${code})`,
			description:
				'Ask the operator of the service to enable TLS 1.2 or later, or connect through a proxy that does.',
		},
		notHttps: {
			message: `${origin} doesn't support HTTPS on this port (${code})`,
			description:
				'Check the port of the Base URL in the credential. The node connects only over HTTPS.',
		},
		timeout:
			seconds === undefined
				? {
						message: `The service did not respond in time to the request to ${action}`,
						description: `Run the workflow again later. For a slow service, raise the timeout on the Settings tab of the node, under Request Options > Timeout.${attempts}`,
					}
				: {
						message: `The service did not send a complete response within ${seconds} ${seconds === 1 ? 'second' : 'seconds'} to the request to ${action}`,
						description: `Run the workflow again later. For a slow service, raise Options > Response Timeout.${attempts}`,
					},
		reset: {
			message: isUpload
				? `The service closed the connection during the upload${formatUploadSize(subject)}`
				: `The service closed the connection before it responded to the request to ${action}`,
			description: isUpload
				? 'The files might be larger than the service accepts, the service might have refused the API key, or the connection was interrupted. Send fewer or smaller files in one container, test the credential, or try again.'
				: `Run the workflow again later. If the error persists, check the proxies between n8n and the service.${attempts}`,
		},
		other: {
			message: `The request to ${action} failed (${code})`,
			description: `Check the Base URL in the credential and the network connection between n8n and ${origin}.`,
		},
		proxy: {
			message: `Could not connect to the proxy${port === undefined ? '' : ` on port ${port}`}${host === undefined ? '' : ` ${host}`}`,
			description: `Check the proxy in the node's settings, under Request Options > Proxy, or in the environment variable HTTPS_PROXY of n8n, and check that it is running.${attempts}`,
		},
		cancelled: CANCELED,
		early: {
			message: `The service responded before it had received all files${formatUploadSize(subject)}`,
			description:
				'The response says that the request was accepted, but the files were not read. Check the gateways between n8n and the service.',
		},
	};
	const { message, description } = messages[reason];
	return hasProxy && reason !== 'proxy' && reason !== 'cancelled'
		? { message, description: `${description} ${CHECK_PROXY}` }
		: { message, description };
}

function messageForNotFound(subject: RequestSubject): ErrorMessage {
	const { action, containerId, contactEmail, chosenUser } = subject;
	if (containerId || contactEmail) {
		const user = chosenUser === undefined ? '' : ' Options > User ID,';
		return {
			message: containerId
				? `The container "${containerId}" was not found`
				: `The contact "${contactEmail}" was not found`,
			description: `It might have been deleted, or it belongs to another user or service. Check the value that you entered,${user} and the Base URL in the credential.`,
		};
	}
	return chosenUser === undefined
		? {
				message: `Nothing found here for the request to ${action}`,
				description:
					'The Base URL must end with the version, for example https://share.example.com/api/v1. Check it in the credential.',
			}
		: {
				message: `User "${chosenUser}" was not found`,
				description: 'Check Options > User ID.',
			};
}

/** Whether an ID has words, a file extension or letters beyond ASCII, which IDs hardly have. */
function looksLikeName(id = ''): boolean {
	return /\s|[^\x21-\x7e]|\.[a-z]{2,4}$/i.test(id) || /^[A-Z]?[a-z]+([-_][A-Z]?[a-z]+)*$/.test(id);
}

function formatUploadSize({ uploadSize }: RequestSubject): string {
	if (uploadSize === undefined) return '';
	const readable =
		uploadSize < 1_000_000
			? `${Math.max(1, Math.round(uploadSize / 1000))} kB`
			: `${(uploadSize / 1_000_000).toFixed(1)} MB`;
	return ` (${readable} in total)`;
}

function formatAttempts(attempts: number): string {
	return attempts === 1 ? '' : ` Tried ${attempts} times.`;
}
