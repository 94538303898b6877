#!/usr/bin/env node
import { hostname } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import getPort from 'get-port';
import { COMMANDS_HELP, runCommand } from './commands.mts';
import { readConfig, SettingError, type Config } from './config.mts';
import { createMailer } from './mail/mailer.mts';
import { ensureOwner, keepTidy, openVault } from './openVault.mts';
import { API_PATH, createServer } from './server.mts';
import { ensureCertificate, keepRenewed } from './tls.mts';

const HELP = `Encrypts files into containers, and decides at each opening who can open them.

  service                        Start the service
${COMMANDS_HELP}
Options, which are also settings of the environment (service/README.md lists all settings):

  --data <folder>      DATA_DIR      Where everything is stored. Default: ./data
  --port <number>      PORT          Default: 8443
  --public-url <url>   PUBLIC_URL    Where recipients reach it. Default: https://localhost:<port>
  --owner <email>      OWNER_EMAIL   The first user. Default: owner@localhost
`;

const [flag, text] = [{ type: 'boolean' }, { type: 'string' }] as const;
const FLAGS = { admin: flag, help: flag, data: text, port: text, 'public-url': text, owner: text };

const STOP_MS = 20_000;

async function main(): Promise<void> {
	const { values, positionals } = parseArgs({ options: FLAGS, allowPositionals: true });
	if (values.help) return void process.stdout.write(HELP);
	const { data: DATA_DIR, port: PORT, 'public-url': PUBLIC_URL, owner: OWNER_EMAIL } = values;
	const settings = { DATA_DIR, PORT, PUBLIC_URL, OWNER_EMAIL };
	const given = Object.entries(settings).filter(([, value]) => value !== undefined);
	const config = readConfig({ ...process.env, ...Object.fromEntries(given) });
	if (positionals.length === 0) return await start(config);
	process.exitCode = await runCommand(config, positionals, values.admin ? 'admin' : 'user');
}

async function start(config: Config): Promise<void> {
	const { folder, smtpUrl, apiKey } = config;
	const vault = await openVault(config);
	const { user, newKey } = await ensureOwner(vault, config);
	// Links hold the port, so it is known before the server listens.
	const port = config.port || (await getPort());
	const publicUrl = config.publicUrl ?? `https://localhost:${port}`;
	const host = new URL(publicUrl).hostname;
	const outbox = join(folder, 'outbox');
	const mailer = createMailer({ smtpUrl, outbox, from: config.mailFrom ?? `no-reply@${host}` });
	const hasOwnAuthority = !config.isTlsOff && !config.certificate;
	const own = { folder, hosts: [host, hostname()] };
	const certificate = hasOwnAuthority ? await ensureCertificate(own) : config.certificate;
	const app = await createServer({ ...config, vault, mailer, publicUrl, certificate });
	const onError = (error: unknown) => app.log.error(error, 'Upkeep failed');
	await app.listen({ port, host: '::' }).catch(({ code }: NodeJS.ErrnoException) => {
		throw new SettingError(`PORT ${port} can't be used (${code}).`);
	});
	if (hasOwnAuthority) keepRenewed(app.server as never, own, onError);
	keepTidy(vault, config, onError);

	const knownKey = apiKey ? 'as set in API_KEY' : 'as shown at the first start';
	const smtp = smtpUrl ? new URL(smtpUrl) : undefined;
	const lines = [
		['Base URL', publicUrl + API_PATH],
		['API key', newKey ? `${newKey} (shown only now, so keep it)` : knownKey],
		...(hasOwnAuthority ? [['CA file', join(folder, 'ca.pem')]] : []),
		['User ID', user.id],
		['Mails', smtp ? `by ${smtp.protocol}//${smtp.host}` : outbox],
	];
	const table = lines.map(([label, value]) => `  ${label.padEnd(11)}${value}\n`).join('');
	process.stdout.write(`The service is ready.\n\n${table}\nPress Ctrl+C to stop.\n`);

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

main().catch((error: NodeJS.ErrnoException) => {
	const isMistake = error instanceof SettingError || error.code?.startsWith('ERR_PARSE_ARGS');
	process.stderr.write(`${isMistake ? error.message : error.stack}\n`);
	process.exit(isMistake ? 2 : 1);
});
