import { createHash, randomBytes } from 'node:crypto';
import type { INodeParameters } from 'n8n-workflow';
import { runNode, storeBinary } from '../support/engine.cts';
import { findMissing, MAX_BODY, startBehindNginx } from './support/servers.cts';

const ENCODE: INodeParameters = {
	resource: 'container',
	operation: 'encode',
	name: 'Invoice 2026-0042',
	recipients: 'anna@example.com, *@example.org',
};

const suite = findMissing(['nginx']).length > 0 ? describe.skip : describe;

suite('the service behind nginx', () => {
	let service: Awaited<ReturnType<typeof startBehindNginx>>;
	beforeAll(async () => (service = await startBehindNginx()), 120_000);
	beforeEach(() => service.sandbox.reset());
	afterAll(async () => await service?.stop());

	const run = async (parameters: INodeParameters, content?: Buffer) => {
		const { baseUrl, sandbox } = service;
		const details = { fileName: 'Übersicht 2026.pdf', mimeType: 'application/pdf' };
		const binary =
			content === undefined ? {} : { binary: { data: await storeBinary(content, details) } };
		return await runNode({
			parameters,
			items: [{ json: {}, ...binary }],
			credentials: { baseUrl, apiKey: sandbox.apiKey },
		});
	};
	const created = () => [...service.sandbox.state.containers.values()];
	const posts = () => service.sandbox.requests.filter(({ method }) => method === 'POST');

	it('receives a file of 5 MB whole, once', async () => {
		const content = randomBytes(5_000_000);

		const { error } = await run(ENCODE, content);

		expect(error).toBeUndefined();
		expect(posts()).toHaveLength(1);
		const sha256 = createHash('sha256').update(content).digest('hex');
		expect(created()).toMatchObject([
			{ name: ENCODE.name, files: [{ name: 'Übersicht 2026.pdf', sha256 }] },
		]);
	});

	it('reports the refusal of a body above the limit of the proxy as such', async () => {
		const { error } = await run(ENCODE, randomBytes(MAX_BODY + 4_000_000));

		expect(error).toMatchObject({ httpCode: '413' });
		expect(error?.description).not.toMatch(/might have been created/);
		expect(created()).toEqual([]);
	});

	it('says that the outcome is unknown when the proxy stops waiting, and sends nothing twice', async () => {
		service.sandbox.faults.add({ kind: 'never', method: 'POST' });

		const { error } = await run({ ...ENCODE, fileSource: 'text', textContent: 'confidential' });

		expect(error?.httpCode).toMatch(/^50[234]$/);
		expect(error?.description).toMatch(/might have been created/);
		expect(posts()).toHaveLength(1);
	});
});
