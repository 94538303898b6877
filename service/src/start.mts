import { createServer as createSocket, type AddressInfo } from 'node:net';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { SettingError, type Config } from './config.mts';
import { createMailer } from './mail/mailer.mts';
import { ensureOwner, openVault } from './openVault.mts';
import { API_PATH, createServer } from './server.mts';
import { ensureCertificate, keepRenewed } from './tls.mts';
import { keepTidy } from './upkeep.mts';

/** For requests that are running when the service is stopped. */
const STOP_MS = 20_000;

/** Starts the service, and says in plain words how to use it. It ends at SIGTERM. */
export async function start(config: Config): Promise<void> {
	const vault = await openVault(config);
	const { user, newKey } = await ensureOwner(vault, config);
	const { folder, smtpUrl } = config;
	const port = config.port || (await findFreePort());
	const publicUrl = config.publicUrl ?? `https://localhost:${port}`;
	const publicHost = new URL(publicUrl).hostname;
	const outbox = join(folder, 'outbox');
	const from = config.mailFrom ?? `no-reply@${publicHost}`;
	const mailer = createMailer({ smtpUrl, outbox, from });
	const hasOwnAuthority = !config.isTlsOff && !config.certificate;
	const own = { folder, hosts: [publicHost, hostname()] };
	const certificate = hasOwnAuthority ? await ensureCertificate(own) : config.certificate;
	const app = await createServer({ config, vault, mailer, publicUrl, certificate });
	const onError = (error: unknown) => app.log.error(error, 'Upkeep failed');
	await app.listen({ port, host: '::' }).catch(({ code }: NodeJS.ErrnoException) => {
		throw new SettingError(`PORT ${port} can't be used (${code}).`);
	});
	if (hasOwnAuthority) keepRenewed(app.server as never, own, onError);
	keepTidy(vault, config.eventsDays, onError);

	const knownKey = config.apiKey ? 'as set in API_KEY' : 'as shown at the first start';
	const lines = [
		['Base URL', publicUrl + API_PATH],
		['API key', newKey ? `${newKey} (shown only now, so keep it)` : knownKey],
		...(hasOwnAuthority ? [['CA file', join(folder, 'ca.pem')]] : []),
		['User ID', user.id],
		['Mails', smtpUrl ? `by ${withoutPassword(smtpUrl)}` : outbox],
	];
	const table = lines.map(([label, value]) => `  ${label.padEnd(11)}${value}\n`).join('');
	process.stdout.write(`The service is ready.\n\n${table}\nPress Ctrl+C to stop.\n`);

	const stop = async () => {
		setTimeout(() => process.exit(0), STOP_MS).unref();
		await app.close();
		mailer.close();
		await vault.database.destroy();
		process.exit(0);
	};
	for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, () => void stop());
}

function withoutPassword(url: string): string {
	const { protocol, host } = new URL(url);
	return `${protocol}//${host}`;
}

/** For PORT=0: links hold the port, so it must be known before the server listens. */
async function findFreePort(): Promise<number> {
	const socket = createSocket().listen(0);
	await new Promise((resolve) => socket.once('listening', resolve));
	const { port } = socket.address() as AddressInfo;
	await new Promise((resolve) => socket.close(resolve));
	return port;
}
