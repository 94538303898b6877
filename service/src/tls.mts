import * as crypto from 'node:crypto';
import * as fs from 'node:fs';
import { join } from 'node:path';
import type { Server } from 'node:tls';
import type { Signed } from './certificates.mts';
import { attempt, SettingError } from './errors.mts';
import { writeWhole } from './writeWhole.mts';

const DAY_MS = 24 * 60 * 60 * 1000;
const RENEWAL_DAYS = 30;

/** The folder holds ca.pem, ca.key, tls.pem and tls.key. The hosts are those besides the loopback. */
type CertificateOptions = { folder: string; hosts: string[] };

/** A certificate of an authority of our own. @throws SettingError where the authority can't sign for a host */
export async function ensureCertificate({ folder, hosts }: CertificateOptions) {
	fs.mkdirSync(folder, { recursive: true });
	// A URL has an IPv6 address in brackets.
	const others = hosts.map((host) => host.replace(/^\[|\]$/g, ''));
	const names = [...new Set(['localhost', '127.0.0.1', '::1', ...others])];
	const authority = await ensureAuthority(join(folder, 'ca'), names);
	const server = await ensureServer(join(folder, 'tls'), names, authority);
	return { ...server, ca: authority.cert };
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

/** One that is there stays until it ends, whatever names it was made for. */
async function ensureAuthority(path: string, names: string[]): Promise<Signed> {
	const key = ensureKey(`${path}.key`);
	const file = `${path}.pem`;
	if (!attempt(() => readLasting(file, key, key))) {
		const { signAuthority } = await import('./certificates.mts');
		writeWhole(file, await signAuthority(key, names));
	}
	return { key, cert: fs.readFileSync(file, 'utf8') };
}

async function ensureServer(path: string, names: string[], authority: Signed): Promise<Signed> {
	const key = ensureKey(`${path}.key`);
	const file = `${path}.pem`;
	const isGood = attempt(() => {
		const certificate = readLasting(file, key, authority.key);
		const named = certificate?.subjectAltName?.split(', ') ?? [];
		const has = (name: string) => certificate?.checkHost(name) ?? certificate?.checkIP(name);
		return named.length === names.length && names.every(has);
	});
	if (!isGood) {
		const { findForbidden, signServer } = await import('./certificates.mts');
		const forbidden = findForbidden(authority.cert, names);
		if (forbidden !== undefined) {
			const message = `The authority in DATA_DIR/ca.pem was made for other names than ${forbidden} (PUBLIC_URL, TLS_NAMES). For a new one, remove ca.key and ca.pem, start again, and let clients trust the new ca.pem.`;
			throw new SettingError(message);
		}
		writeWhole(file, await signServer(key, names, authority));
	}
	return { key, cert: fs.readFileSync(file, 'utf8') };
}

/** A key is never replaced. */
function ensureKey(file: string): string {
	if (!fs.existsSync(file)) {
		const { privateKey } = crypto.generateKeyPairSync('ec', { namedCurve: 'P-256' });
		const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
		writeWhole(file, pem, { mode: 0o600, isNew: true });
	}
	return fs.readFileSync(file, 'utf8');
}

/** @returns nothing, or throws, where the certificate isn't of these keys, or ends soon */
function readLasting(file: string, key: string, issuerKey: string) {
	const certificate = new crypto.X509Certificate(fs.readFileSync(file));
	const isOurs =
		certificate.checkPrivateKey(crypto.createPrivateKey(key)) &&
		certificate.verify(crypto.createPublicKey(issuerKey));
	const rest = Date.parse(certificate.validTo) - Date.now();
	return isOurs && rest > RENEWAL_DAYS * DAY_MS ? certificate : undefined;
}
