import tls from 'node:tls';

type CreateSecureContext = typeof tls.createSecureContext;

const marker = Symbol.for('encrypted-containers.trusted-authorities');

interface MarkedTls {
	createSecureContext: CreateSecureContext;
	[marker]?: Set<string>;
}

/** Node.js keeps the module across the test files of a jest worker, so the changes are marked on it. */
function authorities(): Set<string> {
	const marked = tls as unknown as MarkedTls;
	const known = marked[marker];
	if (known !== undefined) return known;
	const trusted = new Set<string>();
	const original = marked.createSecureContext;
	marked[marker] = trusted;
	marked.createSecureContext = (options) =>
		original(
			options?.ca === undefined && trusted.size > 0 ? { ...options, ca: [...trusted] } : options,
		);
	return trusted;
}

/**
 * Makes TLS connections of this process that name no authority (n8n's never do) trust only this
 * one, until the returned function is called. NODE_EXTRA_CA_CERTS does the same for a new process.
 * Certificates and host names are still checked. `ca` is in PEM format.
 */
export function trustCertificateAuthority(ca: string): () => void {
	const trusted = authorities();
	trusted.add(ca);
	return () => {
		trusted.delete(ca);
	};
}
