import * as crypto from 'node:crypto';
import { existsSync } from 'node:fs';
import { link, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { join } from 'node:path';
import type { Server } from 'node:tls';

const DAY_MS = 24 * 60 * 60 * 1000;
const AUTHORITY_DAYS = 3650;
const CERTIFICATE_DAYS = 90;
const RENEWAL_DAYS = 30;

interface CertificateOptions {
	/** Holds ca.pem, ca.key, tls.pem and tls.key. */
	folder: string;
	/** Names and addresses besides those of this machine. */
	hosts: string[];
}

/**
 * The certificate in the folder: a new one where there is none, it ends soon, or a host is missing in it.
 * @returns PEM; `ca` is the authority that clients trust
 */
export async function ensureCertificate({ folder, ...options }: CertificateOptions) {
	await mkdir(folder, { recursive: true });
	const caKey = await ensureKey(join(folder, 'ca.key'));
	const ca = await ensureSigned(join(folder, 'ca.pem'), { key: caKey });
	const key = await ensureKey(join(folder, 'tls.key'));
	// A URL has an IPv6 address in brackets.
	const hosts = options.hosts.map((host) => host.replace(/^\[|\]$/g, ''));
	const cert = await ensureSigned(join(folder, 'tls.pem'), {
		key,
		authority: { key: caKey, cert: ca },
		hosts: [...new Set(['localhost', '127.0.0.1', '::1', ...hosts])],
	});
	return { key, cert, ca };
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

/**
 * A key is never replaced, and certificates are created for the key in the folder:
 * processes that start at the same time get files that match.
 */
async function ensureKey(file: string): Promise<string> {
	if (!existsSync(file)) {
		const { privateKey } = crypto.generateKeyPairSync('ec', { namedCurve: 'P-256' });
		const pem = privateKey.export({ type: 'pkcs8', format: 'pem' });
		const temporary = `${file}.${crypto.randomUUID()}`;
		await writeFile(temporary, pem, { mode: 0o600, flush: true });
		const failure = await link(temporary, file).catch((error: Error) => error);
		await rm(temporary);
		if (failure !== undefined && !existsSync(file)) throw failure;
	}
	return await readFile(file, 'utf8');
}

interface SigningRequest {
	key: string;
	/** Without it, the certificate is that of an authority itself. */
	authority?: { key: string; cert: string };
	hosts?: string[];
}

async function ensureSigned(file: string, request: SigningRequest): Promise<string> {
	const { key, authority, hosts = [] } = request;
	const existing = await readFile(file)
		.then((pem) => new crypto.X509Certificate(pem))
		.catch(() => undefined);
	const isGood =
		existing !== undefined &&
		existing.checkPrivateKey(crypto.createPrivateKey(key)) &&
		existing.verify(crypto.createPublicKey(authority?.cert ?? key)) &&
		Date.parse(existing.validTo) - Date.now() > RENEWAL_DAYS * DAY_MS &&
		hosts.every((host) => existing.checkHost(host) ?? existing.checkIP(host));
	if (isGood) return existing.toString();
	const cert = await sign(request);
	const temporary = `${file}.${crypto.randomUUID()}`;
	await writeFile(temporary, cert, { flush: true });
	await rename(temporary, file);
	return cert;
}

async function sign({ key, authority, hosts = [] }: SigningRequest): Promise<string> {
	const { generate } = await import('selfsigned');
	const publicKey = crypto.createPublicKey(key).export({ type: 'spki', format: 'pem' }).toString();
	// Clients find authorities by name, so each key of one needs its own.
	const id = crypto.createHash('sha256').update(publicKey).digest('hex').slice(0, 16);
	const altNames = hosts.map((host) => ({ type: isIP(host) === 0 ? 2 : 7, value: host }) as const);
	const isAuthority = authority === undefined;
	const [kind, days] = isAuthority ? ['Authority', AUTHORITY_DAYS] : ['Server', CERTIFICATE_DAYS];
	const subject = { name: 'commonName', value: `Encrypted Containers ${kind} ${id}` };
	const { cert } = await generate([subject], {
		keyType: 'ec',
		algorithm: 'sha256',
		keyPair: { privateKey: key, publicKey },
		// A client's clock can be slow.
		notBeforeDate: new Date(Date.now() - DAY_MS),
		notAfterDate: new Date(Date.now() + days * DAY_MS),
		ca: authority,
		extensions: [
			{ name: 'basicConstraints', cA: isAuthority, critical: true },
			{ name: 'keyUsage', keyCertSign: isAuthority, digitalSignature: true, critical: true },
			{ name: 'extKeyUsage', serverAuth: true },
			...(isAuthority ? [] : [{ name: 'subjectAltName' as const, altNames }]),
		],
	});
	return new crypto.X509Certificate(cert).toString();
}
