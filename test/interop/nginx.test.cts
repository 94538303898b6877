import { createHash, randomBytes } from 'node:crypto';
import type { INodeParameters } from 'n8n-workflow';
import { runNode, storeBinary } from '../support/engine.cts';
import { hasNginx, MAX_BODY, startBehindNginx } from './support/nginx.cts';

const suite = hasNginx ? describe : describe.skip;
const missing = hasNginx ? '' : ' (nginx is missing)';

const encode: INodeParameters = {
	resource: 'container',
	operation: 'encode',
	name: 'Invoice 2026-0042',
	recipients: 'anna@example.com',
};

suite.each([true, false])(
	`the service behind nginx, which buffers: %s${missing}`,
	(isBuffering) => {
		let nginx: Awaited<ReturnType<typeof startBehindNginx>>;
		beforeAll(async () => (nginx = await startBehindNginx(isBuffering)), 120_000);
		beforeEach(async () => await nginx.service.clear());
		afterAll(async () => await nginx?.stop());

		const run = async (parameters: INodeParameters, content?: Buffer) => {
			const details = { fileName: 'Übersicht 2026.pdf', mimeType: 'application/pdf' };
			const binary = content && { data: await storeBinary(content, details) };
			const { credentials } = nginx;
			return await runNode({ parameters, items: [{ json: {}, binary }], credentials });
		};

		it('receives a file of 5 MB whole, once', async () => {
			const content = randomBytes(5_000_000);

			const { error } = await run(encode, content);

			expect(error).toBeUndefined();
			const sha256 = createHash('sha256').update(content).digest('hex');
			expect(await nginx.service.getContainers()).toMatchObject([
				{ name: encode.name, files: [{ name: 'Übersicht 2026.pdf', sha256 }] },
			]);
		});

		it('reports that nginx refuses a body as too large', async () => {
			const { error } = await run(encode, randomBytes(MAX_BODY + 4_000_000));

			expect(error).toMatchObject({ httpCode: '413' });
			expect(error?.description).not.toMatch(/might have been created/);
			expect(await nginx.service.getContainers()).toEqual([]);
		});

		it('lists all pages, whose links lead through nginx', async () => {
			for (let index = 0; index < 101; index += 1) {
				await nginx.service.addContact(`person-${index}@example.com`);
			}

			const { items } = await run({ resource: 'contact', operation: 'getAll', returnAll: true });

			expect(items).toHaveLength(101);
		});

		it('changes rules while the service restarts, when nginx answers with 502', async () => {
			const id = await nginx.service.addContainer();
			const containerId = { __rl: true, mode: 'id', value: id };
			const update = { resource: 'drm', operation: 'update', containerId, rules: { opens: 7 } };
			let running: ReturnType<typeof run> | undefined;

			await nginx.service.restart(async () => {
				running = run({ ...update, options: { maxRetries: 5 } });
				await new Promise((resolve) => setTimeout(resolve, 500));
			});

			expect((await running)?.error).toBeUndefined();
			expect(await nginx.service.getRules(id)).toMatchObject({ opens: 7 });
		}, 60_000);
	},
);
