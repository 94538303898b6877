import { describeService, startService, type Service } from '../support/service.mts';

describeService('GET /me', () => {
	let service: Service;

	beforeAll(async () => {
		service = await startService({ env: { OWNER_EMAIL: 'olive@example.com' } });
	});

	it('returns the user of the key, and what the service can do', async () => {
		const { status, body } = await service.api.get('/me');
		expect(status).toBe(200);
		expect(body).toMatchObject({
			id: service.userId,
			role: 'admin',
			email: 'olive@example.com',
			created_date: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
			features: expect.arrayContaining(['etag', 'idempotency_key', 'events']),
		});
	});
});
