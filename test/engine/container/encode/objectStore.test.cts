import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BinaryDataBlobManager, ErrorReporter } from 'n8n-core';
import { useBinaryMode } from '../../../../tools/engine/binary.cts';
import { container, Logger, requireOfCore } from '../../../../tools/engine/host.cts';
import { tooManyRequests } from '../../../support/proxy.cts';
import { base, filesOf, sha256, storedFile, uploadEnvironment } from '../../support/uploads.cts';

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
async function useObjectStore(): Promise<{ stop(): Promise<void> }> {
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

const environment = uploadEnvironment();
const { run, uploads } = environment;

let objectStore: { stop(): Promise<void> };
beforeAll(async () => {
	objectStore = await useObjectStore();
});
afterAll(async () => await objectStore.stop());

const MB = 1024 * 1024;
const encode = async (...files: Array<Awaited<ReturnType<typeof storedFile>>>) =>
	await run(
		{ ...base, options: { maxRetries: 1 } },
		{ items: files.map((data) => ({ json: {}, binary: { data } })) },
	);
const received = () =>
	uploads()
		.flatMap(filesOf)
		.map(({ filename, type, size, sha256: hash }) => ({ filename, type, size, hash }));
const factsOf = (content: Buffer, filename: string) => ({
	filename,
	type: 'application/pdf',
	size: content.length,
	hash: sha256(content),
});

describe('files in an object store (binary data mode s3)', () => {
	it('arrive byte for byte, with their name and type', async () => {
		const contents = [randomBytes(1), randomBytes(50 * MB), Buffer.alloc(0)];
		const names = ['Größe.pdf', 'drawings.pdf', 'empty.pdf'];
		const files = await Promise.all(
			contents.map(async (content, index) => await storedFile(content, names[index])),
		);
		expect(files.map(({ id }) => id?.split(':')[0])).toEqual(['s3', 's3', 's3']);

		const { error } = await encode(...files);

		expect(error).toBeUndefined();
		const sent = contents.map((content, index) => factsOf(content, names[index]));
		expect(received()).toEqual(expect.arrayContaining(sent));
		expect(received()).toHaveLength(3);
	}, 120_000);

	it('are read again when the upload is sent again', async () => {
		const content = randomBytes(3 * MB);
		environment.service.on({ method: 'POST' }, tooManyRequests);

		const { error } = await encode(await storedFile(content, 'a.pdf'));

		expect(error).toBeUndefined();
		expect(received()).toEqual([factsOf(content, 'a.pdf'), factsOf(content, 'a.pdf')]);
	}, 60_000);

	it('are an error, and no container, when the store has lost them', async () => {
		const file = await storedFile(randomBytes(10), 'lost.pdf');

		const { error } = await encode({ ...file, id: file.id?.replace(/[^/]+$/, 'another') });

		expect(error?.message).toContain('"lost.pdf" is no longer available');
		expect(await environment.service.getContainers()).toEqual([]);
	});
});
