import { runNode } from '../support/engine.cts';
import { mockService } from '../support/nock.cts';
import { encode, path, uploadsTo } from './support/encode.cts';
import { contactEmail, containerId, userId } from './support/operations.cts';

const service = mockService();
const { uploads } = uploadsTo(service);

const failures: Array<[object, RegExp]> = [
	[{ error: 'storage full' }, /the failure "storage full"/],
	[{ data: { success: false } }, /a JSON object that reports a failure/],
];

describe('a failure with a status of success', () => {
	it.each(failures)('is not an encoded container: %j', async (body, message) => {
		service.post(path).reply(200, body);

		const { error, items } = await encode({}, { maxRetries: 3 });

		expect(items).toEqual([]);
		expect(error?.message).toMatch(message);
		expect(error?.description).toMatch(/might have been created/);
		expect(uploads()).toHaveLength(1);
	});

	it.each([
		[202, { id: 'job-1', status: 'queued' }, /says that it is not done yet/],
		[200, { container: { uuid: 'c-1' }, status: 'processing' }, /says that it is not done yet/],
		[200, { container: { uuid: 'c-1' }, error: 'encryption failed' }, /"encryption failed"/],
		[200, { id: 'c-1', success: false }, /reports a failure/],
	])('or of work to come is not an encoded container: %i %j', async (status, body, message) => {
		service.post(path).reply(status, body);

		const { error, items } = await encode({}, { maxRetries: 3 });

		expect(items).toEqual([]);
		expect(error?.message).toMatch(message);
		expect(error?.description).toMatch(/might have been created/);
		expect(uploads()).toHaveLength(1);
	});

	it.each([
		[{}, /an empty JSON object instead of a container with a uuid/],
		[{ container: null }, /fields container instead of a container with a uuid/],
		[{ container: { name: 'Invoice' } }, /instead of a container with a uuid/],
	])('or no uuid is not an encoded container: %j', async (body, message) => {
		service.post(path).reply(200, body);

		const { error } = await encode({}, { maxRetries: 3 });

		expect(error?.message).toMatch(message);
		expect(error?.description).toMatch(/might have been created/);
		expect(uploads()).toHaveLength(1);
	});

	it.each([
		...failures,
		[{ id: 'c-1', error: 'not permitted' }, /the failure "not permitted"/] as const,
		[{ id: 'c-1', deleted: false }, /reports a failure/] as const,
	])('is not a deletion: %j', async (body, message) => {
		for (const deletion of [
			{ resource: 'container', containerId: containerId('c-1') },
			{ resource: 'contact', contactEmail: contactEmail('a@example.com'), options: { userId } },
		]) {
			service.delete(/.*/).reply(200, body);
			const { error, items } = await runNode({ parameters: { operation: 'delete', ...deletion } });
			expect(items).toEqual([]);
			expect(error?.message).toMatch(message);
		}
	});

	it.each(failures)('is not a contact that was created: %j', async (body, message) => {
		service.patch(/.*/).reply(200, body);

		const { error, items } = await runNode({
			parameters: {
				resource: 'contact',
				operation: 'upsert',
				email: 'a@example.com',
				dataToSend: 'defineBelow',
				fieldsUi: { fields: [{ name: 'company', value: 'X' }] },
				options: { userId },
			},
		});

		expect(items).toEqual([]);
		expect(error?.message).toMatch(message);
	});

	it.each([{ deleted: true }, { status: 'ok' }, { code: 200, message: 'Deleted' }, { success: 1 }])(
		'is not the success of a deletion: %j',
		async (body) => {
			service.delete('/containers/c-1').reply(200, body);

			const { items, error } = await runNode({
				parameters: {
					resource: 'container',
					operation: 'delete',
					containerId: containerId('c-1'),
				},
			});

			expect(error).toBeUndefined();
			expect(items[0].json).toMatchObject({ deleted: true });
		},
	);

	it.each([
		[{ error: 'none of your business', success: false }],
		[{ status: false }],
		[{ Status: 'failed', Ok: 0 }],
	])('is not reported by a record that has such a field itself: %j', async (own) => {
		for (const [record, parameters] of [
			[
				{ email: 'a@example.com', ...own },
				{ resource: 'contact', contactEmail: contactEmail('a@example.com') },
			],
			[
				{ uuid: 'c-1', ...own },
				{ resource: 'container', containerId: containerId('c-1') },
			],
			[
				{ container: { uuid: 'c-1', ...own }, ...own },
				{ resource: 'container', containerId: containerId('c-1') },
			],
		] as const) {
			service.get(/.*/).reply(200, record);

			const { items } = await runNode({
				parameters: { operation: 'get', ...parameters, options: { userId } },
			});

			expect(items.map(({ json }) => json)).toEqual([expect.objectContaining(record)]);
		}
	});
});

describe('deleting', () => {
	it.each([502, 503, 504])('succeeds after %i and then 404', async (status) => {
		service.delete('/containers/c-1').reply(status, '', { 'retry-after': '0' });
		service.delete('/containers/c-1').reply(404);

		const { items, error } = await runNode({
			parameters: {
				resource: 'container',
				operation: 'delete',
				containerId: containerId('c-1'),
				options: { maxRetries: 1 },
			},
		});

		expect(error).toBeUndefined();
		expect(items[0].json).toMatchObject({ deleted: true });
	});
});
