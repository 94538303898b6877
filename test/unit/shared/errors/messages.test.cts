import type {
	NetworkErrorReason,
	RequestFailure,
	RequestSubject,
} from '../../../../nodes/shared/errors/failure';
import {
	getFailureCause,
	isMissingRecord,
	isOutcomeUnknown,
} from '../../../../nodes/shared/errors/failure';
import { getErrorMessage } from '../../../../nodes/shared/errors/messages';
import { failing } from '../../../support/texts.cts';

const failed = (status: number, more: object = {}): RequestFailure => ({
	...{ kind: 'status', status, serviceMessage: 'Sorry' },
	...more,
});
const broken = (reason: NetworkErrorReason, more: object = {}): RequestFailure => ({
	...{ kind: 'network', reason, code: 'E' },
	...more,
});

const on = (failure: RequestFailure, more: Partial<RequestSubject> = {}) =>
	failing({ failure, ...more });
const upload = {
	createsContainer: true,
	containerName: 'Invoice',
	isChange: true,
};

/** What users read: each text as a whole, so that its words and their order are seen when they change. */
it.each([
	on(failed(400))`
		The service did not accept the request to get the container: Sorry
		Check the parameters of the node.`,
	on(failed(422, { serviceMessage: undefined }), { containerId: 'Invoice 7' })`
		The service did not accept the request to get the container
		Check the parameters of the node. The service returned no message (status 422). Container: "Invoice 7".`,
	on(failed(401, { serviceMessage: 'Sorry!' }))`
		The service did not accept the API key
		Open the credential and enter a valid API key. To create one, go to Configuration > API Keys in the service portal. Message from the service: Sorry!`,
	on(failed(403), { chosenUser: 'u-1' })`
		The API key has no permission to get the container
		The API key has the permissions of the user who created it. Use the API key of a user with this permission, or check Options > User ID. A firewall in front of the service can also refuse a request: then ask its operator to allow it. Message from the service: Sorry.`,
	on(failed(404))`
		The service found nothing for the request to get the container
		Check the Base URL in the credential. The Base URL must end with the version, for example https://share.example.com/api/v1. Message from the service: Sorry.`,
	on(failed(404), { chosenUser: 'u-1' })`
		User "u-1" was not found
		Check Options > User ID. Message from the service: Sorry.`,
	on(failed(404), { contactEmail: 'a@example.com', chosenUser: 'u-1' })`
		The contact "a@example.com" was not found
		It might have been deleted, or it belongs to another user or service. Check the address, Options > User ID, and the Base URL in the credential. Message from the service: Sorry.`,
	on(failed(407))`
		The proxy between n8n and the service rejected the request
		Check the user name and password of the proxy, in the node's settings under Request Options > Proxy, or in the environment variable HTTPS_PROXY of n8n. Message from the service: Sorry.`,
	on(failed(409), { action: 'delete the contact', contactEmail: 'a@example.com', isChange: true })`
		The service can't delete the contact in the current state
		Check the container or contact in the service portal. Message from the service: Sorry.`,
	on(failed(409), {
		action: 'change the rules of the container',
		containerId: '5f0c2a4e-8d1b-4c7a-9e36-2b7d1f4a6c90',
		containerName: 'Invoice 2026-0042',
		isChange: true,
	})`
		The service can't change the rules of the container in the current state
		Check the container or contact in the service portal. Message from the service: Sorry. Container: "Invoice 2026-0042", "5f0c2a4e-8d1b-4c7a-9e36-2b7d1f4a6c90".`,
	on(failed(410), { containerId: 'c-1', containerName: 'Invoice $& 7' })`
		The container "c-1" was not found
		It might have been deleted, or it belongs to another user or service. Check that you entered its ID, not its name, and the Base URL in the credential. Message from the service: Sorry. Container: "Invoice $& 7".`,
	on(failed(413), { createsContainer: true })`
		The files are larger than the service accepts
		Send fewer or smaller files in one container, or ask the operator of the service to raise the limit. Message from the service: Sorry.`,
	on(failed(429, { retryAfter: '7' }), { attempts: 3 })`
		The service received too many requests
		The service asks to wait (Retry-After: 7): run the workflow again after that. Lower "Max Concurrent Requests" or raise "Max Retries" in the options, or process fewer items at a time. Message from the service: Sorry. Tried 3 times.`,
	on(failed(418))`
		The service refused to get the container (status 418)
		Check the parameters of the node and the Base URL in the credential, or ask the operator of the service. Message from the service: Sorry.`,
	on(failed(500), { attempts: 2 })`
		The service could not get the container (status 500)
		Run the workflow again later. If the error persists, contact the operator of the service. Message from the service: Sorry. Tried 2 times.`,
	on(failed(302))`
		The service redirected the request to another URL
		The service returned a redirect. The node doesn't follow redirects, so that the API key is not sent to another URL. Enter the URL of the API itself as the Base URL in the credential.`,
	on(broken('refused', { host: 'share.example.com', port: 443 }), { attempts: 2 })`
		Could not connect to https://share.example.com
		No service is running at this URL, or a firewall blocks the connection. Check the host and port of the Base URL in the credential, and check that the service is running. Tried 2 times.`,
	on(broken('nameNotFound', { host: 'share.example.com' }))`
		The host name of https://share.example.com was not found
		Check the Base URL in the credential for typos, and check the DNS settings of the machine that runs n8n.`,
	on(broken('nameNotFound', { host: 'proxy.example.com' }), { attempts: 2 })`
		Could not connect to the proxy proxy.example.com
		Check the proxy in the node's settings under Request Options > Proxy, or in the environment variable HTTPS_PROXY of n8n, and check that it is running. Tried 2 times.`,
	on(broken('certificate', { code: 'CERT_HAS_EXPIRED' }))`
		Could not make a secure connection to https://share.example.com (CERT_HAS_EXPIRED)
		Check the host and port of the Base URL in the credential, and that the certificate of the service is valid for them. If it comes from a private certificate authority, start n8n with NODE_EXTRA_CA_CERTS set to a file with its certificate.`,
	on(broken('timeout', { seconds: 60 }), { attempts: 2 })`
		The service did not respond in time (within 60 s) to the request to get the container
		Run the workflow again later. For a slow service, raise Options > Response Timeout, and Request Options > Timeout on the Settings tab of the node, where it is set. Tried 2 times.`,
	on(broken('reset'), { attempts: 2 })`
		The service closed the connection before it responded to the request to get the container
		Run the workflow again later. If the error persists, check the proxies between n8n and the service. Tried 2 times.`,
	on(broken('reset'), { createsContainer: true, containerName: 'Invoice' })`
		The service closed the connection during the upload
		The files might be larger than the service accepts, the service might have refused the API key, or the connection was interrupted. Send fewer or smaller files in one container, test the credential, or try again. The container might have been created: look for "Invoice" with the operation Container > Get Many before you run this item again, or set "If Container Exists" to Reuse Existing.`,
	on(broken('other'), { createsContainer: true })`
		The request to get the container failed (E)
		Check the Base URL in the credential and the network connection between n8n and https://share.example.com. The container might have been created: look for it with the operation Container > Get Many before you run this item again, or set "If Container Exists" to Reuse Existing.`,
	on(broken('cancelled'))`
		The execution was canceled
		The node stopped the request. Data that the service already accepted stays there.`,
	on({ kind: 'tooLarge', received: 'more than 8 MB' })`
		The service returned more than 8 MB for the request to get the container
		The node stopped reading, because n8n can't handle so much. Get fewer entries at a time if it is a list. Otherwise, check the Base URL in the credential, and report this response to the operator of the service.`,
	on({ kind: 'html', title: 'Log in' })`
		Received an HTML page ("Log in") instead of an API response
		Check the Base URL in the credential: https://share.example.com returned an HTML page. The Base URL must end with the version, for example https://share.example.com/api/v1.`,
	on({ kind: 'invalidJson', reason: 'it ends too early' }, { isChange: true })`
		The service returned invalid JSON for the request to get the container: it ends too early
		Run the workflow again. If the error persists, check the proxies between n8n and the service. The service might have made the change.`,
	on({ kind: 'lostBody' }, { containerId: 'c-1', attempts: 2 })`
		The service accepted the request to get the container, but its response was cut off
		Run the workflow again. If the error persists, check the proxies between n8n and the service. Tried 2 times. Container: "c-1".`,
	on({ kind: 'unexpected', expected: 'a list', received: 'text' }, { isChange: true })`
		The service returned text instead of a list for the request to get the container
		Check that the Base URL in the credential is the URL of the API and ends with the right version. If it is correct, report this response to the operator of the service.`,
	on({ kind: 'reported', message: 'No' }, { isChange: true })`
		The service could not get the container: No
		The service reported this failure with a status of success. Check the parameters of the node and the credential, or ask the operator of the service.`,
	on(
		{ kind: 'unconfirmed', problem: 'The contact is still there', advice: 'Look.' },
		{ isChange: true },
	)`
		The contact is still there
		Look.`,
	on(broken('refused', { port: 3128 }))`
		Could not connect to the proxy on port 3128
		Check the proxy in the node's settings under Request Options > Proxy, or in the environment variable HTTPS_PROXY of n8n, and check that it is running.`,
	...(['lostBody', 'tooLarge', 'invalidJson'] as const).map(
		(kind) =>
			on({ kind, received: 'much', reason: 'it ends' } as RequestFailure, upload)`
		The container "Invoice" was created, but its ID is unknown
		The service reported success with a response that the node can't read. Look for "Invoice" with the operation Container > Get Many before you run this item again, or set "If Container Exists" to Reuse Existing.`,
	),
])('an error says $message', ({ what: { failure, ...more }, message, description }) => {
	const subject = { action: 'get the container', origin: 'https://share.example.com', attempts: 1 };
	expect(getErrorMessage(failure, { ...subject, ...more })).toEqual({ message, description });
});

