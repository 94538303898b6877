import { Readable } from 'node:stream';
import type { S3Client } from '@aws-sdk/client-s3';
import { MissingFileError, type Storage } from './storage.mts';

/** A server that hangs is an error. The SDK tries three times. */
const TIMEOUTS = { connectionTimeout: 5000, requestTimeout: 15_000, throwOnRequestTimeout: true };

/** Of an object that is missing, or that ends before the range. */
const MISSING = ['NoSuchKey', 'InvalidRange'];

/** @param url `s3://bucket/prefix?endpoint=…&region=…`; the keys come from the environment, as AWS names them */
export async function openS3Storage(url: string): Promise<Storage> {
	const { hostname: Bucket, pathname } = new URL(url);
	const prefix = pathname.replace(/^\/|\/$/g, '').replace(/.$/, '$&/');
	const { sdk, Upload, client } = await connect(url);
	// A wrong bucket or key is said at the start.
	await client.send(new sdk.ListObjectsV2Command({ Bucket }));
	const at = (name: string) => ({ Bucket, Key: prefix + name });
	return {
		async write(name, content) {
			const Body = Readable.from(content, { objectMode: false });
			// What broke the content off is the reason of all that follows.
			const fail = (error: Error) => Promise.reject(Body.errored ?? error);
			await new Upload({ client, params: { ...at(name), Body }, queueSize: 2 }).done().catch(fail);
		},
		async read(name, { start, end }) {
			const Range = `bytes=${start}-${end - 1}`;
			const command = new sdk.GetObjectCommand({ ...at(name), Range });
			const { Body } = await client.send(command).catch((error: Error) => {
				throw MISSING.includes(error.name) ? new MissingFileError(name, error) : error;
			});
			return Body as AsyncIterable<Buffer>;
		},
		async remove(name) {
			await client.send(new sdk.DeleteObjectCommand(at(name)));
		},
		async check() {
			await client.send(new sdk.HeadBucketCommand({ Bucket }));
		},
		getFreeBytes: async () => await Promise.resolve(Infinity),
		async *list() {
			const pages = sdk.paginateListObjectsV2({ client }, { Bucket, Prefix: prefix });
			for await (const { Contents = [] } of pages) {
				for (const { Key = '', Size: size = 0, LastModified: modified = new Date() } of Contents) {
					yield { name: Key.slice(prefix.length), size, modified };
				}
			}
		},
	};
}

/** The SDK is loaded only where it is needed: idle memory and the time to start depend on it. */
async function connect(url: string) {
	// It warns of Node.js 20 at each start.
	process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED = 'true';
	const sdk = await import('@aws-sdk/client-s3');
	const { Upload } = await import('@aws-sdk/lib-storage');
	const { searchParams } = new URL(url);
	const endpoint = searchParams.get('endpoint') ?? undefined;
	const client: S3Client = new sdk.S3Client({
		endpoint,
		requestHandler: TIMEOUTS,
		region: searchParams.get('region') ?? undefined,
		// Servers other than AWS often have no host name for each bucket, and no newer checksums.
		forcePathStyle: endpoint !== undefined,
		requestChecksumCalculation: 'WHEN_REQUIRED',
		responseChecksumValidation: 'WHEN_REQUIRED',
	});
	return { sdk, Upload, client };
}
