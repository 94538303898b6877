import * as crypto from 'node:crypto';
import { isIP } from 'node:net';
import { AsnConvert } from '@peculiar/asn1-schema';
import * as asn1 from '@peculiar/asn1-x509';
import * as x509 from '@peculiar/x509';
import { parseRange } from './containers/addressRanges.mts';

// Loaded only where a certificate is made: the libraries take a while.

export interface Signed {
	/** PEM. */
	key: string;
	cert: string;
}

const DAY_MS = 24 * 60 * 60 * 1000;
const AUTHORITY_DAYS = 3650;
const CERTIFICATE_DAYS = 90;
const LOOPBACK_RANGES = ['127.0.0.0/8', '::1/128'];
const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256' };

/** An authority that signs certificates for these names and nothing else, also if its key is stolen. */
export async function signAuthority(key: string, names: string[]): Promise<string> {
	return await sign({ key, kind: 'Authority', days: AUTHORITY_DAYS }, undefined, [
		new x509.BasicConstraintsExtension(true, 0, true),
		new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign, true),
		createNameConstraints(names),
	]);
}

/** A certificate of a server with these names. */
export async function signServer(key: string, names: string[], authority: Signed): Promise<string> {
	const general = names.map((value) => ({ type: isIP(value) ? 'ip' : 'dns', value }) as const);
	return await sign({ key, kind: 'Server', days: CERTIFICATE_DAYS }, authority, [
		new x509.BasicConstraintsExtension(false, undefined, true),
		new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
		new x509.SubjectAlternativeNameExtension(general),
	]);
}

/** @returns a name that the authority must not sign for; nothing where it can sign for all */
export function findForbidden(authority: string, names: string[]): string | undefined {
	const extension = new x509.X509Certificate(authority).getExtension(asn1.id_ce_nameConstraints);
	// Legacy authorities have no limits.
	if (extension === null) return undefined;
	const { permittedSubtrees = [] } = AsnConvert.parse(extension.value, asn1.NameConstraints);
	const bases = permittedSubtrees.map(({ base }) => base);
	return names.find((name) => !bases.some((base) => covers(base, name)));
}

function covers({ dNSName, iPAddress }: asn1.GeneralName, name: string): boolean {
	if (iPAddress !== undefined) return parseRange(iPAddress)?.(name) ?? false;
	return dNSName !== undefined && `.${name}`.endsWith(`.${dNSName}`);
}

function createNameConstraints(names: string[]): x509.Extension {
	const ranges = new Set(LOOPBACK_RANGES);
	const bases: asn1.GeneralName[] = [];
	for (const name of names) {
		const version = isIP(name);
		if (version === 0) bases.push(new asn1.GeneralName({ dNSName: name }));
		else ranges.add(`${name}/${version === 4 ? 32 : 128}`);
	}
	for (const iPAddress of ranges) bases.push(new asn1.GeneralName({ iPAddress }));
	const subtrees = bases.map((base) => new asn1.GeneralSubtree({ base }));
	const permittedSubtrees = new asn1.GeneralSubtrees(subtrees);
	const constraints = AsnConvert.serialize(new asn1.NameConstraints({ permittedSubtrees }));
	return new x509.Extension(asn1.id_ce_nameConstraints, true, constraints);
}

type Subject = { key: string; kind: 'Authority' | 'Server'; days: number };

/** Without an authority, the certificate is signed with its own key. */
async function sign(
	{ key, kind, days }: Subject,
	authority: Signed | undefined,
	extensions: x509.Extension[],
): Promise<string> {
	const issuerKey = authority?.key ?? key;
	const signer = x509.PemConverter.decodeFirst(issuerKey);
	const identifier = await x509.SubjectKeyIdentifierExtension.create(toPublic(key));
	// Clients find authorities by name, so each key of one needs its own.
	const subject = `CN=Encrypted Containers ${kind} ${identifier.keyId.slice(0, 16)}`;
	const certificate = await x509.X509CertificateGenerator.create({
		subject,
		issuer: authority ? new x509.X509Certificate(authority.cert).subject : subject,
		publicKey: toPublic(key),
		signingKey: await crypto.subtle.importKey('pkcs8', signer, ALGORITHM, false, ['sign']),
		// A client's clock can be slow.
		notBefore: new Date(Date.now() - DAY_MS),
		notAfter: new Date(Date.now() + days * DAY_MS),
		extensions: [
			...extensions,
			new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
			identifier,
			await x509.AuthorityKeyIdentifierExtension.create(toPublic(issuerKey)),
		],
	});
	return `${certificate.toString('pem')}\n`;
}

const toPublic = (pem: string) =>
	crypto.createPublicKey(pem).export({ type: 'spki', format: 'der' });
