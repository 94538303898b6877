import { endSentence } from './errors';
import {
	findSubject,
	RECORD_NAMES,
	type Doubt,
	type NetworkFailure,
	type RequestFailure,
	type RequestSubject,
	type StatusFailure,
} from './failure';

/** n8n recognizes a canceled execution by this word in the message. */
export const CANCELED = {
	message: 'The execution was canceled',
	description: 'The node stopped the request. Data that the service already accepted stays there.',
};

/** Where an API key comes from. */
export const KEY_ADVICE =
	'Our self-hosted service prints its first API key at its first start, and another one with the command "keys create ada@example.com". In other services, go to Configuration > API Keys > Create API Key in the portal.';

const PLACES_OF_PROXY =
	"in the node's settings under Request Options > Proxy, or in the environment variable HTTPS_PROXY of n8n";
const CHECK_API =
	'Check that the Base URL in the credential is the URL of the API and ends with the version, for example https://share.example.com/api/v1. If it is correct, check the proxies between n8n and the service, or report this response to the operator of the service.';
const CHECK_ROUTE =
	'Run the workflow again later. If the error persists, check the proxies between n8n and the service.';

export function getErrorMessage(failure: RequestFailure, subject: RequestSubject) {
	const { containerId, recordName, creates, attempts = 1 } = subject;
	const [message, advice] = getText(failure, subject).split(/\n\t*/);
	const tried = attempts === 1 ? '' : ` Tried ${attempts} times.`;
	const text = `${advice}${tried}${describeDoubt(subject)}`;
	const said = `${message}${text}`;
	const unsaid = [recordName, containerId].filter((part) => part && !said.includes(part));
	const label = creates === 'request' ? 'File request' : 'Container';
	const record = unsaid.length === 0 ? '' : ` ${label}: "${unsaid.join('", "')}".`;
	return { message, description: `${text}${record}`.trim() };
}

function describeDoubt({ doubt, recordName }: RequestSubject): string {
	if (doubt === undefined) return '';
	if (doubt.isEarlier) {
		return ' The change was sent before this, and the service might have made it.';
	}
	const record = recordName ? `"${recordName}"` : 'it';
	const texts: Record<Doubt['what'], string> = {
		container: ` The container might have been created: look for ${record} with the operation Container > Get Many before you run this item again, or set "If Container Exists" to Reuse Existing.`,
		request: ` The file request might have been created: look for ${record} with the operation File Request > Get Many before you run this item again.`,
		change: ' The service might have made the change.',
	};
	return texts[doubt.what];
}

/** The message, and in a second line what to do, as all texts below. */
function getText(failure: RequestFailure, subject: RequestSubject): string {
	if (failure.kind === 'status') return getTextForStatus(failure, subject);
	if (failure.kind === 'network') return getTextForNetworkError(failure, subject);
	if (failure.kind === 'undone') return `${failure.problem}\n${failure.advice}`;
	const { received, expected, advice = CHECK_API } = failure;
	return `The service returned ${received} instead of ${expected} for the request to ${subject.action}
		${advice}`;
}

function getTextForNetworkError(failure: NetworkFailure, subject: RequestSubject): string {
	const { reason, code, place, seconds } = failure;
	const { action, origin, creates } = subject;
	if (reason === 'reset' && creates === 'container') {
		return `The service closed the connection during the upload
			The files might be larger than the service accepts, the service might have refused the API key, or the connection was interrupted. Send fewer or smaller files in one container, test the credential, or try again.`;
	}
	const insecure = `Could not make a secure connection to ${origin} (${code})
		Check the host and port of the Base URL in the credential, and that the certificate of the service is valid for them. If it comes from a private certificate authority, start n8n with NODE_EXTRA_CA_CERTS set to a file with its certificate.`;
	const texts: Record<typeof reason, string> = {
		unreachable: `Could not connect to ${origin} (${code}${place === undefined ? '' : ` at ${place}`})
			Check the Base URL in the credential, that the service is running, and the firewall and DNS settings of the machine that runs n8n. If n8n connects through a proxy, check it ${PLACES_OF_PROXY}.`,
		certificate: insecure,
		tls: insecure,
		timeout: `The service did not respond in time${seconds === undefined ? '' : ` (within ${seconds} s)`} to the request to ${action}
			Run the workflow again later. For a slow service, raise Options > Response Timeout, and Request Options > Timeout on the Settings tab of the node, where it is set.`,
		reset: `The service closed the connection before its response to the request to ${action} was complete
			${CHECK_ROUTE}`,
		other: `The request to ${action} failed (${code})
			${CHECK_ROUTE}`,
		canceled: `${CANCELED.message}
			${CANCELED.description}`,
	};
	return texts[reason];
}

