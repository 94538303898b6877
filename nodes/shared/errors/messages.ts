import type { NetworkErrorReason, RequestFailure } from './failure';
import { isOutcomeUnknown } from './failure';

/** What a failed request was about, so that its message can name it. */
export interface RequestSubject {
	/** The operation in a few words, such as "get the container". */
	action: string;
	/** Identifier of the container, or address of the contact, that the request was about. */
	containerId?: string;
	contactEmail?: string;
	/** Name of the container that was to be created. */
	containerName?: string;
	/** Bytes that were to be uploaded. */
	uploadSize?: number;
	/** Whether the request creates a container, which must be looked for when its outcome is unknown. */
	createsContainer?: boolean;
	/** Origin of the base URL. */
	origin: string;
	/** How often the request was sent. */
	attempts: number;
	/** Whether the timeout is fixed, with no option for it. */
	hasFixedTimeout?: boolean;
}

/** What a person reads: what happened, and how to get unstuck. */
export interface ErrorMessage {
	message: string;
	description: string;
}

/** n8n recognizes a canceled execution by this word in the message. */
export const CANCELED: ErrorMessage = {
	message: 'The execution was canceled',
	description: 'The node stopped the request. Data that the service already accepted stays there.',
};

const RAISE_LIMIT =
	'Lower "Max Concurrent Requests" or raise "Max Retries" in the options, or process fewer items at a time.';

/** The error of a failed request, in words for the user. The service's own words are always kept. */
export function getErrorMessage(failure: RequestFailure, subject: RequestSubject): ErrorMessage {
	const errorMessage = messageFor(failure, subject);
	if (subject.createsContainer && isOutcomeUnknown(failure)) {
		errorMessage.description += ` The container might have been created: look for ${subject.containerName ? `"${subject.containerName}"` : 'it'} with the operation Container > Get Many before you run this item again, or set "If Container Exists" to Reuse Existing.`;
	}
	return errorMessage;
}

function messageFor(failure: RequestFailure, subject: RequestSubject): ErrorMessage {
	switch (failure.kind) {
		case 'status':
			return messageForStatus(failure, subject);
		case 'network':
			return messageForNetworkError(failure.reason, failure.code, subject);
		case 'html':
			return {
				message: 'Received an HTML page instead of an API response',
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
	{ status, serviceMessage, location, retryAfter }: Extract<RequestFailure, { kind: 'status' }>,
	subject: RequestSubject,
): ErrorMessage {
	const quote = serviceMessage
		? `Message from the service: ${serviceMessage}${/[.!?…]$/.test(serviceMessage) ? '' : '.'}`
		: `The service returned no message (status ${status}).`;
	if (status >= 300 && status < 400) {
		return {
			message: 'The service redirected the request to another URL',
			description: `The service returned a redirect${location ? ` to ${location}` : ''}. The node doesn't follow redirects, so that the API key is not sent to another URL. Enter the URL of the API itself as the Base URL in the credential.`,
		};
	}
	switch (status) {
		case 400:
		case 422:
			return {
				message: `The service did not accept the request to ${subject.action}${serviceMessage ? `: ${serviceMessage}` : ''}`,
				description: `${quote} Check the parameters of the node.`,
			};
		case 401:
			return {
				message: 'The service did not accept the API key',
				description: `Open the credential and enter a valid API key. To create one, go to Configuration > API Keys in the service portal. ${quote}`,
			};
		case 403:
			return {
				message: `The API key has no permission to ${subject.action}`,
				description: `The API key has the permissions of the user who created it. Use the API key of a user with this permission, or check Options > User ID. ${quote}`,
			};
		case 404:
			return {
				message: messageForNotFound(subject),
				description: `It might have been deleted, or it belongs to another user or service. Check the value that you entered, Options > User ID, and the Base URL in the credential. ${quote}`,
			};
		case 409:
			return {
				message: `The service can't ${subject.action} in the current state`,
				description: `${quote} If the container was encoded without "Allow Changes Later", its rules can't be changed: encode the files again with the new rules, then delete the old container.`,
			};
		case 413:
			return {
				message: `The files are larger than the service accepts${formatUploadSize(subject)}`,
				description: `Send fewer or smaller files in one container, or ask the operator of the service to raise the limit. ${quote}`,
			};
		case 429:
			return {
				message: 'The service received too many requests',
				description: `${retryAfter ? `The service asks to wait (Retry-After: ${retryAfter}). ` : ''}${RAISE_LIMIT} ${quote}${formatAttempts(subject.attempts)}`,
			};
		default:
			return {
				message:
					status >= 500
						? `The service could not ${subject.action} (status ${status})`
						: `The service refused to ${subject.action} (status ${status})`,
				description:
					status >= 500
						? `Run the workflow again later. If the error persists, contact the operator of the service. ${quote}${formatAttempts(subject.attempts)}`
						: quote,
			};
	}
}

function messageForNetworkError(
	reason: NetworkErrorReason,
	code: string,
	subject: RequestSubject,
): ErrorMessage {
	const { origin } = subject;
	switch (reason) {
		case 'refused':
			return {
				message: `Could not connect to ${origin}`,
				description: `No service is running at this URL, or a firewall blocks the connection. Check the host and port of the Base URL in the credential, and check that the service is running.${formatAttempts(subject.attempts)}`,
			};
		case 'nameNotFound':
			return {
				message: `The host name of ${origin} was not found`,
				description: `Check the Base URL in the credential for typos, and check the DNS settings of the machine that runs n8n.${formatAttempts(subject.attempts)}`,
			};
		case 'certificate':
			return {
				message: `The certificate of ${origin} is not trusted (${code})`,
				description:
					'If the service uses a private certificate authority, start n8n with NODE_EXTRA_CA_CERTS set to a file with its certificate. Otherwise, check that the certificate is valid for the host of the Base URL.',
			};
		case 'notHttps':
			return {
				message: `${origin} doesn't support HTTPS on this port (${code})`,
				description:
					'Check the port of the Base URL in the credential. The node connects only over HTTPS.',
			};
		case 'timeout':
			return {
				message: `The service did not respond in time to the request to ${subject.action}`,
				description: subject.hasFixedTimeout
					? `Try again later. If the error persists, contact the operator of the service.${formatAttempts(subject.attempts)}`
					: `Run the workflow again later. For large files or a slow service, raise the timeout on the Settings tab of the node, under Request Options > Timeout.${formatAttempts(subject.attempts)}`,
			};
		case 'cancelled':
			return { ...CANCELED };
		case 'reset':
			return subject.uploadSize !== undefined
				? {
						message: `The service closed the connection during the upload${formatUploadSize(subject)}`,
						description:
							'The files might be larger than the service accepts, or the connection was interrupted. Send fewer or smaller files in one container, or try again.',
					}
				: {
						message: `The service closed the connection before it responded to the request to ${subject.action}`,
						description: `Run the workflow again later. If the error persists, check the proxies between n8n and the service.${formatAttempts(subject.attempts)}`,
					};
		case 'other':
			return {
				message: `The request to ${subject.action} failed (${code})`,
				description: `Check the Base URL in the credential and the network connection between n8n and ${origin}.`,
			};
	}
}

function messageForNotFound(subject: RequestSubject): string {
	if (subject.containerId) return `The container "${subject.containerId}" was not found`;
	if (subject.contactEmail) return `The contact "${subject.contactEmail}" was not found`;
	return `Nothing found for the request to ${subject.action}`;
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
