import { startTestEnvironment, type TestEnvironment } from './support/testEnvironment.cts';
import { containerById } from './support/nodes.cts';

describe('getting records, in the real n8n', () => {
	let e2e: TestEnvironment;
	beforeAll(async () => {
		e2e = await startTestEnvironment();
	});
	beforeEach(() => e2e.sandbox.reset());
	afterAll(async () => await e2e?.stop());

	it('gets a container by its id', async () => {
		const { uuid } = e2e.sandbox.addContainer({ name: 'Contract' });

		const execution = await e2e.runWorkflow([
			e2e.node('Get', { resource: 'container', operation: 'get', ...containerById(uuid) }),
		]);

		expect(execution.error).toBeUndefined();
		expect(execution.json('Get')).toHaveLength(1);
		expect(JSON.stringify(execution.json('Get')[0])).toContain('Contract');
		expect(e2e.sandbox.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
			`GET /api/v1/containers/${uuid}`,
		]);
	});

	it('names a container that does not exist', async () => {
		const id = 'b7a1f1b0-3f0e-4b57-9d5b-3a1f3f1f6a10';

		const execution = await e2e.runWorkflow([
			e2e.node('Get', { resource: 'container', operation: 'get', ...containerById(id) }),
		]);

		expect(execution.status).toBe('error');
		expect(`${execution.error?.message} ${execution.error?.description}`).toContain(id);
	});

	it('gets the user of the API key', async () => {
		const execution = await e2e.runWorkflow([
			e2e.node('Me', { resource: 'user', operation: 'getMe' }),
		]);

		expect(execution.error).toBeUndefined();
		expect(execution.json('Me')).toEqual([
			expect.objectContaining({ id: e2e.sandbox.user.id, email: e2e.sandbox.user.email }),
		]);
		expect(e2e.sandbox.requests[0].headers.authorization).toBe(`Bearer ${e2e.sandbox.apiKey}`);
	});
});
