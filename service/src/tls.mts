import type { Extension } from '@peculiar/x509';
import * as crypto from 'node:crypto';
import * as fs from 'node:fs';
import { isIP } from 'node:net';
import { join } from 'node:path';
import type { Server } from 'node:tls';
import { attempt } from './errors.mts';
import { writeWhole } from './writeWhole.mts';

const DAY_MS = 24 * 60 * 60 * 1000;
const AUTHORITY_DAYS = 3650;
const CERTIFICATE_DAYS = 90;
const RENEWAL_DAYS = 30;

/** The folder holds ca.pem, ca.key, tls.pem and tls.key. The hosts are those besides this machine. */
type CertificateOptions = { folder: string; hosts: string[] };
type Signed = { key: string; cert: string };

export async function ensureCertificate({ folder, hosts }: CertificateOptions) {
	fs.mkdirSync(folder, { recursive: true });
	const authority = await ensureSigned(join(folder, 'ca'), []);
	// A URL has an IPv6 address in brackets.
	const others = hosts.map((host) => host.replace(/^\[|\]$/g, ''));
	const all = new Set(['localhost', '127.0.0.1', '::1', ...others]);
	return { ...(await ensureSigned(join(folder, 'tls'), [...all], authority)), ca: authority.cert };
}

/** Checks once a day whether the certificate ends soon. Doesn't keep the process running. */
export function keepRenewed(
	server: Pick<Server, 'setSecureContext'>,
	options: CertificateOptions,
	onError: (error: unknown) => void,
): NodeJS.Timeout {
	const renew = async () => server.setSecureContext(await ensureCertificate(options));
	return setInterval(() => void renew().catch(onError), DAY_MS).unref();
}

/** A key is never replaced. Without an authority, the certificate is that of one. */
async function ensureSigned(path: string, hosts: string[], authority?: Signed): Promise<Signed> {
	const keyFile = `${path}.key`;
	const certFile = `${path}.pem`;
	if (!fs.existsSync(keyFile)) {
		const { privateKey } = crypto.generateKeyPairSync('ec', { namedCurve: 'P-256' });
		const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
		writeWhole(keyFile, pem, { mode: 0o600, isNew: true });
	}
	const key = fs.readFileSync(keyFile, 'utf8');
	const isGood = attempt(() => {
		const certificate = new crypto.X509Certificate(fs.readFileSync(certFile));
		return (
			certificate.checkPrivateKey(crypto.createPrivateKey(key)) &&
			certificate.verify(crypto.createPublicKey(authority?.key ?? key)) &&
			Date.parse(certificate.validTo) - Date.now() > RENEWAL_DAYS * DAY_MS &&
			hosts.every((host) => certificate.checkHost(host) ?? certificate.checkIP(host))
		);
	});
	if (!isGood) writeWhole(certFile, await sign(key, hosts, authority));
	return { key, cert: fs.readFileSync(certFile, 'utf8') };
}

async function sign(key: string, hosts: string[], authority?: Signed): Promise<string> {
	const x509 = await import('@peculiar/x509');
	const toPublic = (pem: string) =>
		crypto.createPublicKey(pem).export({ type: 'spki', format: 'der' });
	const issuerKey = authority?.key ?? key;
	const signer = x509.PemConverter.decodeFirst(issuerKey);
	const algorithm = { name: 'ECDSA', namedCurve: 'P-256' };
	const identifier = await x509.SubjectKeyIdentifierExtension.create(toPublic(key));
	const { digitalSignature, keyCertSign } = x509.KeyUsageFlags;
	const kind = authority ? 'Server' : 'Authority';
	const days = authority ? CERTIFICATE_DAYS : AUTHORITY_DAYS;
	// Clients find authorities by name, so each key of one needs its own.
	const subject = `CN=Encrypted Containers ${kind} ${identifier.keyId.slice(0, 16)}`;
	const extensions: Extension[] = [
		new x509.BasicConstraintsExtension(!authority, undefined, true),
		new x509.KeyUsagesExtension(authority ? digitalSignature : keyCertSign, true),
		new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
		identifier,
		await x509.AuthorityKeyIdentifierExtension.create(toPublic(issuerKey)),
	];
	const names = hosts.map((value) => ({ type: isIP(value) ? 'ip' : 'dns', value }) as const);
	if (authority) extensions.push(new x509.SubjectAlternativeNameExtension(names));
	const certificate = await x509.X509CertificateGenerator.create({
		subject,
		issuer: authority ? new x509.X509Certificate(authority.cert).subject : subject,
		publicKey: toPublic(key),
		signingKey: await crypto.subtle.importKey('pkcs8', signer, algorithm, false, ['sign']),
		// A client's clock can be slow.
		notBefore: new Date(Date.now() - DAY_MS),
		notAfter: new Date(Date.now() + days * DAY_MS),
		extensions,
	});
	return `${certificate.toString('pem')}\n`;
}
