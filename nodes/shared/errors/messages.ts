import {
	isOutcomeUnknown,
	type NetworkErrorReason,
	type NetworkFailure,
	type RequestFailure,
	type RequestSubject,
	type StatusFailure,
} from './failure';
import { endSentence } from './serviceError';

/** n8n recognizes a canceled execution by this word in the message. */
export const CANCELED = {
	message: 'The execution was canceled',
	description: 'The node stopped the request. Data that the service already accepted stays there.',
};

/** Between the lines of a text, with the indentation of the code. */
const LINE_END = /\n\t*/;

/** After a status of success, what was created stays unknown. */
const LOST_RESPONSES = new Set<RequestFailure['kind']>([
	'lostBody',
	'invalidJson',
	'tooLarge',
	'unexpected',
]);

/** The service reported a failure, or shows that it did not do what it should. */
const SURE = new Set<RequestFailure['kind']>(['reported', 'unexpected', 'unconfirmed']);

const BASE_URL_ENDS =
	'The Base URL must end with the version, for example https://share.example.com/api/v1.';
const PLACES_OF_PROXY =
	"in the node's settings under Request Options > Proxy, or in the environment variable HTTPS_PROXY of n8n";
const CHECK_API =
	'Check that the Base URL in the credential is the URL of the API and ends with the right version. If it is correct, report this response to the operator of the service.';
const CHECK_ROUTE = 'If the error persists, check the proxies between n8n and the service.';

export function getErrorMessage(failure: RequestFailure, subject: RequestSubject) {
	const { containerId, containerName, attempts, wasLost } = subject;
	const [message, advice] = getText(failure, subject).split(LINE_END);
	const tried = attempts === 1 ? '' : ` Tried ${attempts} times.`;
	const doubt = wasLost || isOutcomeUnknown(failure) ? describeDoubt(failure, subject) : '';
	const text = `${advice}${tried}${doubt}`;
	const said = `${message}${text}`;
	const unsaid = [containerName, containerId].filter((part) => part && !said.includes(part));
	const container = unsaid.length === 0 ? '' : ` Container: "${unsaid.join('", "')}".`;
	return { message, description: `${text}${container}`.trim() };
}

function describeDoubt({ kind }: RequestFailure, subject: RequestSubject): string {
	const { createsContainer, containerName, isChange, wasLost } = subject;
	if (createsContainer) {
		const container = containerName ? `"${containerName}"` : 'it';
		const doubt = LOST_RESPONSES.has(kind) ? 'Look' : 'The container might have been created: look';
		return ` ${doubt} for ${container} with the operation Container > Get Many before you run this item again, or set "If Container Exists" to Reuse Existing.`;
	}
	if (!isChange || (SURE.has(kind) && !wasLost)) return '';
	return ' The service might have made the change.';
}

/** The message, and in a second line what to do, as all texts below. */
function getText(failure: RequestFailure, subject: RequestSubject): string {
	const { action, createsContainer, containerName, origin } = subject;
	if (createsContainer && LOST_RESPONSES.has(failure.kind)) {
		const received =
			failure.kind === 'unexpected' ? failure.received : "a response that the node can't read";
		return `The container${containerName ? ` "${containerName}"` : ''} was created, but its ID is unknown
			The service reported success with ${received}.`;
	}
	if (failure.kind === 'status') return getTextForStatus(failure, subject);
	if (failure.kind === 'network') return getTextForNetworkError(failure, subject);
	switch (failure.kind) {
		case 'lostBody':
			return `The service accepted the request to ${action}, but its response was cut off
				Run the workflow again. ${CHECK_ROUTE}`;
		case 'tooLarge':
			return `The service returned ${failure.received} for the request to ${action}
				The node stopped reading, because n8n can't handle so much. Get fewer entries at a time if it is a list. Otherwise, check the Base URL in the credential, and report this response to the operator of the service.`;
		case 'html':
			return `Received an HTML page${failure.title ? ` ("${failure.title}")` : ''} instead of an API response
				Check the Base URL in the credential: ${origin} returned an HTML page. ${BASE_URL_ENDS}`;
		case 'invalidJson':
			return `The service returned invalid JSON for the request to ${action}: ${failure.reason}
				Run the workflow again. ${CHECK_ROUTE}`;
		case 'reported':
			return `The service could not ${action}: ${failure.message}
				The service reported this failure with a status of success. Check the parameters of the node and the credential, or ask the operator of the service.`;
		case 'unconfirmed':
			return `${failure.problem}
				${failure.advice}`;
		case 'unexpected':
			return `The service returned ${failure.received} instead of ${failure.expected} for the request to ${action}
				${failure.advice ?? CHECK_API}`;
	}
}

