import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { createCertificate } from '../../support/certificate.cts';
import { checkContract, type ContractCheck } from '../../support/contract.cts';
import { trustCertificateAuthority } from '../../support/trust.cts';

export type Respond = (request: IncomingMessage, response: ServerResponse) => void;

export interface HttpsService {
	baseUrl: string;
	/** The certificate authority of its certificate, as PEM. */
	ca: string;
	respond: Respond;
	/** The requests of the current test, but for those that ask for the user. */
	requests: IncomingMessage[];
	/** All requests of the current test. */
	all: IncomingMessage[];
	/** Checks the complete requests against docs/openapi.yaml. */
	contract: ContractCheck;
}

const BASE_PATH = '/api/v1';

/**
 * Starts a server with a real connection for a test file, for what nock can't do.
 *
 * @param isTrusted whether this process trusts its certificate
 */
export function httpsService(isTrusted = true): HttpsService {
	let server: Server;
	let untrust = () => {};
	const contract = checkContract();
	const service: HttpsService = {
		contract,
		baseUrl: '',
		ca: '',
		requests: [],
		all: [],
		respond: (_request, response) => void response.end('{}'),
	};

	beforeAll(async () => {
		const { ca, key, cert } = await createCertificate();
		server = createServer({ key, cert }, (request, response) => {
			service.all.push(request);
			// The node asks once what the service supports.
			if (request.url?.endsWith('/me')) {
				response.end(JSON.stringify({ id: 'user-1', features: [] }));
				return;
			}
			service.requests.push(request);
			onBody(request, (body) => {
				const { method = '', url = '', headers } = request;
				const path = url.startsWith(BASE_PATH) ? url.slice(BASE_PATH.length) : url;
				contract.add({ method, path, headers, body });
			});
			service.respond(request, response);
		});
		server.listen(0, '127.0.0.1');
		await once(server, 'listening');
		if (isTrusted) untrust = trustCertificateAuthority(ca);
		const { port } = server.address() as AddressInfo;
		Object.assign(service, { ca, baseUrl: `https://localhost:${port}${BASE_PATH}` });
	});
	beforeEach(() => {
		service.requests = [];
		service.all = [];
	});
	afterAll(async () => {
		untrust();
		server.closeAllConnections();
		server.close();
		await once(server, 'close');
	});
	return service;
}

/** Gets the whole body of a request, and leaves it to the service when to read it. */
function onBody(request: IncomingMessage, done: (body: Buffer) => void): void {
	const chunks: Buffer[] = [];
	const push = request.push.bind(request);
	request.push = (chunk: Buffer | null, encoding) => {
		if (chunk === null) done(Buffer.concat(chunks));
		else chunks.push(chunk);
		return push(chunk, encoding);
	};
}
