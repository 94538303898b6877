import tls from 'node:tls';

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
