import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { useBinaryMode } from '../../../tools/engine/binary.cts';
import { BinaryDataBlobManager, ErrorReporter } from 'n8n-core';
import { container, Logger, requireOfCore } from '../../../tools/engine/host.cts';

interface ObjectStore {
	init(): Promise<void>;
}

/** n8n's own client of an object store. It needs a license in the complete n8n only. */
interface ObjectStorage {
	ObjectStoreService: new (logger: unknown, config: object) => ObjectStore;
}

interface BlobStorage {
	S3ByteStore: new (store: ObjectStore) => ConstructorParameters<typeof BinaryDataBlobManager>[0];
}

interface S3Server {
	run(): Promise<AddressInfo>;
	close(): Promise<void>;
}

/** It has no types. */
const S3rver = createRequire(__filename)(require.resolve('@20minutes/s3rver')) as new (
	options: object,
) => S3Server;

const BUCKET = 'n8n-files';
const KEY = 'S3RVER';

/** From here on, n8n stores files in an object store on this machine. `stop` ends that. */
export async function useObjectStore(): Promise<{ stop(): Promise<void> }> {
	const directory = await mkdtemp(join(tmpdir(), 's3-'));
	const server = new S3rver({
		address: '127.0.0.1',
		port: 0,
		silent: true,
		vhostBuckets: false,
		// It doesn't know the current way to sign.
		allowMismatchedSignatures: true,
		directory,
		configureBuckets: [{ name: BUCKET, configs: [] }],
	});
	const { port } = await server.run();
	const { ObjectStoreService } = requireOfCore('@n8n/blob-storage/object-store') as ObjectStorage;
	const { S3ByteStore } = requireOfCore('@n8n/blob-storage') as BlobStorage;
	const store = new ObjectStoreService(container.get(Logger), {
		host: `127.0.0.1:${port}`,
		protocol: 'http',
		forcePathStyle: true,
		maxAttempts: 1,
		startupTimeoutMs: 10_000,
		bucket: { name: BUCKET, region: 'us-east-1' },
		credentials: { accessKey: KEY, accessSecret: KEY, authAutoDetect: false },
	});
	await store.init();
	const reporter = container.get(ErrorReporter);
	const files = await useBinaryMode('s3');
	files.setManager('s3', new BinaryDataBlobManager(new S3ByteStore(store), reporter));
	return {
		async stop() {
			await useBinaryMode('filesystem');
			await server.close();
			await rm(directory, { recursive: true });
		},
	};
}
