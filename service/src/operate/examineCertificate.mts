import { X509Certificate } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { join } from 'node:path';
import type { Config } from '../config.mts';
import { findPublicUrl } from '../openMailer.mts';

const DAY_MS = 24 * 60 * 60 * 1000;
const SOON_DAYS = 14;

/** @returns what is wrong with the certificate that the service shows, with what to do */
export async function examineCertificate(config: Config): Promise<string[]> {
	if (config.isTlsOff) return [];
	const own = join(config.folder, 'tls.pem');
	if (!config.certificate && !existsSync(own)) return [];
	const pem = config.certificate?.cert ?? readFileSync(own, 'utf8');
	const certificate = new X509Certificate(pem);
	const where = config.certificate ? 'The certificate of TLS_CERT' : `The certificate ${own}`;
	const renew = config.certificate ? 'renew it, and restart the service' : 'restart the service';
	const host = new URL(findPublicUrl(config)).hostname.replace(/^\[|\]$/g, '');
	const problems: string[] = [];
	const days = (Date.parse(certificate.validTo) - Date.now()) / DAY_MS;
	if (days < 0) problems.push(`${where} ended on ${certificate.validTo}: ${renew}.`);
	else if (days < SOON_DAYS) problems.push(`${where} ends on ${certificate.validTo}: ${renew}.`);
	if (Date.parse(certificate.validFrom) > Date.now()) {
		problems.push(
			`${where} begins only on ${certificate.validFrom}: check the clock, or ${renew}.`,
		);
	}
	const isNamed = isIP(host) ? certificate.checkIP(host) : certificate.checkHost(host);
	if (!isNamed) {
		const names = certificate.subjectAltName ?? certificate.subject;
		problems.push(`${where} is for ${names}, not for ${host} of PUBLIC_URL: ${renew}.`);
	}
	return problems;
}
