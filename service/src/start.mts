import { once } from 'node:events';
import { join } from 'node:path';
import type { Server } from 'node:net';
import type { Server as TlsServer } from 'node:tls';
import type { FastifyInstance } from 'fastify';
import getPort from 'get-port';
import { NO_MAILBOX, type Config } from './config.mts';
import type { Vault } from './containers/vault.mts';
import { findUser } from './database/queries.mts';
import { SettingError } from './errors.mts';
import { ensureOwner } from './firstOwner.mts';
import { listen, LOOPBACK } from './listen.mts';
import type { Metrics } from './metrics/metrics.mts';
import type { Mailer } from './mail/mailer.mts';
import { getOutboxFolder, openMailer } from './openMailer.mts';
import { openVault } from './openVault.mts';
import { openViewing } from './openViewing.mts';
import { API_PATH, createServer } from './server.mts';
import { ensureCertificate, keepRenewed } from './tls.mts';
import { keepTidy } from './upkeep.mts';

const STOP_MS = 20_000;

/** Starts the service, and says where it is. It runs until SIGTERM or SIGINT. */
export async function start(config: Config): Promise<void> {
	const viewing = await openViewing(config);
	const metrics = await openMetrics(config);
	const vault = await openVault(config, metrics?.database);
	await checkMailbox(vault, config);
	const { user, newKey } = await ensureOwner(vault, config);
	// Links hold the port, so it is known before the server listens.
	const port = config.port || (await getPort());
	const publicUrl = config.publicUrl ?? `https://localhost:${port}`;
	const onMailError = (error: Error) => app.log.error(error, "The mail server can't be used");
	const { site, mailer } = openMailer(config, publicUrl, onMailError);
	const parts = { vault, mailer, viewing };
	const watched = metrics ? metrics.watch(parts) : parts;
	const { certificate, own } = await findCertificate(config, publicUrl);
	const hasOwnAuthority = own !== undefined;
	const place = { site, publicUrl, certificate, hasOwnAuthority };
	const app = await createServer({ config, ...watched, ...place, metrics });
	const more = await listen(app, { port, hosts: config.hosts });
	const onError = (error: unknown) => app.log.error(error, 'Upkeep failed');
	if (own) keepRenewed(app.server as unknown as TlsServer, own, onError);
	keepTidy(watched.vault, config, app.log);
	const ofMetrics = await listenForMetrics(config, metrics);
	const apps = [app, ...ofMetrics.apps];
	stopOnSignals({ apps, more: [...more, ...ofMetrics.more], mailer, vault });
	// Whoever starts it learns what is wrong, not only the first recipient.
	void watched.mailer.isReachable();
	const lines = describeStart(config, { publicUrl, userId: user.id, newKey });
	const next = newKey ? `\n${describeNext(config)}` : '';
	process.stdout.write(`The service is ready.\n\n${lines}${next}\nPress Ctrl+C to stop.\n`);
}

/** Loaded only where somebody reads them: idle memory and the time to start depend on it. */
async function openMetrics({ metricsPort }: Config): Promise<Metrics | undefined> {
	if (metricsPort === undefined) return undefined;
	return (await import('./metrics/metrics.mts')).createMetrics();
}

/** Nothing listens where nobody reads them. */
async function listenForMetrics(config: Config, metrics?: Metrics) {
	const { metricsPort: port, metricsHosts: hosts } = config;
	if (metrics === undefined || port === undefined) return { apps: [], more: [] };
	const app = metrics.createServer();
	const more = await listen(app, { port, hosts, prefix: 'METRICS_' });
	return { apps: [app], more };
}

/** @returns for the own authority also where it is kept */
async function findCertificate(config: Config, publicUrl: string) {
	const { folder, tlsNames, certificate } = config;
	if (config.isTlsOff || certificate) return { certificate };
	const own = { folder, hosts: [new URL(publicUrl).hostname, ...tlsNames] };
	return { certificate: await ensureCertificate(own), own };
}

