import tls from 'node:tls';

type CreateSecureContext = typeof tls.createSecureContext;

const marker = Symbol.for('encrypted-containers.trusted-authorities');

interface MarkedTls {
	createSecureContext: CreateSecureContext;
	[marker]?: Set<string>;
}

/** Node's module outlives a test file in jest's worker, so what was done to it is noted on itself. */
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
 * Makes TLS connections of this process that name no authority themselves (n8n's never do) trust
 * this one, and no public one, until the returned function is called. What NODE_EXTRA_CA_CERTS does
 * for a process that is yet to start; certificates and host names are checked as ever.
 * @param ca the authority's certificate in PEM
 */
export function trustCertificateAuthority(ca: string): () => void {
	const trusted = authorities();
	trusted.add(ca);
	return () => {
		trusted.delete(ca);
	};
}