function getTextForNetworkError(failure: NetworkFailure, subject: RequestSubject): string {
	const { code, seconds, port, host } = failure;
	const { action, origin, createsContainer } = subject;
	const own = new URL(origin);
	const ownPort = Number(own.port || 443);
	// A proxy is set in the Request Options, or in the environment of n8n.
	const isToProxy = (port ?? ownPort) !== ownPort || (host ?? own.hostname) !== own.hostname;
	const reason = isToProxy ? 'proxy' : failure.reason;
	const texts: Record<Exclude<NetworkErrorReason, 'tls'>, string> = {
		refused: `Could not connect to ${origin}
			No service is running at this URL, or a firewall blocks the connection. Check the host and port of the Base URL in the credential, and check that the service is running.`,
		nameNotFound: `The host name of ${origin} was not found
			Check the Base URL in the credential for typos, and check the DNS settings of the machine that runs n8n.`,
		certificate: `Could not make a secure connection to ${origin} (${code})
			Check the host and port of the Base URL in the credential, and that the certificate of the service is valid for them. If it comes from a private certificate authority, start n8n with NODE_EXTRA_CA_CERTS set to a file with its certificate.`,
		timeout: `The service did not respond in time${seconds === undefined ? '' : ` (within ${seconds} s)`} to the request to ${action}
			Run the workflow again later. For a slow service, raise Options > Response Timeout, and Request Options > Timeout on the Settings tab of the node, where it is set.`,
		reset: !createsContainer
			? `The service closed the connection before it responded to the request to ${action}
				Run the workflow again later. ${CHECK_ROUTE}`
			: `The service closed the connection during the upload
				The files might be larger than the service accepts, the service might have refused the API key, or the connection was interrupted. Send fewer or smaller files in one container, test the credential, or try again.`,
		other: `The request to ${action} failed (${code})
			Check the Base URL in the credential and the network connection between n8n and ${origin}.`,
		proxy: `Could not connect to the proxy${port === undefined ? '' : ` on port ${port}`}${host === undefined ? '' : ` ${host}`}
			Check the proxy ${PLACES_OF_PROXY}, and check that it is running.`,
		cancelled: `${CANCELED.message}
			${CANCELED.description}`,
	};
	return texts[reason === 'tls' ? 'certificate' : reason];
}

function getTextForStatus(failure: StatusFailure, subject: RequestSubject): string {
	const { status, serviceMessage = '', location, retryAfter } = failure;
	const { action, chosenUser, createsContainer } = subject;
	if (status < 400) {
		return `The service redirected the request to another URL
			The service returned a redirect${location ? ` to ${location}` : ''}. The node doesn't follow redirects, so that the API key is not sent to another URL. Enter the URL of the API itself as the Base URL in the credential.`;
	}
	const other =
		status >= 500
			? `The service could not ${action} (status ${status})
				Run the workflow again later. If the error persists, contact the operator of the service.`
			: `The service refused to ${action} (status ${status})
				Check the parameters of the node and the Base URL in the credential, or ask the operator of the service.`;
	const texts: Record<number, string> = {
		400: `The service did not accept the request to ${action}${serviceMessage && `: ${serviceMessage}`}
			Check the parameters of the node.`,
		401: `The service did not accept the API key
			Open the credential and enter a valid API key. To create one, go to Configuration > API Keys in the service portal.`,
		403: `The API key has no permission to ${action}
			The API key has the permissions of the user who created it. Use the API key of a user with this permission${chosenUser === undefined ? '' : ', or check Options > User ID'}. A firewall in front of the service can also refuse a request: then ask its operator to allow it.`,
		404: getTextForNotFound(subject),
		410: getTextForNotFound(subject),
		407: `The proxy between n8n and the service rejected the request
			Check the user name and password of the proxy, ${PLACES_OF_PROXY}.`,
		409: `The service can't ${action} in the current state
			Check the container or contact in the service portal.`,
		413: !createsContainer
			? other
			: `The files are larger than the service accepts
				Send fewer or smaller files in one container, or ask the operator of the service to raise the limit.`,
		429: `The service received too many requests
			${retryAfter ? `The service asks to wait (Retry-After: ${retryAfter}): run the workflow again after that. ` : ''}Lower "Max Concurrent Requests" or raise "Max Retries" in the options, or process fewer items at a time.`,
	};
	const text = texts[status === 422 ? 400 : status] ?? other;
	if (!serviceMessage) return `${text} The service returned no message (status ${status}).`;
	const isQuoted = text.includes(`: ${serviceMessage}`);
	return isQuoted ? text : `${text} Message from the service: ${endSentence(serviceMessage)}`;
}

function getTextForNotFound(subject: RequestSubject): string {
	const { action, containerId, contactEmail, chosenUser } = subject;
	if (containerId || contactEmail) {
		const user = chosenUser === undefined ? '' : ' Options > User ID,';
		const message = containerId
			? `The container "${containerId}" was not found`
			: `The contact "${contactEmail}" was not found`;
		const entered = containerId ? 'that you entered its ID, not its name' : 'the address';
		return `${message}
			It might have been deleted, or it belongs to another user or service. Check ${entered},${user} and the Base URL in the credential.`;
	}
	return chosenUser === undefined
		? `The service found nothing for the request to ${action}
			Check the Base URL in the credential. ${BASE_URL_ENDS}`
		: `User "${chosenUser}" was not found
			Check Options > User ID.`;
}