/** @throws SettingError where a mail server would get the codes of an owner without a mailbox */
async function checkMailbox({ database }: Vault, { smtpUrl }: Config): Promise<void> {
	if (smtpUrl === undefined || !(await findUser(database, 'address', NO_MAILBOX))) return;
	throw new SettingError(
		`With SMTP_URL, the mail server would get the codes of the user ${NO_MAILBOX}. Run "users rename ${NO_MAILBOX} <your address>": that address then has its containers, contacts and API keys.`,
	);
}

type Started = { publicUrl: string; userId: string; newKey?: string };

function describeStart(config: Config, { publicUrl, userId, newKey }: Started): string {
	const { folder, smtpUrl, apiKey, certificate, isTlsOff, metricsPort, metricsHosts } = config;
	const knownKey = apiKey ? 'as set in API_KEY' : 'as shown at the first start';
	const smtp = smtpUrl ? new URL(smtpUrl) : undefined;
	const lines = [
		['Base URL', publicUrl + API_PATH],
		['API key', newKey ? `${newKey} (shown only now, so keep it)` : knownKey],
	];
	if (!certificate && !isTlsOff) lines.push(['CA file', join(folder, 'ca.pem')]);
	lines.push(['User ID', userId]);
	lines.push(['Reachable', describeReach(config.hosts)]);
	if (metricsPort !== undefined) {
		const reach = describeReach(metricsHosts, 'METRICS_');
		lines.push(['Metrics', `on port ${metricsPort}, ${reach}`]);
	}
	lines.push(['Mails', smtp ? `by ${smtp.protocol}//${smtp.host}` : getOutboxFolder(config)]);
	return lines.map(([label, value]) => `  ${label.padEnd(11)}${value}\n`).join('');
}

/** For who starts it for the first time. */
function describeNext(config: Config): string {
	const { certificate, isTlsOff, outsideKeys, folder, smtpUrl } = config;
	const isTrusted = certificate || isTlsOff;
	const trust = isTrusted ? '' : ' n8n trusts the CA file by NODE_EXTRA_CA_CERTS.';
	const key = outsideKeys ? 'the master key' : join(folder, 'master.key');
	const code = smtpUrl ? 'comes by mail' : `is in the newest file of ${getOutboxFolder(config)}`;
	const steps = [
		`In n8n, create a credential "Encrypted Containers API" with the base URL and the API key.${trust}`,
		`Encrypt a file for yourself, and open its link: the code to sign in ${code}.`,
		`Keep a copy of ${key} in a safe place: without it, no container ever opens again.`,
	];
	const lines = steps.map((step, index) => `  ${index + 1}. ${step}\n`);
	return `What to do next:\n\n${lines.join('')}`;
}

function describeReach(hosts = LOOPBACK, prefix = ''): string {
	if (hosts.every(isLoopback))
		return `from this machine only (${prefix}HOST=:: opens it to others)`;
	if (hosts.some((host) => host === '::' || host === '0.0.0.0')) {
		return 'from every network that this machine is in';
	}
	return `from networks that reach ${hosts.join(' or ')}`;
}

const isLoopback = (host: string) => host === '::1' || host.startsWith('127.');

type Running = { apps: FastifyInstance[]; more: Server[]; mailer: Mailer; vault: Vault };

function stopOnSignals({ apps, more, mailer, vault }: Running): void {
	const stop = async () => {
		setTimeout(() => process.exit(0), STOP_MS);
		// A connection that is kept alive becomes idle when its request has ended.
		setInterval(() => {
			for (const { server } of apps) server.closeIdleConnections();
		}, 200);
		await Promise.all([
			...apps.map(async (app) => await app.close()),
			...more.map(async (server) => await once(server.close(), 'close')),
		]);
		await mailer.close();
		await vault.database.destroy();
		process.exit(0);
	};
	for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, () => void stop());
}
