import { randomUUID, X509Certificate } from 'node:crypto';
import tls from 'node:tls';
import { generate } from 'selfsigned';

export interface ServerCertificate {
	/** PEM of the authority that a client must trust. */
	ca: string;
	key: string;
	cert: string;
}

const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * Creates a certificate authority and a certificate for this machine.
 * Elliptic-curve keys: a handshake takes a fraction of the time of RSA.
 */
export async function createCertificate(
	hosts = ['localhost', '127.0.0.1', '::1'],
): Promise<ServerCertificate> {
	const common = {
		keyType: 'ec' as const,
		curve: 'P-256' as const,
		algorithm: 'sha256',
		notBeforeDate: new Date(Date.now() - DAY_MS),
		notAfterDate: new Date(Date.now() + 30 * DAY_MS),
	};
	// OpenSSL knows authorities by name, so each that a client trusts needs its own.
	const name = `Test Authority ${randomUUID()}`;
	const authority = await generate([{ name: 'commonName', value: name }], {
		...common,
		extensions: [
			{ name: 'basicConstraints', cA: true, critical: true },
			{ name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
		],
	});
	const altNames = hosts.map((host) =>
		/[:\d]$/.test(host) ? { type: 7 as const, ip: host } : { type: 2 as const, value: host },
	);
	const leaf = await generate([{ name: 'commonName', value: hosts[0] }], {
		...common,
		ca: { key: authority.private, cert: authority.cert },
		extensions: [
			{ name: 'extKeyUsage', serverAuth: true },
			{ name: 'subjectAltName', altNames },
		],
	});
	const toPem = (cert: string) => new X509Certificate(cert).toString();
	return { ca: toPem(authority.cert), key: leaf.private, cert: toPem(leaf.cert) };
}

/**
 * Makes TLS connections of this process trust this authority (in PEM format), and no public one, until the returned
 * function is called. NODE_EXTRA_CA_CERTS does that for a new process. Certificates and host names are still checked.
 */
export function trustCertificateAuthority(ca: string): () => void {
	const { createSecureContext } = tls;
	let isTrusted = true;
	tls.createSecureContext = (options) =>
		createSecureContext(isTrusted ? { ...options, ca: [ca, options?.ca ?? []].flat() } : options);
	return () => {
		isTrusted = false;
	};
}
