import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
// @ts-expect-error It has no types.
import S3rver from '@20minutes/s3rver';
import { startMailServer, trusting } from '../../service/test/support/recipient.cts';
import { request } from 'undici';
import { getFreePort, waitUntilReady } from '../../tools/processes.cts';
import { createRunFolder, projectRoot } from '../../tools/project.cts';
import { buildService } from '../../tools/service.cts';
import { Api, createForm } from '../../tools/serviceClient.cts';
import { startPostgres } from '../queue/support/backingServices.cts';
import { createComposeFolder, readComposition } from './support/composition.cts';

const BUCKET = 'containers';

async function startBucket(folder: string): Promise<{ port: number; close(): Promise<void> }> {
	mkdirSync(join(folder, BUCKET), { recursive: true });
	const options = { address: '127.0.0.1', port: 0, directory: folder, silent: true };
	const server = new S3rver({ ...options, allowMismatchedSignatures: true });
	const { port } = await server.run();
	return { port, close: async () => await server.close() };
}

/** Caddy as the project sets it up, with an authority of its own: nobody outside can reach this machine. */
function writeCaddyfile(file: string, servicePort: number): void {
	const text = readFileSync(join(projectRoot, 'compose/Caddyfile'), 'utf8');
	const site = text.replace('service:8443', `127.0.0.1:${servicePort}`);
	const here = '{\n\tadmin off\n\tskip_install_trust\n\tauto_https disable_redirects\n}\n';
	writeFileSync(file, here + site);
}

/** Whether the service answers behind the proxy, which makes its certificate a moment after its authority. */
async function isServed(domain: string, ca: string): Promise<boolean> {
	const dispatcher = trusting(ca);
	const answer = request(`https://${domain}/healthz`, { dispatcher });
	const isOk = answer.then(async ({ body }) => (await body.text()) === 'ok\n');
	return await isOk.catch(() => false).finally(async () => await dispatcher.close());
}

/** As docs/service.md says. */
function writeSecrets(folder: string, secrets: Record<string, string>): void {
	mkdirSync(folder);
	for (const [name, text] of Object.entries(secrets))
		writeFileSync(join(folder, name), `${text}\n`);
}

describe('the service of compose.production.yaml', () => {
	const folder = createComposeFolder();
	const stops: Array<() => Promise<unknown>> = [];
	let port: number;
	let domain: string;
	let ca: string;
	let composition: ReturnType<typeof readComposition>;
	beforeAll(async () => {
		await buildService(await createRunFolder('compose'));
		const postgres = await startPostgres();
		const bucket = await startBucket(join(folder, 'buckets'));
		const mails = await startMailServer();
		stops.push(postgres.stop, bucket.close, mails.stop);
		port = await getFreePort();
		domain = `localhost:${await getFreePort()}`;
		const caddyfile = join(folder, 'Caddyfile');
		writeCaddyfile(caddyfile, port);
		const { DB_POSTGRESDB_PORT, DB_POSTGRESDB_USER, DB_POSTGRESDB_PASSWORD } = postgres.env;
		const login = `${DB_POSTGRESDB_USER}:${DB_POSTGRESDB_PASSWORD}`;
		writeSecrets(join(folder, 'secrets'), {
			'master-key': randomBytes(32).toString('base64'),
			'database-url': `postgres://${login}@127.0.0.1:${DB_POSTGRESDB_PORT}/postgres`,
			'smtp-url': mails.url,
			's3-credentials': '[default]\naws_access_key_id = S3RVER\naws_secret_access_key = S3RVER',
		});
		composition = readComposition({
			file: 'compose.production.yaml',
			folder,
			variables: {
				DOMAIN: domain,
				OWNER_EMAIL: 'olivia@example.com',
				MAIL_FROM: 'Example Ltd <share@example.com>',
				STORAGE_URL: `s3://${BUCKET}?endpoint=http://127.0.0.1:${bucket.port}&region=us-east-1`,
			},
			replacements: {
				'/app/service/': `${join(projectRoot, 'service')}/`,
				'172.30.63.0/24': '127.0.0.1, ::1, ::ffff:127.0.0.1',
			},
			stands: {
				'encrypted-containers-service': {
					command: ['node', '/app/service/dist/main.mjs'],
					env: { NODE_ENV: 'production', DATA_DIR: join(folder, 'data'), PORT: String(port) },
				},
				caddy: {
					command: ['caddy', 'run', '--config', caddyfile, '--adapter', 'caddyfile'],
					env: { XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
				},
			},
		});
		const caddy = await composition.up('proxy');
		const authority = join(folder, 'caddy/pki/authorities/local/root.crt');
		await waitUntilReady(caddy!, async () => {
			if (!existsSync(authority)) return false;
			ca = readFileSync(authority, 'utf8');
			return await isServed(domain, ca);
		});
	});
	afterAll(async () => {
		await composition?.down();
		for (const stop of stops) await stop();
	});

	it('encrypts into the bucket behind the proxy, with no key in its data folder', async () => {
		const log = composition.readLog('service');
		const [, apiKey] = /API key +(ec_\S+)/.exec(log) ?? [];
		const [, userId] = /User ID +(\S+)/.exec(log) ?? [];
		const api = new Api({ baseUrl: `https://${domain}/api/v1`, apiKey, ca });
		const body = createForm({ name: 'Report' });
		const path = `/users/${userId}/containers/encode`;
		const created = await api.expect<{ container: { url: string } }>('POST', path, { body });
		const { url } = created.container;
		expect(url.startsWith(`https://${domain}/c/`)).toBe(true);
		const page = await request(url, { dispatcher: api.dispatcher });
		expect(await page.body.text()).toContain('Email address');
		const stored = readdirSync(join(folder, 'buckets', BUCKET));
		expect(stored.filter((name) => !name.startsWith('.'))).not.toEqual([]);
		for (const name of ['master.key', 'service.db', 'files', 'ca.key']) {
			expect(existsSync(join(folder, 'data', name))).toBe(false);
		}
		const withoutProxy = new Api({ baseUrl: `http://127.0.0.1:${port}/api/v1`, apiKey, ca: '' });
		expect((await withoutProxy.send('GET', '/me')).status).toBe(400);
	});
});
