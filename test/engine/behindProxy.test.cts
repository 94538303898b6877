import { gzipSync } from 'node:zlib';
import { runNode } from '../support/engine.cts';
import type { Handler } from '../support/proxy.cts';
import { useService } from '../support/service.cts';
import { byId } from './support/operations.cts';

/** The name in its links, by which nothing here can reach it. */
const PUBLIC_NAME = 'https://share.example.invalid';

const service = useService({ PUBLIC_URL: PUBLIC_NAME });

const run = async (parameters: object) =>
	await runNode({ parameters: parameters as never, credentials: service.credentials });

it('a list of 101 entries is read where the service has another public name', async () => {
	for (let index = 0; index < 101; index += 1) {
		await service.addContact(`person-${index}@example.com`);
	}

	const { items, error } = await run({
		...{ resource: 'contact', operation: 'getAll', returnAll: true },
	});

	expect(error).toBeUndefined();
	expect(new Set(items.map(({ json }) => json.email)).size).toBe(101);
	const paths = service.requests
		.map(({ path }) => path)
		.filter((path) => path.includes('contacts'));
	expect(paths).toHaveLength(2);
});

describe('behind a proxy that compresses, and then appends to a strong ETag', () => {
	const compress: Handler = async (request, pass) => {
		const { headers = {}, body = '', ...reply } = await pass();
		const isCompressed = /gzip/.test(String(request.headers['accept-encoding']));
		if (!isCompressed || String(body).length < 500) return { ...reply, headers, body };
		return {
			...reply,
			headers: {
				...headers,
				'content-encoding': 'gzip',
				etag: (headers.etag ?? '').replace(/"$/, '-gzip"'),
			},
			body: gzipSync(body as Buffer),
		};
	};

	it('rules with many recipients are changed', async () => {
		const recipients = Array.from({ length: 30 }, (_, index) => `person-${index}@example.com`);
		const id = await service.addContainer({ rules: { recipients } });
		service.on({ times: Infinity }, compress);

		const { items, error } = await run({
			...{ resource: 'drm', operation: 'update', ...byId(id), rules: { opens: 7 } },
		});

		expect(error).toBeUndefined();
		expect(items).toMatchObject([{ json: { changed: true, opens: 7 } }]);
		expect(await service.getRules(id)).toMatchObject({ recipients, opens: 7 });
		const [change] = service.requests.filter(({ method }) => method === 'PATCH');
		expect(change.headers['if-match']).toMatch(/^"/);
	});
});
