import fastify from 'fastify';
import { registerApi } from '../../src/api/routes.mts';

describe('an operation of the contract', () => {
	const register = async (operationId: string, url: string) => {
		const operations = [{ operationId, method: 'GET', url, checkQuery: () => ({}) }];
		const options = { vault: {}, operations, requestsPerMinute: 1 };
		await registerApi(fastify(), options as never);
	};

	it('that nothing handles keeps the service from starting', async () => {
		await expect(register('getPlans', '/plans')).rejects.toThrow('getPlans has no handler');
		await expect(register('toString', '/plans')).rejects.toThrow('toString has no handler');
	});

	it('whose path names nothing of what its handler needs keeps the service from starting', async () => {
		const wrong = register('getContainer', '/users/:user_id/container');
		await expect(wrong).rejects.toThrow('The path of getContainer has no container_id');
		await register('getContainer', '/containers/:container_id');
	});
});
