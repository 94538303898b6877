import { hostname } from 'node:os';
import { join } from 'node:path';
import type { Server } from 'node:tls';
import type { FastifyInstance } from 'fastify';
import getPort from 'get-port';
import type { Config } from './config.mts';
import type { Vault } from './containers/vault.mts';
import { SettingError } from './errors.mts';
import { createMailer, type Mailer } from './mail/mailer.mts';
import { ensureOwner, keepTidy, openVault } from './openVault.mts';
import { API_PATH, createServer } from './server.mts';
import { ensureCertificate, keepRenewed } from './tls.mts';

const STOP_MS = 20_000;

/** Starts the service, and says where it is. It runs until SIGTERM or SIGINT. */
export async function start(config: Config): Promise<void> {
	const { folder } = config;
	const vault = await openVault(config);
	const { user, newKey } = await ensureOwner(vault, config);
	// Links hold the port, so it is known before the server listens.
	const port = config.port || (await getPort());
	const publicUrl = config.publicUrl ?? `https://localhost:${port}`;
	const host = new URL(publicUrl).hostname;
	const mailer = createMailer({
		smtpUrl: config.smtpUrl,
		outbox: join(folder, 'outbox'),
		from: config.mailFrom ?? `no-reply@${host}`,
	});
	const hasOwnAuthority = !config.isTlsOff && !config.certificate;
	const own = { folder, hosts: [host, hostname()] };
	const certificate = hasOwnAuthority ? await ensureCertificate(own) : config.certificate;
	const app = await createServer({ ...config, vault, mailer, publicUrl, certificate });
	await listen(app, port);
	const onError = (error: unknown) => app.log.error(error, 'Upkeep failed');
	if (hasOwnAuthority) keepRenewed(app.server as unknown as Server, own, onError);
	keepTidy(vault, config, onError);
	stopOnSignals({ app, mailer, vault });
	const lines = describeStart(config, { publicUrl, userId: user.id, newKey });
	process.stdout.write(`The service is ready.\n\n${lines}\nPress Ctrl+C to stop.\n`);
}

async function listen(app: FastifyInstance, port: number): Promise<void> {
	await app.listen({ port, host: '::' }).catch(({ code }: NodeJS.ErrnoException) => {
		throw new SettingError(`PORT ${port} can't be used (${code}).`);
	});
}

type Started = { publicUrl: string; userId: string; newKey?: string };

function describeStart(config: Config, { publicUrl, userId, newKey }: Started): string {
	const { folder, smtpUrl, apiKey, certificate, isTlsOff } = config;
	const knownKey = apiKey ? 'as set in API_KEY' : 'as shown at the first start';
	const smtp = smtpUrl ? new URL(smtpUrl) : undefined;
	const lines = [
		['Base URL', publicUrl + API_PATH],
		['API key', newKey ? `${newKey} (shown only now, so keep it)` : knownKey],
	];
	if (!certificate && !isTlsOff) lines.push(['CA file', join(folder, 'ca.pem')]);
	lines.push(['User ID', userId]);
	lines.push(['Mails', smtp ? `by ${smtp.protocol}//${smtp.host}` : join(folder, 'outbox')]);
	return lines.map(([label, value]) => `  ${label.padEnd(11)}${value}\n`).join('');
}

type Running = { app: FastifyInstance; mailer: Mailer; vault: Vault };

function stopOnSignals({ app, mailer, vault }: Running): void {
	const stop = async () => {
		setTimeout(() => process.exit(0), STOP_MS);
		// A connection that is kept alive becomes idle when its request has ended.
		setInterval(() => app.server.closeIdleConnections(), 200);
		await app.close();
		await mailer.close();
		await vault.database.destroy();
		process.exit(0);
	};
	for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, () => void stop());
}
