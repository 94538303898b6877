import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { createCertificate } from '../../../sandbox/certificate.cts';
import { trustCertificateAuthority } from '../../support/trust.cts';

export type Respond = (request: IncomingMessage, response: ServerResponse) => void;

export interface HttpsService {
	baseUrl: string;
	/** The certificate authority of its certificate, as PEM. */
	ca: string;
	respond: Respond;
	/** The requests of the current test. */
	requests: IncomingMessage[];
}

/**
 * Starts a server with a real connection for a test file, for what nock can't do.
 *
 * @param isTrusted whether this process trusts its certificate
 */
export function httpsService(isTrusted = true): HttpsService {
	let server: Server;
	let untrust = () => {};
	const service: HttpsService = {
		baseUrl: '',
		ca: '',
		requests: [],
		respond: (_request, response) => void response.end('{}'),
	};

	beforeAll(async () => {
		const { ca, key, cert } = await createCertificate();
		server = createServer({ key, cert }, (request, response) => {
			service.requests.push(request);
			service.respond(request, response);
		});
		server.listen(0, '127.0.0.1');
		await once(server, 'listening');
		if (isTrusted) untrust = trustCertificateAuthority(ca);
		const { port } = server.address() as AddressInfo;
		Object.assign(service, { ca, baseUrl: `https://localhost:${port}/api/v1` });
	});
	beforeEach(() => {
		service.requests = [];
	});
	afterAll(async () => {
		untrust();
		server.closeAllConnections();
		server.close();
		await once(server, 'close');
	});
	return service;
}
