import { NodeApiError, NodeOperationError, UserError, type INode } from 'n8n-workflow';
import {
	createApiError,
	createNodeError,
	extendError,
	hasStatus,
	isInDoubt,
	isNotFound,
	ServiceError,
} from '../../../../nodes/shared/errors/errors';
import {
	findDoubt,
	type NetworkFailure,
	type RequestFailure,
	type RequestSubject,
} from '../../../../nodes/shared/errors/failure';
import { getErrorMessage } from '../../../../nodes/shared/errors/messages';
import { failing } from '../../../support/texts.cts';

const failed = (status: number, more: object = {}): RequestFailure => ({
	...{ kind: 'status', status, serviceMessage: 'Sorry' },
	...more,
});
const broken = (reason: NetworkFailure['reason'], more: object = {}): RequestFailure => ({
	...{ kind: 'network', reason, code: 'E' },
	...more,
});
const unexpected = { kind: 'unexpected', expected: 'a list', received: 'text' } as const;
const undone = { kind: 'undone', problem: 'The contact is still there', advice: 'Look.' } as const;

const on = (failure: RequestFailure, more: Partial<RequestSubject> = {}) =>
	failing({ failure, ...more });
const upload = { creates: 'container', recordName: 'Invoice', isChange: true } as const;
const asking = { creates: 'request', recordName: 'Receipts', isChange: true } as const;

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
		Open the credential and enter a valid API key. Our self-hosted service prints its first API key at its first start, and another one with the command "keys create ada@example.com". In other services, go to Configuration > API Keys > Create API Key in the portal. Message from the service: Sorry!`,
	on(failed(403))`
		The API key has no permission to get the container
		The API key has the permissions of the user who created it. Use the API key of a user with this permission, and check Options > User ID, where it is set. A firewall in front of the service can also refuse a request: then ask its operator to allow it. Message from the service: Sorry.`,
	on(failed(403, { code: 'scope' }))`
		The scope of the API key does not allow to get the container
		Enter an API key with another scope in the credential. Whoever operates the service creates it. Message from the service: Sorry.`,
	on(failed(409, { code: 'on_hold' }), { action: 'delete the container' })`
		The service can't delete the container because the container is on hold
		Whoever operates the service keeps it from being deleted. Ask them to end the hold, then run this item again. Message from the service: Sorry.`,
	on(failed(404))`
		The service found nothing for the request to get the container
		Check Options > User ID, where it is set, and the Base URL in the credential. The Base URL must end with the version, for example https://share.example.com/api/v1. Message from the service: Sorry.`,
	on(failed(410, { serviceMessage: '' }), { contactEmail: 'a@example.com' })`
		The contact "a@example.com" was not found
		It might have been deleted, or it belongs to another user or service. Check what you entered, Options > User ID, where it is set, and the Base URL in the credential. The Base URL must end with the version, for example https://share.example.com/api/v1. The service returned no message (status 410).`,
	on(failed(407))`
		The proxy between n8n and the service rejected the request
		Check the user name and password of the proxy, in the node's settings under Request Options > Proxy, or in the environment variable HTTPS_PROXY of n8n. Message from the service: Sorry.`,
	on(failed(409), { containerId: 'c-1', recordName: 'Invoice $&', isChange: true })`
		The service can't get the container in the current state
		Look at the container with the operation Get, or ask the operator of the service. Message from the service: Sorry. Container: "Invoice $&", "c-1".`,
	on(failed(409), { isChange: true, doubt: { what: 'change' }, attempts: 2 })`
		The service can't get the container in the current state
		Ask the operator of the service. Message from the service: Sorry. Tried 2 times. The service might have made the change.`,
	on(failed(500), { doubt: { what: 'change', isEarlier: true } })`
		The service could not get the container (status 500)
		Run the workflow again later. If the error persists, contact the operator of the service. Message from the service: Sorry. The change was sent before this, and the service might have made it.`,
	on(failed(409), { requestId: 'r-1' })`
		The service can't get the container in the current state
		Look at the file request with the operation Get, or ask the operator of the service. Message from the service: Sorry.`,
	on(failed(413), upload)`
		The files are larger than the service accepts
		Send fewer or smaller files in one container, or ask the operator of the service to raise the limit. Message from the service: Sorry. Container: "Invoice".`,
	on(failed(413), asking)`
		The request is larger than the service accepts
		Ask the operator of the service to raise the limit. Message from the service: Sorry. File request: "Receipts".`,
	on(failed(429, { retryAfter: '7' }), { attempts: 3 })`
		The service received too many requests
		The service asks to wait (Retry-After: 7): run the workflow again after that. Lower "Max Concurrent Requests" or raise "Max Retries" in the options, or process fewer items at a time. Message from the service: Sorry. Tried 3 times.`,
	on(failed(405))`
		The service refused to get the container (status 405)
		Check the parameters of the node and the Base URL in the credential, or ask the operator of the service. Message from the service: Sorry.`,
	on(failed(500))`
		The service could not get the container (status 500)
		Run the workflow again later. If the error persists, contact the operator of the service. Message from the service: Sorry.`,
	on(failed(302))`
		The service redirected the request to another URL
		The service returned a redirect. The node doesn't follow redirects, so that the API key is not sent to another URL. Enter the URL of the API itself as the Base URL in the credential.`,
	on(broken('unreachable', { place: 'proxy.example.com' }))`
		Could not connect to https://share.example.com (E at proxy.example.com)
		Check the Base URL in the credential, that the service is running, and the firewall and DNS settings of the machine that runs n8n. If n8n connects through a proxy, check it in the node's settings under Request Options > Proxy, or in the environment variable HTTPS_PROXY of n8n.`,
	on(broken('certificate', { code: 'CERT_HAS_EXPIRED' }))`
		Could not make a secure connection to https://share.example.com (CERT_HAS_EXPIRED)
		Check the host and port of the Base URL in the credential, and that the certificate of the service is valid for them. If it comes from a private certificate authority, start n8n with NODE_EXTRA_CA_CERTS set to a file with its certificate.`,
	on(broken('timeout', { seconds: 60 }))`
		The service did not respond in time (within 60 s) to the request to get the container
		Run the workflow again later. For a slow service, raise Options > Response Timeout, and Request Options > Timeout on the Settings tab of the node, where it is set.`,
	on(broken('reset'))`
		The service closed the connection before its response to the request to get the container was complete
		Run the workflow again later. If the error persists, check the proxies between n8n and the service.`,
	on(broken('reset'), upload)`
		The service closed the connection during the upload
		The files might be larger than the service accepts, the service might have refused the API key, or the connection was interrupted. Send fewer or smaller files in one container, test the credential, or try again. The container might have been created: look for "Invoice" with the operation Container > Get Many before you run this item again, or set "If Container Exists" to Reuse Existing.`,
	on(broken('reset'), asking)`
		The service closed the connection before its response to the request to get the container was complete
		Run the workflow again later. If the error persists, check the proxies between n8n and the service. The file request might have been created: look for "Receipts" with the operation File Request > Get Many before you run this item again.`,
	on(broken('other'), { creates: 'container' })`
		The request to get the container failed (E)
		Run the workflow again later. If the error persists, check the proxies between n8n and the service. The container might have been created: look for it with the operation Container > Get Many before you run this item again, or set "If Container Exists" to Reuse Existing.`,
	on(broken('canceled'))`
		The execution was canceled
		The node stopped the request. Data that the service already accepted stays there.`,
	on(unexpected, { isChange: true })`
		The service returned text instead of a list for the request to get the container
		Check that the Base URL in the credential is the URL of the API and ends with the version, for example https://share.example.com/api/v1. If it is correct, check the proxies between n8n and the service, or report this response to the operator of the service. The service might have made the change.`,
	on({ ...unexpected, advice: 'Try again.' })`
		The service returned text instead of a list for the request to get the container
		Try again.`,
	on(undone, { isChange: true })`
		The contact is still there
		Look.`,
])('an error says $message', ({ what: { failure, ...more }, message, description }) => {
	const subject = { action: 'get the container', origin: 'https://share.example.com', attempts: 1 };
	const doubt = findDoubt(failure, more);
	expect(getErrorMessage(failure, { doubt, ...subject, ...more })).toEqual({
		message,
		description,
	});
});

