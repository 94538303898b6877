import type { RequestFailure, RequestSubject } from './failure';
import { isOutcomeUnknown } from './failure';
import type { Texts } from './networkMessages';
import {
	CHECK_PROXY,
	CHECK_ROUTE,
	formatUploadSize,
	getTextsForNetworkError,
} from './networkMessages';

type StatusFailure = Extract<RequestFailure, { kind: 'status' }>;

/** After a status of success, what was created stays unknown. */
const LOST_RESPONSES = new Set<RequestFailure['kind']>(['lostBody', 'invalidJson', 'tooLarge']);

const BASE_URL_ENDS =
	'The Base URL must end with the version, for example https://share.example.com/api/v1.';

/** Describes a failed request to the user, always with the service's own message. */
export function getErrorMessage(
	failure: RequestFailure,
	subject: RequestSubject,
): { message: string; description: string } {
	const { containerId, containerName, attempts } = subject;
	// Where the name is known, "get the container" becomes: get "Invoice 2026-0042" (5f0c2a4e…).
	const named = containerId && containerName ? nameContainer(subject) : 'the container';
	const action = subject.action.replace(/the container$/, () => named);
	const [message, advice] = getTexts(failure, { ...subject, action });
	const tried = attempts === 1 ? '' : ` Tried ${attempts} times.`;
	const doubt = isOutcomeUnknown(failure) ? describeDoubt(failure, subject) : '';
	const text = `${advice}${tried}${doubt}`;
	const said = `${message}${text}`;
	const unsaid = [containerName, containerId].filter((part) => part && !said.includes(part));
	const container = unsaid.length === 0 ? '' : ` Container: "${unsaid.join('", "')}".`;
	return { message, description: `${text}${container}`.trim() };
}

/** A container in a message: by its name and the start of its ID, or what is known of both. */
function nameContainer({ containerId, containerName }: Partial<RequestSubject>): string {
	if (!containerId || !containerName) return `"${containerName || containerId}"`;
	return `"${containerName}" (${containerId.replace(/^(.{8}).{5,}/su, '$1…')})`;
}

function describeDoubt(
	{ kind }: RequestFailure,
	{ createsContainer, containerName, isChange }: RequestSubject,
): string {
	if (createsContainer) {
		const container = containerName ? `"${containerName}"` : 'it';
		const doubt = LOST_RESPONSES.has(kind) ? 'Look' : 'The container might have been created: look';
		return ` ${doubt} for ${container} with the operation Container > Get Many before you run this item again, or set "If Container Exists" to Reuse Existing.`;
	}
	// The service reported a failure, or other values than those that were sent.
	if (!isChange || kind === 'unexpected') return '';
	return ' The service might have made the change.';
}

function getTexts(failure: RequestFailure, subject: RequestSubject): Texts {
	const { action, createsContainer, containerName, origin } = subject;
	if (createsContainer && LOST_RESPONSES.has(failure.kind)) {
		return [
			`The container${containerName ? ` "${containerName}"` : ''} was created, but its ID is unknown`,
			`The service reported success, but the node can't read its response${failure.kind === 'invalidJson' ? ` (invalid JSON: ${failure.reason})` : ''}.`,
		];
	}
	switch (failure.kind) {
		case 'status':
			return getTextsForStatus(failure, subject);
		case 'network':
			return getTextsForNetworkError(failure, subject);
		case 'lostBody':
			return [
				`The service accepted the request to ${action}, but its response was cut off`,
				`Run the workflow again. ${CHECK_ROUTE}`,
			];
		case 'tooLarge':
			return [
				`The service returned ${failure.received} instead of data that n8n can handle for the request to ${action}`,
				'The node stopped reading, to protect the memory of n8n. If it is a list, get fewer entries at a time, if the service supports it. Otherwise, check the Base URL in the credential, and report this response to the operator of the service.',
			];
		case 'html':
			return [
				`Received an HTML page${failure.title ? ` ("${failure.title}")` : ''} instead of an API response`,
				`Check the Base URL in the credential: ${origin} returned an HTML page. ${BASE_URL_ENDS}`,
			];
		case 'invalidJson':
			return [
				`The service returned invalid JSON for the request to ${action}: ${failure.reason}`,
				`The response was cut off or changed in transit. Run the workflow again. ${CHECK_ROUTE}`,
			];
		case 'unexpected':
			return [
				`The service returned ${failure.received} instead of ${failure.expected} for the request to ${action}`,
				failure.advice ??
					'Check that the Base URL in the credential is the URL of the API and ends with the right version. If it is correct, report this response to the operator of the service.',
			];
	}
}

