import { randomBytes } from 'node:crypto';
import { appendFile, rm, truncate } from 'node:fs/promises';
import { uploadEnvironment, expectAllClosed, pathOf, storedFile } from '../../support/uploads.cts';

const environment = uploadEnvironment();
const { encode, uploads } = environment;

describe('a stored file', () => {
	it('that is missing is named, and nothing is sent', async () => {
		const file = await storedFile(Buffer.from('x'), 'gone.pdf');
		const path = await pathOf(file);
		await rm(path);
		await rm(`${path}.metadata`, { force: true });

		const { error } = await encode({ data: { ...file, bytes: undefined } });

		expect(error?.message).toMatch(/The file "gone\.pdf" is no longer available .*\[item 0\]/);
		expect(uploads()).toEqual([]);
	});

	it('that disappears before it is read is named, and no container is created', async () => {
		const file = await storedFile(randomBytes(1000), 'gone.pdf');
		await rm(await pathOf(file));

		const { error } = await encode({ data: file });

		expect(error?.message).toMatch(/The file "gone\.pdf" is no longer available/);
		expect(error?.description).toBe(
			'It might have been deleted with the execution that created it. Run the workflow from the node that provides the file.',
		);
		expect(environment.sandbox.state.containers.size).toBe(0);
	});

	it.each<[string, (path: string) => Promise<void>]>([
		['shorter', async (path) => await truncate(path, 5_000)],
		['longer', async (path) => await appendFile(path, 'more')],
	])('that became %s is named, and no container is created', async (_how, change) => {
		const file = await storedFile(randomBytes(10_000), 'changed.pdf');
		await change(await pathOf(file));

		const { error } = await encode({ data: file });

		expect(error?.message).toMatch(/"changed\.pdf" doesn't have the size that n8n stored/);
		expect(error?.description).toBe(
			'The file changed during the upload. Run the workflow from the node that provides the file.',
		);
		expect(environment.sandbox.state.containers.size).toBe(0);
	});
});

describe('an upload that fails', () => {
	const large = async () => ({ data: await storedFile(randomBytes(4_000_000), 'large.pdf') });

	it.each([
		['on the same origin', (): string => `${environment.sandbox.origin}/elsewhere`],
		['on another origin', (): string => 'https://elsewhere.example.com/login'],
	])('follows no redirect %s, and closes its file', async (_where, location) => {
		environment.sandbox.faults.add({
			kind: 'redirect',
			location: location(),
			status: 307,
			method: 'POST',
		});

		const { error } = await encode(await large());

		expect(error?.message).toMatch(/redirected the request to another URL/);
		expect(error?.description).toContain(location());
		expect(environment.sandbox.requests.filter(({ method }) => method === 'POST')).toHaveLength(1);
		await expectAllClosed();
	});

	it('closes its file when the connection breaks, and states the size of the upload', async () => {
		environment.sandbox.faults.add({ kind: 'reset', afterBytes: 100_000, method: 'POST' });

		const { error } = await encode(await large());

		expect(error?.message).toMatch(/closed the connection during the upload \(4\.0 MB in total\)/);
		expect(error?.description).toMatch(/might have been created: look for "Invoice"/);
		await expectAllClosed();
	});

	it('closes its file when the service stops reading', async () => {
		environment.sandbox.settings.maxBodyBytes = 1_000_000;

		const { error } = await encode(await large());

		expect(error?.message).toMatch(/larger than the service accepts|closed the connection/);
		expect(error?.message).toContain('4.0 MB in total');
		await expectAllClosed();
	});

	it('stops immediately when it is cancelled, and closes its file', async () => {
		environment.sandbox.faults.add({ kind: 'never', method: 'POST', when: 'arrival' });

		const { status } = await encode(await large(), {}, {}, { cancelAfterMs: 300 });

		expect(status).toBe('canceled');
		await expectAllClosed();
	}, 20_000);

	it('closes all files when many uploads are cancelled while they wait', async () => {
		environment.sandbox.faults.add({
			kind: 'never',
			method: 'POST',
			when: 'arrival',
			times: Infinity,
		});
		const items = await Promise.all(
			Array.from({ length: 20 }, async () => ({ json: {}, binary: await large() })),
		);

		const { status } = await encode(
			undefined,
			{},
			{ maxConcurrent: 3 },
			{ items, cancelAfterMs: 500 },
		);

		expect(status).toBe('canceled');
		expect(uploads().length).toBeLessThanOrEqual(3);
		await expectAllClosed();
	}, 30_000);
});
