import { X509Certificate } from 'node:crypto';
import { generate } from 'selfsigned';

export interface ServerCertificate {
	/** PEM of the authority: what a client must trust. */
	ca: string;
	key: string;
	cert: string;
}

const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * Makes a certificate authority and a certificate for this machine that it signed.
 * Keys are elliptic: a handshake costs the server a fraction of what RSA does.
 */
export async function makeCertificate(): Promise<ServerCertificate> {
	const common = {
		keyType: 'ec' as const,
		curve: 'P-256' as const,
		algorithm: 'sha256',
		notBeforeDate: new Date(Date.now() - DAY_MS),
		notAfterDate: new Date(Date.now() + 30 * DAY_MS),
	};
	const authority = await generate([{ name: 'commonName', value: 'Sandbox Authority' }], {
		...common,
		extensions: [
			{ name: 'basicConstraints', cA: true, critical: true },
			{ name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
		],
	});
	const leaf = await generate([{ name: 'commonName', value: 'localhost' }], {
		...common,
		ca: { key: authority.private, cert: authority.cert },
		extensions: [
			{ name: 'basicConstraints', cA: false, critical: true },
			{ name: 'keyUsage', digitalSignature: true, critical: true },
			{ name: 'extKeyUsage', serverAuth: true },
			{
				name: 'subjectAltName',
				altNames: [
					{ type: 2, value: 'localhost' },
					{ type: 7, ip: '127.0.0.1' },
					{ type: 7, ip: '::1' },
				],
			},
		],
	});
	return {
		ca: new X509Certificate(authority.cert).toString(),
		key: leaf.private,
		cert: new X509Certificate(leaf.cert).toString(),
	};
}
