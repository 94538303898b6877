import { Readable } from 'node:stream';
import { FileDownload } from '../../../../../nodes/EncryptedContainers/resources/container/decode/fileDownload';
import type { StoredFile } from '../../../../../nodes/EncryptedContainers/resources/container/decode/storedFiles';
import { errorOf } from '../../../support/client.cts';

it('what is longer than the file is not read to its end', async () => {
	const file: StoredFile = { index: 0, name: 'a', type: 'text/plain', size: 3, sha256: '' };
	let pieces = 0;
	const long = function* () {
		for (; pieces < 100; pieces += 1) yield Buffer.alloc(1_000_000);
	};
	const stored: Buffer[] = [];
	const prepareBinaryData = async (content: AsyncIterable<Buffer>) => {
		for await (const chunk of content) stored.push(chunk);
	};
	const download = new FileDownload({ helpers: { prepareBinaryData } } as never, file);

	const content = Readable.from(long()) as never;
	const error = await errorOf(download.receive(content, () => undefined));

	expect(error).toMatchObject({
		failure: { expected: '3 bytes', received: 'more than 3 bytes' },
	});
	expect(pieces).toBeLessThan(50);
	expect(stored).toEqual([]);
});
