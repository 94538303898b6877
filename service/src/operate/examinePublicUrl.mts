import { existsSync, readFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { text as readText } from 'node:stream/consumers';
import type { Config } from '../config.mts';
import { findPublicUrl } from '../openMailer.mts';

const TIMEOUT_MS = 10_000;
const CLOCK_MS = 60_000;
/** More than nginx lets through unless it is told otherwise. */
const UPLOAD_BYTES = 2_000_000;
const UNTRUSTED = /CERT|SELF_SIGNED|UNABLE_TO|ALTNAME/;

/** Sees the service as recipients do. @returns what is wrong, with what to do */
export async function examinePublicUrl(config: Config): Promise<string[]> {
	const url = findPublicUrl(config);
	const answer = await ask(config, '/readyz').catch((error: NodeJS.ErrnoException) => error);
	if (answer instanceof Error) return [describeUnreachable(url, answer)];
	if (!/^(not )?ready\n/.test(answer.text)) {
		return [
			`Something else than the service answers at ${url} (status ${answer.status}): let the proxy, or the name in DNS, lead to port ${config.port} of the service.`,
		];
	}
	const problems: string[] = [];
	const difference = Math.abs(Date.parse(answer.date ?? '') - Date.now());
	if (difference > CLOCK_MS) {
		const seconds = Math.round(difference / 1000);
		problems.push(
			`The clock differs from that of ${url} by ${seconds} seconds: let both systems set their clocks.`,
		);
	}
	return config.isTlsOff ? [...problems, ...(await examineProxy(config, url))] : problems;
}

async function examineProxy(config: Config, url: string): Promise<string[]> {
	if (!config.isTrustedProxy) {
		return ['TLS is off, but no proxy is trusted: set TRUST_PROXY to the address of the proxy.'];
	}
	const page = await ask(config, '/style.css');
	if (page.status === 400) {
		return [
			`The service doesn't learn from the proxy that ${url} uses HTTPS: let the proxy send X-Forwarded-Proto: https, and name its address in TRUST_PROXY.`,
		];
	}
	const upload = await ask(config, '/api/v1/me', Buffer.alloc(UPLOAD_BYTES)).catch(() => undefined);
	if (upload === undefined || upload.status === 413) {
		return [
			`The proxy at ${url} refuses uploads of 2 MB: let it neither limit nor buffer them (nginx: client_max_body_size 0).`,
		];
	}
	return [];
}

/** Trusts what any client of this machine does (NODE_EXTRA_CA_CERTS), or the authority of the service. */
async function ask(config: Config, path: string, body?: Buffer) {
	const authority = join(config.folder, 'ca.pem');
	const isOwn = !config.isTlsOff && !config.certificate && existsSync(authority);
	const ca = isOwn ? readFileSync(authority, 'utf8') : undefined;
	const method = body ? 'POST' : 'GET';
	const headers = { 'Content-Type': 'multipart/form-data; boundary=doctor' };
	const signal = AbortSignal.timeout(TIMEOUT_MS);
	const sent = request(findPublicUrl(config) + path, { method, ca, headers, signal, agent: false });
	const answer = new Promise<{ status: number; text: string; date?: string }>((resolve, reject) => {
		sent.on('error', reject).on('response', (response) => {
			const { statusCode: status = 0, headers: received } = response;
			readText(response).then((text) => resolve({ status, text, date: received.date }), reject);
		});
	});
	sent.end(body);
	return await answer;
}

function describeUnreachable(url: string, { code = '', name }: NodeJS.ErrnoException): string {
	const host = new URL(url).hostname;
	if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
		return `PUBLIC_URL is ${url}, but this machine finds no ${host} in DNS: add the name, or correct PUBLIC_URL.`;
	}
	if (UNTRUSTED.test(code)) {
		return `Browsers don't trust the certificate at ${url} (${code}): give the proxy or TLS_CERT one for ${host}, with its chain. If it is of your company's authority, set NODE_EXTRA_CA_CERTS to the file of that.`;
	}
	const reason = code || name;
	return `The service can't be reached at ${url} (${reason}): start it, let the proxy lead to port and HOST of the service, and open the firewall.`;
}
