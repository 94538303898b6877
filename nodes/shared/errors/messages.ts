import type { NetworkErrorReason } from '../client/retry';

/** What a failed request was about, so that its message can name it. */
export interface RequestSubject {
	/** The operation in a few words, such as "get the container". */
	action: string;
	/** Identifier of the container, or address of the contact, that the request was about. */
	containerId?: string;
	contactEmail?: string;
	/** Name of the container that was to be made. */
	containerName?: string;
	/** Bytes that were to be uploaded. */
	uploadSize?: number;
	/** Whether the request makes something, so that an unclear outcome needs looking at. */
	creates?: boolean;
	/** Origin of the base URL. */
	origin: string;
	/** How often the request was sent. */
	tries: number;
	/** Whether the time-out is the node's own, with no option for it. */
	hasFixedTimeout?: boolean;
}

/** What went wrong, told apart as far as the answer (or its absence) allows. */
export type RequestFailure =
	| { kind: 'status'; status: number; said?: string; location?: string; retryAfter?: string }
	| { kind: 'noAnswer'; reason: NetworkErrorReason; code: string }
	| { kind: 'page' }
	| { kind: 'broken'; reason: string }
	| { kind: 'unexpected'; expected: string; got: string };

/** What a person reads: what happened, and how to get unstuck. */
export interface ErrorMessage {
	message: string;
	description: string;
}

/** n8n recognises a canceled execution by this word in the message. */
export const CANCELED: ErrorMessage = {
	message: 'The execution was canceled',
	description: 'The request was ended at once; what the service had already taken stays there.',
};

const RAISE_LIMIT =
	'Lower "Max Concurrent Requests" or raise "Max Retries" in the options, or run the workflow with fewer items at a time.';

/**
 * Turns a situation into the words that the user sees. The service's own words are always kept.
 *
 * @param situation what happened
 * @param subject what the request was about
 * @returns message and description; neither holds anything but what was passed in
 */
export function getErrorMessage(situation: RequestFailure, subject: RequestSubject): ErrorMessage {
	const explanation = messageFor(situation, subject);
	if (subject.creates && isOutcomeUnknown(situation)) {
		explanation.description += ` The container may exist all the same: look for ${subject.containerName ? `"${subject.containerName}"` : 'it'} with the operation Container > Get Many before you run this item again, or set "If Container Exists" to Reuse Existing.`;
	}
	return explanation;
}

/**
 * Whether a request that makes something may have made it although it failed.
 *
 * @param situation what happened
 */
export function isOutcomeUnknown(situation: RequestFailure): boolean {
	if (situation.kind === 'status')
		return situation.status === 408 || (situation.status >= 500 && situation.status !== 503);
	if (situation.kind === 'noAnswer')
		return ['reset', 'timeout', 'other'].includes(situation.reason);
	return true;
}

function messageFor(situation: RequestFailure, subject: RequestSubject): ErrorMessage {
	switch (situation.kind) {
		case 'status':
			return messageForStatus(situation, subject);
		case 'noAnswer':
			return messageForNetworkError(situation.reason, situation.code, subject);
		case 'page':
			return {
				message: 'A web page answered instead of the API',
				description: `Check the Base URL of the credential: ${subject.origin} answered with a page. It must hold the path with the version, for example https://share.example.com/api/v1.`,
			};
		case 'broken':
			return {
				message: `The answer to "${subject.action}" is not complete JSON: ${situation.reason}`,
				description:
					'The answer was cut off or changed on its way. Run the workflow again; if it happens again, check proxies between n8n and the service.',
			};
		case 'unexpected':
			return {
				message: `The service answered "${subject.action}" with ${situation.got} instead of ${situation.expected}`,
				description:
					'Check that the Base URL of the credential is that of the API and holds the right version. If it is, report this answer to the service.',
			};
	}
}

