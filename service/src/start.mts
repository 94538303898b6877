import { mkdirSync } from 'node:fs';
import { createServer as createSocket, type AddressInfo } from 'node:net';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { SettingError, type Config } from './config.mts';
import { openMasterKeys } from './containers/masterKeys.mts';
import type { Vault } from './containers/vault.mts';
import { openDatabase } from './database/open.mts';
import { assertMasterKey, ensureMasterKey, ensureOwner } from './firstStart.mts';
import { createMailer } from './mail/mailer.mts';
import { API_PATH, createServer } from './server.mts';
import { openStorage } from './storage/storage.mts';
import { ensureCertificate, keepRenewed } from './tls.mts';
import { keepTidy } from './upkeep.mts';

const STOP_MS = 20_000;

/** Opens the database, the storage and the keys. */
export async function openVault(config: Config): Promise<Vault> {
	const { folder, masterKey, previousMasterKey } = config;
	mkdirSync(folder, { recursive: true, mode: 0o700 });
	ensureMasterKey(config);
	const keys = openMasterKeys({ folder, current: masterKey, previous: previousMasterKey });
	const database = await openDatabase({
		url: config.databaseUrl,
		folder,
		// The next query connects again.
		onError: () => undefined,
	});
	await assertMasterKey(database, (id) => keys.find(id));
	return { keys, database, storage: await openStorage({ url: config.storageUrl, folder }) };
}

/** Starts the service, and says in plain words how to use it. It ends at SIGTERM. */
export async function start(config: Config): Promise<void> {
	const vault = await openVault(config);
	const { user, newKey } = await ensureOwner(vault.database, config);
	const port = config.port === 0 ? await findFreePort() : config.port;
	const publicUrl = config.publicUrl ?? `https://localhost${port === 443 ? '' : `:${port}`}`;
	const { hostname: publicHost } = new URL(publicUrl);
	const { folder, tls } = config;
	const hosts = [publicHost, hostname()];
	const outbox = join(folder, 'outbox');
	const mailer = createMailer({
		...{ smtpUrl: config.smtpUrl, outbox },
		from: config.mailFrom ?? `no-reply@${publicHost}`,
	});
	const certificate =
		tls.mode === 'files'
			? tls
			: tls.mode === 'own'
				? await ensureCertificate({ folder, hosts })
				: undefined;
	const app = await createServer({ config, vault, mailer, publicUrl, certificate });
	const onError = (error: unknown) => app.log.error(error, 'Upkeep failed');
	await listen(async () => await app.listen({ port, host: '::' }), port);
	if (tls.mode === 'own') keepRenewed(app.server as never, { folder, hosts }, onError);
	const stopTidying = keepTidy(vault, { eventsDays: config.eventsDays, onError });

	const lines = [
		['Base URL', publicUrl + API_PATH],
		['API key', describeKey(config, newKey)],
		...(tls.mode === 'own' ? [['CA file', join(folder, 'ca.pem')]] : []),
		['User ID', user.id],
		['Mails', config.smtpUrl === undefined ? outbox : `by ${describeServer(config.smtpUrl)}`],
	];
	const table = lines.map(([label, value]) => `  ${label.padEnd(11)}${value}\n`).join('');
	process.stdout.write(`The service is ready.\n\n${table}\nPress Ctrl+C to stop.\n`);

	const stop = async () => {
		stopTidying();
		setTimeout(() => process.exit(0), STOP_MS).unref();
		await app.close();
		mailer.close();
		await vault.database.destroy();
		process.exit(0);
	};
	process.once('SIGTERM', () => void stop());
	process.once('SIGINT', () => void stop());
}

function describeKey({ apiKey }: Config, newKey: string | undefined): string {
	if (newKey !== undefined) return `${newKey} (shown only now, so keep it)`;
	return apiKey === undefined ? 'as shown at the first start' : 'as set in API_KEY';
}

/** Without the user and the password of the URL. */
function describeServer(url: string): string {
	const { protocol, host } = new URL(url);
	return `${protocol}//${host}`;
}

/** @throws SettingError where the port can't be used */
async function listen(run: () => Promise<unknown>, port: number): Promise<void> {
	try {
		await run();
	} catch (error) {
		const { code } = error as NodeJS.ErrnoException;
		if (code === 'EADDRINUSE') throw new SettingError(`PORT ${port} is already in use.`);
		if (code === 'EACCES')
			throw new SettingError(`PORT ${port} needs more rights than this process has.`);
		throw error;
	}
}

/** For PORT=0: links hold the port, so it must be known before the server listens. */
async function findFreePort(): Promise<number> {
	const socket = createSocket();
	await new Promise<void>((resolve) => socket.listen(0, resolve));
	const { port } = socket.address() as AddressInfo;
	await new Promise((resolve) => socket.close(resolve));
	return port;
}
