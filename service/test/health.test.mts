import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import LibSql from 'libsql';
import { Client } from 'pg';
import { request } from 'undici';
import { createContainer } from './support/api.mts';
import { describeService, mainFile, startService, usesServers } from './support/service.mts';
import type { Service } from './support/service.mts';

/** The service asks its parts at most once a second, and a timer can be early. */
const KEPT_MS = 1100;
const READY = 'ready\ndatabase: ok\nstorage: ok\nmaster key: ok\n';

async function ask({ origin, api }: Service, path: string, headers: Record<string, string> = {}) {
	const { dispatcher } = api;
	const { statusCode, body } = await request(origin + path, { dispatcher, headers });
	return [statusCode, await body.text()];
}

async function askLater(service: Service) {
	await sleep(KEPT_MS);
	return await ask(service, '/readyz');
}

async function probe(service: Service, path: string, env: Record<string, string> = {}) {
	const { port } = new URL(service.origin);
	const file = join(dirname(mainFile), 'operate/probe.mjs');
	const options = { env: { PORT: port, ...env } };
	return await promisify(execFile)(process.execPath, [file, path], options).then(
		({ stdout }) => ({ code: 0, stdout }),
		({ code, stdout }: { code: number; stdout: string }) => ({ code, stdout }),
	);
}

describeService('/healthz and /readyz', () => {
	let service: Service;
	beforeEach(async () => {
		service = await startService();
	});

	it('say on this machine which parts work, and to others only whether all do', async () => {
		expect(await ask(service, '/healthz')).toEqual([200, 'ok\n']);
		expect(await ask(service, '/readyz')).toEqual([200, READY]);
		for (const header of ['x-forwarded-for', 'forwarded', 'via']) {
			expect(await ask(service, '/readyz', { [header]: 'a' })).toEqual([200, 'ready\n']);
		}
		expect(await probe(service, '/readyz')).toEqual({ code: 0, stdout: READY });
		const addresses = { HOST: '127.0.0.1,::1' };
		expect(await probe(service, '/readyz', addresses)).toEqual({ code: 0, stdout: READY });
	});

	it('answer a monitor that asks with HEAD', async () => {
		const { dispatcher } = service.api;
		for (const path of ['/healthz', '/readyz']) {
			const { statusCode } = await request(service.origin + path, { dispatcher, method: 'HEAD' });
			expect(statusCode).toBe(200);
		}
	});

	it('name a database that does not answer as it should, and the process still lives', async () => {
		const { env } = service.backend ?? {};
		if (env) {
			const client = new Client({ connectionString: env.DATABASE_URL });
			await client.connect();
			await client.query('drop table containers cascade');
			await client.end();
		} else {
			const database = new LibSql(join(service.folder, 'service.db'));
			// The service might be writing.
			database.exec('pragma busy_timeout=10000');
			database.exec('drop table containers');
			database.close();
		}
		const [status, text] = await askLater(service);
		expect([status, text]).toEqual([
			503,
			expect.stringMatching(/^not ready\ndatabase: failed \(\w+\)\nstorage: ok\nmaster key: ok\n$/),
		]);
		expect(await ask(service, '/readyz', { via: 'a' })).toEqual([503, 'not ready\n']);
		expect(await ask(service, '/healthz')).toEqual([200, 'ok\n']);
		expect(await probe(service, '/readyz')).toMatchObject({ code: 1 });
		expect(await probe(service, '/healthz')).toMatchObject({ code: 0 });
	});

	(usesServers ? it : it.skip)(
		'name a database that only reads, and it is well again',
		async () => {
			const client = new Client({ connectionString: service.backend!.env.DATABASE_URL });
			await client.connect();
			const setReadOnly = async (value: string) => {
				const { rows } = await client.query<{ name: string }>('select current_database() as name');
				await client.query('set default_transaction_read_only = off');
				await client.query(
					`alter database ${rows[0].name} set default_transaction_read_only = ${value}`,
				);
				await client.query(
					`select pg_terminate_backend(pid) from pg_stat_activity
					where datname = current_database() and pid <> pg_backend_pid()`,
				);
			};
			await setReadOnly('on');
			expect(await askLater(service)).toEqual([503, expect.stringContaining('database: failed')]);
			await setReadOnly('off');
			expect(await askLater(service)).toEqual([200, READY]);
			await client.end();
		},
	);

	(usesServers ? it.skip : it)(
		'name a database whose file was moved, and nothing is written to it',
		async () => {
			const file = join(service.folder, 'service.db');
			renameSync(file, `${file}-gone`);
			expect(await askLater(service)).toEqual([
				503,
				expect.stringContaining('database: failed (ENOENT)'),
			]);
			await expect(createContainer(service)).rejects.toThrow('503');
			writeFileSync(file, '');
			expect(await askLater(service)).toEqual([503, expect.stringContaining('(ESTALE)')]);
			renameSync(`${file}-gone`, file);
			expect(await askLater(service)).toEqual([200, READY]);
			await createContainer(service);
		},
	);

	(usesServers ? it.skip : it)('know of an outage that began after they were asked', async () => {
		const file = join(service.folder, 'service.db');
		expect(await askLater(service)).toEqual([200, READY]);
		renameSync(file, `${file}-gone`);
		const failed = await service.api.get('/me');
		expect(failed).toMatchObject({ status: 503, headers: { 'retry-after': '10' } });
		renameSync(`${file}-gone`, file);
	});

	it('name a storage that is gone, for a second after it is back', async () => {
		const files = service.backend?.bucket ?? join(service.folder, 'files');
		let asked: number;
		let gone: unknown[];
		let back: unknown[];
		do {
			renameSync(files, `${files}-gone`);
			await sleep(KEPT_MS);
			asked = performance.now();
			gone = await ask(service, '/readyz');
			renameSync(`${files}-gone`, files);
			back = await ask(service, '/readyz');
			// A busy machine can take longer than the second.
		} while (performance.now() - asked > 1000);
		expect(gone).toEqual([503, expect.stringMatching(/\nstorage: failed( \(ENOENT\))?\n/)]);
		expect(back).toEqual(gone);
		expect(await askLater(service)).toEqual([200, READY]);
	});

	(usesServers ? it.skip : it)('name a master key that is gone, or another one', async () => {
		await createContainer(service);
		const key = join(service.folder, 'master.key');
		renameSync(key, `${key}-gone`);
		const failed = [503, READY.replace('ready', 'not ready').replace('key: ok', 'key: failed')];
		expect(await askLater(service)).toEqual(failed);
		writeFileSync(key, randomBytes(32).toString('base64'));
		expect(await askLater(service)).toEqual(failed);
		renameSync(`${key}-gone`, key);
		expect(await askLater(service)).toEqual([200, READY]);
	});
});

describeService('behind a proxy that does TLS, without a header that says so', () => {
	it('only the health is told', async () => {
		const service = await startService({ env: { TLS: 'off' } });
		const plain = { ...service, origin: service.origin.replace('https:', 'http:') };
		expect(await ask(plain, '/readyz')).toEqual([200, READY]);
		expect((await ask(plain, '/style.css'))[0]).toBe(400);
		expect(await probe(service, '/healthz', { TLS: 'off' })).toMatchObject({ code: 0 });
		await service.kill();
		expect(await probe(service, '/healthz', { TLS: 'off' })).toMatchObject({ code: 1 });
	});
});