function messageForStatus(
	{ status, said, location, retryAfter }: Extract<RequestFailure, { kind: 'status' }>,
	subject: RequestSubject,
): ErrorMessage {
	const quote = said
		? `The service says: ${said}${/[.!?…]$/.test(said) ? '' : '.'}`
		: `The service gave no reason (status ${status}).`;
	if (status >= 300 && status < 400) {
		return {
			message: 'The service redirects to another address',
			description: `The request was answered with a redirect${location ? ` to ${location}` : ''}, which is not followed, because the API key must not go along. Put the address of the API itself into the Base URL of the credential.`,
		};
	}
	switch (status) {
		case 400:
		case 422:
			return {
				message: `The service does not accept the request to ${subject.action}${said ? `: ${said}` : ''}`,
				description: `${quote} Check the parameters of the node against it.`,
			};
		case 401:
			return {
				message: 'The service does not accept the API key',
				description: `Open the credential and enter a valid API key, made in the service portal under Configuration > API Keys. ${quote}`,
			};
		case 403:
			return {
				message: `The API key may not ${subject.action}`,
				description: `The key has the permissions of the user who made it. Use a key of a user who may do this, or check "User ID". ${quote}`,
			};
		case 404:
			return {
				message: messageForNotFound(subject),
				description: `Check that it was not deleted and that it belongs to the service of the credential's Base URL. ${quote}`,
			};
		case 409:
			return {
				message: `The service refuses to ${subject.action} because of its present state`,
				description: `${quote} Rules of a container that was made without "Allow Changes Later" are fixed: encode the files again with new rules, and delete the old container.`,
			};
		case 413:
			return {
				message: `The files are larger than the service takes${formatUploadSize(subject)}`,
				description: `Send fewer or smaller files in one container, or ask the service to raise its limit. ${quote}`,
			};
		case 429:
			return {
				message: `The service still limits requests after ${formatAttempts(subject.tries)}`,
				description: `${retryAfter ? `It asks to wait (${retryAfter}). ` : ''}${RAISE_LIMIT} ${quote}`,
			};
		default:
			return {
				message:
					status >= 500
						? `The service could not ${subject.action} (status ${status}, ${formatAttempts(subject.tries)})`
						: `The service refuses to ${subject.action} (status ${status})`,
				description:
					status >= 500
						? `Run the workflow again later; if it happens again, ask the service. ${quote}`
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
				message: `${origin} refuses connections`,
				description: `Nothing listens there, or a firewall is in between. Check host and port in the Base URL of the credential, and whether the service is up. Tried ${formatAttempts(subject.tries)}.`,
			};
		case 'nameNotFound':
			return {
				message: `The host name of ${origin} was not found`,
				description: `Check the Base URL of the credential for typing errors, and the DNS of the machine that runs n8n. Tried ${formatAttempts(subject.tries)}.`,
			};
		case 'certificate':
			return {
				message: `The certificate of ${origin} is not trusted (${code})`,
				description:
					'If the service uses a private certificate authority, start n8n with NODE_EXTRA_CA_CERTS set to a file with its certificate. Otherwise check that the Base URL names the host that the certificate was made for.',
			};
		case 'notHttps':
			return {
				message: `${origin} does not speak HTTPS (${code})`,
				description:
					'Check the port in the Base URL of the credential: the service must be reached over HTTPS.',
			};
		case 'timeout':
			return {
				message: `The service did not answer in time to "${subject.action}" (${formatAttempts(subject.tries)})`,
				description: subject.hasFixedTimeout
					? 'Try again later; if it happens again, ask the service.'
					: 'Run the workflow again later. For large files or a slow service, raise the timeout on the Settings tab of the node, under Request Options > Timeout.',
			};
		case 'cancelled':
			return { ...CANCELED };
		case 'reset':
			return subject.uploadSize !== undefined
				? {
						message: `The service closed the connection during the upload${formatUploadSize(subject)}`,
						description:
							'The files may be larger than the service takes, or the connection broke. Send fewer or smaller files in one container, or try again.',
					}
				: {
						message: `The service closed the connection before it answered "${subject.action}" (${formatAttempts(subject.tries)})`,
						description:
							'Run the workflow again later; if it happens again, check proxies between n8n and the service.',
					};
		case 'other':
			return {
				message: `The request to ${subject.action} did not go through (${code})`,
				description: `Check the Base URL of the credential and the network between n8n and ${origin}.`,
			};
	}
}

function messageForNotFound(subject: RequestSubject): string {
	if (subject.containerId) return `The container "${subject.containerId}" was not found`;
	if (subject.contactEmail) return `The contact "${subject.contactEmail}" was not found`;
	return `The service found nothing at the address to ${subject.action}`;
}

function formatUploadSize({ uploadSize }: RequestSubject): string {
	if (uploadSize === undefined) return '';
	const readable =
		uploadSize < 1_000_000
			? `${Math.max(1, Math.round(uploadSize / 1000))} kB`
			: `${(uploadSize / 1_000_000).toFixed(1)} MB`;
	return ` (${readable} in all)`;
}

function formatAttempts(tries: number): string {
	return tries === 1 ? 'one try' : `${tries} tries`;
}
