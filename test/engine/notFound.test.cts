import type { INodeParameters } from 'n8n-workflow';
import { runNode } from '../support/engine.cts';
import { mockService } from '../support/nock.cts';
import { pollingsOf } from './support/polling.cts';
import { contactEmail, containerId, newService, sequential } from './support/operations.cts';

const service = mockService();

const run = async (parameters: INodeParameters, options: INodeParameters = {}) =>
	await runNode({
		parameters: { ...parameters, options: { ...sequential, ...options } },
		credentials: newService(),
	});
const NOT_FOUND = { message: 'No such thing' };

describe('a user who was not found', () => {
	it.each(['container', 'contact'])(
		'is named where a list of theirs is fetched: %s',
		async (resource) => {
			service.get(`/users/u-42/${resource}s`).reply(404, NOT_FOUND);

			const { error } = await run({ resource, operation: 'getAll' }, { userId: 'u-42' });

			expect(error?.message).toBe('User "u-42" was not found [item 0]');
			expect(error?.description).toBe(
				'Check Options > User ID. Message from the service: No such thing.',
			);
		},
	);

	it('is named by the trigger', async () => {
		service.get('/users/u-42/containers').reply(404, NOT_FOUND);

		const { error } = await pollingsOf(service)('containerCreated', {
			options: { userId: 'u-42', maxRetries: 0 },
		}).poll({});

		expect(error?.message).toBe('User "u-42" was not found');
	});

	it('is suggested as the reason where a contact was not found', async () => {
		service.get('/users/u-42/contacts/a%40example.com').reply(404, NOT_FOUND);

		const { error } = await run(
			{ resource: 'contact', operation: 'get', contactEmail: contactEmail('a@example.com') },
			{ userId: 'u-42' },
		);

		expect(error?.message).toContain('The contact "a@example.com" was not found');
		expect(error?.description).toContain('Options > User ID');
	});
});

it('a Base URL without the version is named where nobody chose a user', async () => {
	service.get('/me').reply(404, NOT_FOUND);

	const { error } = await run({ resource: 'container', operation: 'getAll' });

	expect(error?.message).toMatch(/^Nothing found here/);
	expect(error?.description).toMatch(/^The Base URL must end with the version/);
	expect(error?.description).not.toContain('User ID');
});

describe('the name of a container in place of its ID', () => {
	it.each([
		['get', 404],
		['delete', 404],
		['get', 400],
		['get', 422],
	])('is recognized: %s, status %i', async (operation, status) => {
		const [method, name] = [operation === 'get' ? 'get' : 'delete', 'Invoice 2026-0042'] as const;
		service.scope()[method]('/containers/Invoice%202026-0042').reply(status, NOT_FOUND);

		const { error } = await run({
			resource: 'container',
			operation,
			containerId: containerId(name),
		});

		expect(error?.description).toMatch(
			/^"Invoice 2026-0042" looks like a name\. Choose it From List, or enter the ID\./,
		);
	});
});
