import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
// @ts-expect-error It has no types.
import S3rver from '@20minutes/s3rver';
import { createHandover } from '../../../test/e2e/support/globalSetup.cts';
import { createCertificate } from '../../../test/support/certificate.cts';
import { startPostgres } from '../../../test/queue/support/backingServices.cts';

/** The servers that all services of the project `service-servers` use. */
export const servers = createHandover<{
	/** Of the PostgreSQL server, without the name of a database. */
	databaseServer: string;
	storagePort: number;
	/** Each folder in it is a bucket. */
	storageFolder: string;
	masterKey: string;
	tlsCert: string;
	tlsKey: string;
}>('SERVICE_SERVERS');

const stops: Array<() => Promise<void>> = [];

/** Starts PostgreSQL and an S3 server, and creates a certificate for `localhost`. */
export default async function globalSetup(): Promise<void> {
	if (process.platform === 'win32') return;
	const folder = await mkdtemp(join(tmpdir(), 'service-servers-'));
	stops.push(async () => await rm(folder, { recursive: true, force: true }));
	const postgres = await startPostgres();
	stops.push(async () => await postgres.stop());
	const { DB_POSTGRESDB_PORT: port, DB_POSTGRESDB_USER: user } = postgres.env;
	const storageFolder = join(folder, 'storage');
	const options = { address: '127.0.0.1', port: 0, directory: storageFolder, silent: true };
	// It expects another signature of a list than AWS does, and its client.
	const s3rver = new S3rver({ ...options, allowMismatchedSignatures: true });
	const { port: storagePort } = await s3rver.run();
	stops.push(async () => await s3rver.close());
	const { ca, key, cert } = await createCertificate();
	const files = { tlsCert: join(folder, 'cert.pem'), tlsKey: join(folder, 'key.pem') };
	// Who trusts all of the file trusts the authority, too.
	await writeFile(files.tlsCert, cert + ca);
	await writeFile(files.tlsKey, key);
	servers.write({
		databaseServer: `postgres://${user}:${postgres.env.DB_POSTGRESDB_PASSWORD}@127.0.0.1:${port}`,
		storagePort,
		storageFolder,
		masterKey: randomBytes(32).toString('base64'),
		...files,
	});
}

/** The global teardown runs in the same process. */
export async function stopServers(): Promise<void> {
	for (const stop of stops.reverse()) await stop();
}