const statuses = (...numbers: number[]) => numbers.map((status) => failed(status));
const reasons = (...names: NetworkErrorReason[]) => names.map((name) => broken(name));

describe.each<[boolean, string | undefined, RequestFailure[]]>([
	[true, undefined, statuses(302, 303)],
	[false, undefined, statuses(301, 307, 308, 400, 403, 404)],
	[false, 'credential-invalid', statuses(401)],
	[false, 'rate-limited', statuses(429)],
	[true, 'temporarily-unavailable', statuses(408, 500, 502, 503, 504)],
	[true, 'temporarily-unavailable', reasons('reset', 'timeout', 'other', 'cancelled')],
	[false, 'temporarily-unavailable', reasons('refused', 'nameNotFound', 'proxy')],
	[false, 'configuration-invalid', reasons('certificate')],
	[true, 'configuration-invalid', reasons('tls')],
	[true, 'temporarily-unavailable', [{ kind: 'html' }, { kind: 'lostBody' }]],
	[true, 'temporarily-unavailable', [{ kind: 'tooLarge', received: 'much' }]],
	[true, 'temporarily-unavailable', [{ kind: 'invalidJson', reason: 'certificate' }]],
	[true, 'temporarily-unavailable', [{ kind: 'unexpected', expected: 'a list', received: 'text' }]],
])(
	'a failure might have changed something: %s, and n8n is told %s',
	(isUnknown, cause, failures) => {
		it.each(failures)('%j', (failure) => {
			expect(isOutcomeUnknown(failure)).toBe(isUnknown);
			expect(getFailureCause(failure)?.cause).toBe(cause);
		});
	},
);

it('n8n is told how long the service asks to wait, if it does', () => {
	const wait = (status: number, ms?: number) => getFailureCause(failed(status), ms);
	expect(wait(429, 7000)).toStrictEqual({ cause: 'rate-limited', retryAfterMs: 7000 });
	expect(wait(503, 7000)).toStrictEqual({ cause: 'temporarily-unavailable', retryAfterMs: 7000 });
	expect(wait(429)).toStrictEqual({ cause: 'rate-limited' });
});

it.each<[RequestFailure, boolean]>([
	[failed(404), true],
	[failed(410), true],
	[failed(403), false],
	[broken('reset'), false],
	[{ kind: 'html' }, false],
	[failed(404, { isHtml: true }), false],
])('%j says that the record is missing: %s', (failure, isMissing) => {
	expect(isMissingRecord(failure)).toBe(isMissing);
});