const node = {
	name: 'Node',
	parameters: { resource: 'container', operation: 'get', containerPassword: 'hunter2' },
} as unknown as INode;
const create = (status: number) =>
	new ServiceError('It failed with ECONNRESET', 'Try again.', { kind: 'status', status });
const own = { message: 'It failed with ECONNRESET [item 3]', description: 'Try again.' };

it('the error of a request carries its words, its item, its status and its cause', () => {
	const error = createNodeError(node, create(429), 3);

	expect(error).toBeInstanceOf(NodeApiError);
	const failure = { cause: 'rate-limited' };
	expect(error).toMatchObject({ ...own, context: { itemIndex: 3 }, httpCode: '429', failure });
	expect(createApiError(node, { message: 'It failed' })).toMatchObject({
		...{ message: 'It failed', description: undefined, httpCode: null },
	});
});

it('the error of input is one of the API only where n8n would wrap another one', () => {
	const { message, description } = create(404);
	const cause = new UserError(message, { description });
	const error = createNodeError(node, cause, 3);

	expect(error).toBeInstanceOf(NodeOperationError);
	expect(error).toMatchObject({ ...own, context: { itemIndex: 3 } });
	expect(createApiError(node, cause, 3)).toMatchObject({
		...{ ...own, context: { itemIndex: 3 }, httpCode: null },
	});
});

it.each([createApiError, createNodeError])(
	'an error is plain text of limited length, and carries no parameter but what runs: %p',
	(createError) => {
		const text = `<b>\u0007\u202e\u2028\u2029 ${'x'.repeat(4000)}`;
		const plain = `‹b>  ${'x'.repeat(4000 - 8)}`;
		const error = createError(node, new Error(text));

		expect(error.message).toBe(plain);
		expect(createError(node, new UserError('No', { description: text })).description).toBe(plain);
		expect(error.node.parameters).toEqual({ resource: 'container', operation: 'get' });
	},
);

it('an error with more to say is still the same, and the first one is as it was', () => {
	const first = new ServiceError(
		'No',
		'Try again.',
		{ kind: 'status', status: 404 },
		{ what: 'change' },
	);
	const error = extendError(first, { advice: 'Look.' });

	expect(error).toBeInstanceOf(ServiceError);
	expect(error).toMatchObject({
		message: first.message,
		description: 'Try again. Look.',
	});
	expect([isNotFound(error), hasStatus(error, 404), hasStatus(error, 500)]).toEqual([
		...[true, true, false],
	]);
	expect([error, create(404), new Error('No')].map(isInDoubt)).toEqual([true, false, false]);
	expect(first.description).toBe('Try again.');
	expect(isNotFound(Object.assign(new Error('It failed'), { isNotFound: true }))).toBe(false);
});
