import { createHash, randomBytes } from 'node:crypto';
import type { INodeParameters } from 'n8n-workflow';
import { runNode, storeBinary } from '../support/engine.cts';
import { MAX_BODY, proxies } from './support/proxies.cts';
import { findMissing } from './support/stacks.cts';
import { startProxy, type RunningProxy } from './support/startProxy.cts';

const ENCODE: INodeParameters = {
	resource: 'container',
	operation: 'encode',
	name: 'Invoice 2026-0042',
	recipients: 'anna@example.com, *@example.org',
};
const BODY: INodeParameters = { dataToSend: 'json', bodyJson: '{"name":"Zoë"}' };
const TEXT: INodeParameters = { ...ENCODE, fileSource: 'text', textContent: 'confidential' };

for (const proxy of proxies) {
	const missing = findMissing(proxy);
	const suite = missing.length > 0 ? describe.skip : describe;
	const title = missing.length > 0 ? `${proxy.name} (missing: ${missing.join(', ')})` : proxy.name;

	suite(`the service behind ${title}`, () => {
		let service: RunningProxy;
		beforeAll(async () => (service = await startProxy(proxy)), 120_000);
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
			expect(created()).toEqual([
				expect.objectContaining({
					name: ENCODE.name,
					files: [
						expect.objectContaining({
							name: 'Übersicht 2026.pdf',
							sha256: createHash('sha256').update(content).digest('hex'),
						}),
					],
				}),
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

			const { error } = await run(TEXT);

			expect(error?.httpCode).toMatch(/^50[234]$/);
			expect(error?.description).toMatch(/might have been created/);
			expect(posts()).toHaveLength(1);
		});

		it('waits as long as the service asks, and sends the file again', async () => {
			const headers = { 'retry-after': '1' };
			service.sandbox.faults.add({ kind: 'status', status: 429, headers, method: 'POST' });

			const { error } = await run(ENCODE, randomBytes(100_000));

			expect(error).toBeUndefined();
			expect(posts()).toHaveLength(2);
			expect(created()).toHaveLength(1);
		});

		if (proxy.refusedEmail !== undefined) {
			it('names the firewall that can refuse a request, and sends it once', async () => {
				const email = proxy.refusedEmail;
				const { error } = await run({ resource: 'contact', operation: 'upsert', email, ...BODY });

				expect(error).toMatchObject({
					httpCode: '403',
					description: expect.stringContaining('A firewall in front of the service') as string,
				});
				expect(service.sandbox.state.contacts.size).toBe(0);
			});
		}

		it('passes on reads, changes and deletions', async () => {
			const email = 'zoe+news@example.org';
			const { uuid } = service.sandbox.addContainer({ name: 'Offer' });
			const containerId = { __rl: true, mode: 'id', value: uuid };
			const contactEmail = { __rl: true, mode: 'email', value: email };

			const results = [
				await run({ resource: 'container', operation: 'get', containerId }),
				await run({
					resource: 'contact',
					operation: 'upsert',
					email,
					...BODY,
				}),
				await run({ resource: 'contact', operation: 'get', contactEmail }),
				await run({ resource: 'container', operation: 'delete', containerId }),
			];

			expect(results.map(({ error }) => error?.message)).toEqual(results.map(() => undefined));
			expect(results[2].items[0].json).toMatchObject({ email, name: 'Zoë' });
			expect(service.sandbox.state.containers.size).toBe(0);
		});
	});
}