function getTextForStatus(failure: StatusFailure, subject: RequestSubject): string {
	const { status, serviceMessage = '', location, retryAfter } = failure;
	const { action } = subject;
	const isUpload = subject.creates === 'container';
	const missing = getTextForMissing(subject);
	const record = findSubject(subject);
	/** By status, or its first digit. */
	const texts: Record<number, string> = {
		400: `The service did not accept the request to ${action}${serviceMessage && `: ${serviceMessage}`}
			Check the parameters of the node.`,
		401: `The service did not accept the API key
			Open the credential and enter a valid API key. ${KEY_ADVICE}`,
		403: `The API key has no permission to ${action}
			The API key has the permissions of the user who created it. Use the API key of a user with this permission, and check Options > User ID, where it is set. A firewall in front of the service can also refuse a request: then ask its operator to allow it.`,
		404: missing,
		410: missing,
		407: `The proxy between n8n and the service rejected the request
			Check the user name and password of the proxy, ${PLACES_OF_PROXY}.`,
		409: `The service can't ${action} in the current state
			${record ? `Look at the ${RECORD_NAMES[record.kind]} with the operation Get, or ask` : 'Ask'} the operator of the service.`,
		413: `${isUpload ? 'The files are' : 'The request is'} larger than the service accepts
			${isUpload ? 'Send fewer or smaller files in one container, or ask' : 'Ask'} the operator of the service to raise the limit.`,
		429: `The service received too many requests
			${retryAfter ? `The service asks to wait (Retry-After: ${retryAfter}): run the workflow again after that. ` : ''}Lower "Max Concurrent Requests" or raise "Max Retries" in the options, or process fewer items at a time.`,
		3: `The service redirected the request to another URL
			The service returned a redirect${location ? ` to ${location}` : ''}. The node doesn't follow redirects, so that the API key is not sent to another URL. Enter the URL of the API itself as the Base URL in the credential.`,
		4: `The service refused to ${action} (status ${status})
			Check the parameters of the node and the Base URL in the credential, or ask the operator of the service.`,
		5: `The service could not ${action} (status ${status})
			Run the workflow again later. If the error persists, contact the operator of the service.`,
	};
	const text =
		getTextForCode(failure, subject) ??
		texts[status === 422 ? 400 : status] ??
		texts[Math.min(5, Math.floor(status / 100))];
	if (status < 400) return text;
	if (!serviceMessage) return `${text} The service returned no message (status ${status}).`;
	const isQuoted = text.includes(`: ${serviceMessage}`);
	return isQuoted ? text : `${text} Message from the service: ${endSentence(serviceMessage)}`;
}

/** Where the contract says more than the status. */
function getTextForCode({ status, code }: StatusFailure, { action }: RequestSubject) {
	const texts: Record<string, string> = {
		'403 scope': `The scope of the API key does not allow to ${action}
			Enter an API key with another scope in the credential. Whoever operates the service creates it.`,
		'403 password_required': `The container has a password
			Enter it in "Password".`,
		'403 password_wrong': `The password of the container is wrong
			Enter the right one in "Password". After five wrong ones, the service accepts none for an hour.`,
		'429 too_many_passwords': `Too many wrong passwords of the container were sent
			Enter the right one in "Password", and run the workflow again in an hour.`,
		'409 on_hold': `The service can't ${action} because the container is on hold
			Whoever operates the service keeps it from being deleted. Ask them to end the hold, then run this item again.`,
	};
	return texts[`${status} ${code}`] as string | undefined;
}

function getTextForMissing(subject: RequestSubject): string {
	const { action } = subject;
	const record = findSubject(subject);
	const advice =
		'Options > User ID, where it is set, and the Base URL in the credential. The Base URL must end with the version, for example https://share.example.com/api/v1.';
	if (record === undefined) {
		return `The service found nothing for the request to ${action}
			Check ${advice}`;
	}
	return `The ${RECORD_NAMES[record.kind]} "${record.id}" was not found
		It might have been deleted, or it belongs to another user or service. Check what you entered, ${advice}`;
}
