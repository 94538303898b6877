import {
	defaultCredentials,
	runHttpRequestNodeStyle,
	runListSearch,
	runNode,
	runPoll,
	testCredential,
} from '../support/engine.cts';
import { httpsService } from './support/httpsService.cts';
import { containerId, sequential, userId } from './support/operations.cts';

const { apiKey } = defaultCredentials;

/** A service whose certificate this process doesn't trust, as that of an attacker. */
const service = httpsService(false);

const options = { userId, ...sequential };
const get = { resource: 'container', operation: 'get', containerId: containerId('c-1'), options };
const credentials = (allowUnauthorizedCerts: boolean) => ({
	baseUrl: service.baseUrl,
	apiKey,
	allowUnauthorizedCerts,
});

beforeEach(() => {
	service.respond = (request, response) => {
		response.setHeader('content-type', 'application/json');
		response.end(request.url?.endsWith('/containers') ? '[]' : '{"id":"user-1","uuid":"c-1"}');
	};
});

type Send = (allowUnauthorizedCerts: boolean) => Promise<{ error?: Error }>;

const senders: Array<[string, Send]> = [
	[
		'the node',
		async (allowed) => await runNode({ parameters: get, credentials: credentials(allowed) }),
	],
	[
		'the trigger',
		async (allowed) =>
			await runPoll({
				parameters: { event: 'containerCreated', options },
				credentials: credentials(allowed),
			}),
	],
	[
		'a picker',
		async (allowed) =>
			await runListSearch({
				method: 'searchContainers',
				parameters: { options },
				credentials: credentials(allowed),
			}).then(
				() => ({}),
				(error: Error) => ({ error }),
			),
	],
	[
		'the test of the credential',
		async (allowed) => {
			const { status, message } = await testCredential(credentials(allowed));
			return status === 'OK' ? {} : { error: new Error(message) };
		},
	],
];

describe.each(senders)('%s', (_name, send) => {
	it('sends nothing to a service whose certificate is not trusted', async () => {
		expect((await send(false)).error?.message).toMatch(/not trusted|CERT|SIGNATURE/);
		expect(service.requests).toEqual([]);
	});

	it('sends the API key to it if the credential says so', async () => {
		expect((await send(true)).error?.message).toBeUndefined();
		expect(service.requests[0].headers.authorization).toBe(`Bearer ${apiKey}`);
	});
});

describe('Ignore SSL Issues in the Request Options', () => {
	it.each([false, true])(
		'is refused, and points to the credential (there: %s)',
		async (allowed) => {
			const { error } = await runNode({
				parameters: { ...get, requestOptions: { allowUnauthorizedCerts: true } },
				credentials: credentials(allowed),
			});

			expect(error?.message).toMatch(
				/"Ignore SSL Issues \(Insecure\)" can't be turned on in the node/,
			);
			expect(error?.description).toMatch(/turn it on in the credential/);
			expect(service.requests).toEqual([]);
		},
	);
});

describe('the HTTP Request node with this credential', () => {
	const send = async (more: object, allowed = false) =>
		await runHttpRequestNodeStyle({
			url: `${service.baseUrl}/me`,
			credentials: credentials(allowed),
			...more,
		});

	it.each([
		['ignores SSL issues', () => ({ ignoreSslIssues: true })],
		['has a certificate authority of its own', () => ({ certificates: { ca: service.ca } })],
	])('does not send the API key when it %s', async (reason, more) => {
		const { error, log } = await send(more());

		expect(error?.message).toBe(`The API key was not sent, because the request ${reason}`);
		expect([String(error?.stack), ...log].join('\n')).not.toContain(apiKey);
		expect(service.requests).toEqual([]);
	});

	it.each([
		['ignores SSL issues', () => ({ ignoreSslIssues: true })],
		['has a certificate authority of its own', () => ({ certificates: { ca: service.ca } })],
	])('sends it when the credential allows that, and it %s', async (_reason, more) => {
		const { response } = await send(more(), true);

		expect(response?.statusCode).toBe(200);
		expect(service.requests[0].headers.authorization).toBe(`Bearer ${apiKey}`);
	});

	it('does not send it when only the credential ignores SSL issues', async () => {
		expect((await send({}, true)).error).toBeDefined();
		expect(service.requests).toEqual([]);
	});

	it.each(['Host', 'host'])('does not send it with another %s', async (name) => {
		const { error } = await send(
			{ headers: { [name]: 'evil.example' }, ignoreSslIssues: true },
			true,
		);

		expect(error?.message).toMatch(/because the request has the header "Host"/);
		expect(service.requests).toEqual([]);
	});
});
