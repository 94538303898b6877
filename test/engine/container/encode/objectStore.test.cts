import { createHash, randomBytes } from 'node:crypto';
import { startSandbox, type Sandbox } from '../../../../sandbox/index.cts';
import { runNode, storeBinary } from '../../../support/engine.cts';
import { trustCertificateAuthority } from '../../../../tools/engine/trust.cts';
import { useObjectStore } from '../../support/objectStore.cts';

let objectStore: { stop(): Promise<void> };
let sandbox: Sandbox;
let untrust: () => void;
beforeAll(async () => {
	objectStore = await useObjectStore();
	sandbox = await startSandbox();
	untrust = trustCertificateAuthority(sandbox.ca);
});
beforeEach(() => sandbox.reset());
afterAll(async () => {
	untrust();
	await sandbox.stop();
	await objectStore.stop();
});

const MB = 1024 * 1024;
const encode = async (binary: Awaited<ReturnType<typeof storeBinary>>[]) =>
	await runNode({
		items: binary.map((data) => ({ json: {}, binary: { data } })),
		parameters: {
			resource: 'container',
			operation: 'encode',
			name: 'Invoice',
			recipients: 'anna@example.com',
			options: { maxRetries: 1, includeFileDigests: true },
		},
		credentials: { baseUrl: sandbox.url, apiKey: sandbox.apiKey },
	});
const received = () =>
	sandbox.requests
		.flatMap(({ parts = [] }) => parts)
		.filter(({ name }) => name === 'file')
		.map(({ filename, type, size, sha256 }) => ({ filename, type, size, sha256 }));
const pdf = (fileName: string) => ({ fileName, mimeType: 'application/pdf' });
const factsOf = (content: Buffer, filename: string) => ({
	filename,
	type: 'application/pdf',
	size: content.length,
	sha256: createHash('sha256').update(content).digest('hex'),
});

describe('files in an object store (binary data mode s3)', () => {
	it('arrive byte for byte, with their name and type', async () => {
		const [small, large, empty] = [randomBytes(1), randomBytes(50 * MB), Buffer.alloc(0)];
		const files = [
			await storeBinary(small, pdf('Größe.pdf')),
			await storeBinary(large, pdf('drawings.pdf')),
			await storeBinary(empty, pdf('empty.pdf')),
		];
		expect(files.map(({ id }) => id?.split(':')[0])).toEqual(['s3', 's3', 's3']);

		const { error, items } = await encode(files);

		expect(error).toBeUndefined();
		expect(items).toHaveLength(3);
		const sent = [
			factsOf(small, 'Größe.pdf'),
			factsOf(large, 'drawings.pdf'),
			factsOf(empty, 'empty.pdf'),
		];
		expect(received()).toEqual(expect.arrayContaining(sent));
		expect(received()).toHaveLength(3);
	}, 120_000);

	it('are read again when the upload is sent again', async () => {
		const content = randomBytes(3 * MB);
		const file = await storeBinary(content, pdf('a.pdf'));
		sandbox.faults.add({ kind: 'status', status: 429, method: 'POST' });

		const { error } = await encode([file]);

		expect(error).toBeUndefined();
		expect(received()).toEqual([factsOf(content, 'a.pdf'), factsOf(content, 'a.pdf')]);
		expect(sandbox.state.containersOf(sandbox.user.id)).toHaveLength(1);
	}, 60_000);

	it('are an error, and no container, when the store has lost them', async () => {
		const file = await storeBinary(randomBytes(10), pdf('lost.pdf'));
		const lost = { ...file, id: file.id?.replace(/[^/]+$/, 'another') };

		const { error } = await encode([lost]);

		expect(error?.message).toContain('"lost.pdf" is no longer available');
		expect(sandbox.state.containersOf(sandbox.user.id)).toEqual([]);
	});
});
