import { runNode } from '../../support/engine.cts';
import { mockService } from '../../support/nock.cts';
import {
	describeOperationContract,
	rejectedContainers,
	unusualContainers,
} from '../support/operationContract.cts';
import { containerId, sequential } from '../support/parameters.cts';
import { headersOf, unprovenRecords } from '../support/shapes.cts';

const service = mockService();

const parameters = {
	resource: 'container',
	operation: 'get',
	containerId: containerId('={{ $json.id }}'),
	options: {},
};
const container = { uuid: 'c-1', name: 'Invoice', files: [{ name: 'a.pdf', size: 3 }] };

const get = async (id: string) =>
	await runNode({ parameters: { ...parameters, options: sequential }, items: [{ json: { id } }] });

const isWhole = true;

describeOperationContract(
	service,
	{
		parameters,
		ids: ['c-1', 'c-2', 'c-3'],
		method: 'GET',
		path: (id) => `/containers/${id}`,
		response: (uuid) => ({ ...container, uuid }),
		output: (uuid) => ({ ...container, uuid }),
		errorFields: (id) => ({ containerId: id }),
		rejected: rejectedContainers,
	},
	isWhole,
);

describe('getting a container', () => {
	it.each([
		['a plain record', container],
		['an envelope', { org_id: 'user-1', container }],
		['a record under a key', { data: container }],
		['a record with unusual values', { uuid: {}, name: null, nested: [[{}]] }],
	])('returns %s unchanged', async (_shape, body) => {
		service.scope().get('/containers/c-1').reply(200, body);

		const { items } = await get('c-1');

		expect(items.map(({ json }) => json)).toEqual([body]);
	});

	it.each(unprovenRecords)('fails when the service responds with $shape', async (shape) => {
		service.scope().get('/containers/c-1').reply(shape.status, shape.body, headersOf(shape));

		const { error, items } = await get('c-1');

		expect(error?.message).toMatch(shape.message);
		expect(items).toEqual([]);
	});

	it.each(unusualContainers)('sends %j as one segment', async (id, segment) => {
		service.scope().get(`/containers/${segment}`).reply(200, { uuid: id });

		const { error } = await get(id);

		expect(error).toBeUndefined();
		expect(service.requests[0].path).toBe(`/api/v1/containers/${segment}`);
	});

	it('accepts a container from the list, and spaces around an identifier', async () => {
		service.scope().get('/containers/c-1').times(2).reply(200, container);

		for (const picked of [{ __rl: true, mode: 'list', value: 'c-1' }, containerId('  c-1 ')]) {
			const { error } = await runNode({ parameters: { ...parameters, containerId: picked } });
			expect(error).toBeUndefined();
		}
	});

	it('names the container that was not found', async () => {
		service.scope().get('/containers/c-1').reply(404, { message: 'Unknown' });

		const { error } = await get('c-1');

		expect(error?.message).toContain('The container "c-1" was not found');
		expect(error?.description).toContain('Unknown');
	});

	it('sends no body, and does not fetch the user', async () => {
		service.scope().get('/containers/c-1').reply(200, container);

		await get('c-1');

		expect(service.requests).toHaveLength(1);
		expect(service.requests[0].body).toBe('');
		expect(service.requests[0].headers['content-type']).toBeUndefined();
	});

	it('redacts the API key and passwords in the response', async () => {
		service
			.scope()
			.get('/containers/c-1')
			.reply(function () {
				const key = String(this.req.headers.authorization);
				return [200, { uuid: 'c-1', echoed: key, container: { password: 'hunter2' } }];
			});

		const { items } = await get('c-1');

		expect(items[0].json).toEqual({
			uuid: 'c-1',
			echoed: 'Bearer [hidden]',
			container: { password: '[hidden]' },
		});
	});

	it('states what the service did not accept', async () => {
		service.scope().get('/containers/c-1').reply(422, '');

		const { error } = await get('c-1');

		expect(error?.message).toMatch(/did not accept the request to get the container \[item 0\]/);
	});

	it('drops keys that would reach a prototype', async () => {
		service
			.scope()
			.get('/containers/c-1')
			.reply(200, '{"uuid":"c-1","__proto__":{"admin":true},"a":{"__proto__":1,"b":2}}');

		const { items } = await get('c-1');

		expect(items[0].json).toEqual({ uuid: 'c-1', a: { b: 2 } });
		expect(JSON.stringify(items)).not.toContain('__proto__');
	});
});