function getTextsForStatus(
	{ status, isPage, serviceMessage = '', location, retryAfter }: StatusFailure,
	subject: RequestSubject,
): Texts {
	const { action, containerId, chosenUser, createsContainer, hasProxy, isChange } = subject;
	if (status < 400) {
		return [
			'The service redirected the request to another URL',
			`The service returned a redirect${location ? ` to ${location}` : ''}. The node doesn't follow redirects, so that the API key is not sent to another URL. Enter the URL of the API itself as the Base URL in the credential.`,
		];
	}
	const texts: Record<number, Texts> = {
		400: [
			`The service did not accept the request to ${action}${serviceMessage && `: ${serviceMessage}`}`,
			'Check the parameters of the node.',
		],
		401: [
			'The service did not accept the API key',
			'Open the credential and enter a valid API key. To create one, go to Configuration > API Keys in the service portal.',
		],
		403: [
			`The API key has no permission to ${action}`,
			`The API key has the permissions of the user who created it. Use the API key of a user with this permission${chosenUser === undefined ? '' : ', or check Options > User ID'}. A firewall in front of the service can also refuse a request: then ask its operator to allow it.`,
		],
		404: getTextsForNotFound(subject),
		407: [
			'The proxy between n8n and the service rejected the request',
			"Check the user name and password of the proxy, in the node's settings under Request Options > Proxy, or in the environment variable HTTPS_PROXY of n8n.",
		],
		409: [
			`The service can't ${action} in the current state`,
			createsContainer
				? 'A container with this name might exist already: enter another "Container Name", or set "If Container Exists" to Reuse Existing.'
				: isChange && containerId && !action.startsWith('delete ')
					? `If ${nameContainer(subject)} was encrypted without "Allow Changes Later", its rules can't change. To end access, delete the container.`
					: '',
		],
		413: [
			`The files are larger than the service accepts${formatUploadSize(subject)}`,
			'Send fewer or smaller files in one container, or ask the operator of the service to raise the limit.',
		],
		429: [
			'The service received too many requests',
			`${retryAfter ? `The service asks to wait (Retry-After: ${retryAfter}). ` : ''}Lower "Max Concurrent Requests" or raise "Max Retries" in the options, or process fewer items at a time.`,
		],
	};
	const other: Texts =
		status >= 500
			? [
					`The service could not ${action} (status ${status})`,
					'Run the workflow again later. If the error persists, contact the operator of the service.',
				]
			: [`The service refused to ${action} (status ${status})`, ''];
	const fromProxy: Texts = [
		`The proxy or the service refused to ${action} (status ${status})`,
		`The response is not from the API. ${CHECK_PROXY}`,
	];
	const isFromProxy = hasProxy && isPage && status !== 407;
	const own = texts[status === 422 ? 400 : status] ?? other;
	const [message, advice] = isFromProxy ? fromProxy : own;
	const hint =
		[400, 404, 422].includes(status) && looksLikeName(containerId)
			? `"${containerId}" looks like a name. Choose it From List, or enter the ID. `
			: '';
	const quote = serviceMessage
		? `Message from the service: ${serviceMessage}${/[.!?…]$/.test(serviceMessage) ? '' : '.'}`
		: `The service returned no message (status ${status}).`;
	return [message, `${hint}${advice} ${quote}`.trim()];
}

function getTextsForNotFound(subject: RequestSubject): Texts {
	const { action, containerId, contactEmail, chosenUser } = subject;
	if (containerId || contactEmail) {
		const user = chosenUser === undefined ? '' : ' Options > User ID,';
		return [
			containerId
				? `The container ${nameContainer(subject)} was not found`
				: `The contact "${contactEmail}" was not found`,
			`It might have been deleted, or it belongs to another user or service. Check the value that you entered,${user} and the Base URL in the credential.`,
		];
	}
	if (chosenUser !== undefined) {
		return [`User "${chosenUser}" was not found`, 'Check Options > User ID.'];
	}
	const advice = `${BASE_URL_ENDS} Check it in the credential.`;
	return [`Nothing found here for the request to ${action}`, advice];
}

/** Whether an ID has words, a file extension or letters beyond ASCII, which IDs hardly have. */
function looksLikeName(id = ''): boolean {
	return /\s|[^\x21-\x7e]|\.[a-z]{2,4}$/i.test(id) || /^[A-Z]?[a-z]+([-_][A-Z]?[a-z]+)*$/.test(id);
}
