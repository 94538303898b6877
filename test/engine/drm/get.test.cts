import { runNode } from '../../support/engine.cts';
import { mockService } from '../../support/nock.cts';
import {
	describeOperationContract,
	rejectedContainers,
	unusualContainers,
} from '../support/operationContract.cts';
import { containerId, sequential } from '../support/parameters.cts';
import { headersOf, invalidRecords } from '../support/shapes.cts';

const service = mockService();

const parameters = {
	resource: 'drm',
	operation: 'get',
	containerId: containerId('={{ $json.id }}'),
	options: {},
};
const rules = { dynamic: true, opens: 3, recipients: ['a@example.com'] };

const get = async (id: string) =>
	await runNode({ parameters: { ...parameters, options: sequential }, items: [{ json: { id } }] });

describeOperationContract(service, {
	parameters,
	ids: ['c-1', 'c-2', 'c-3'],
	method: 'GET',
	path: (id) => `/containers/${id}/drm`,
	response: rules,
	output: (id) => ({ containerId: id, ...rules }),
	errorFields: (id) => ({ containerId: id }),
	rejected: rejectedContainers,
});

describe('getting rules', () => {
	it.each([
		['at the top level', rules],
		['under drm', { drm: rules }],
		['under rules', { rules }],
		['under data', { data: { drm: rules } }],
		['that are empty', {}],
	])('returns them %s unchanged beside the container ID', async (_shape, body) => {
		service.scope().get('/containers/c-1/drm').reply(200, body);

		const { items } = await get('c-1');

		expect(items.map(({ json }) => json)).toEqual([{ containerId: 'c-1', ...body }]);
	});

	it.each(invalidRecords)('fails when the service responds with $shape', async (shape) => {
		service.scope().get('/containers/c-1/drm').reply(shape.status, shape.body, headersOf(shape));

		const { error } = await get('c-1');

		expect(error?.message).toMatch(shape.message);
	});

	it.each(unusualContainers)('sends %j as one segment', async (id, segment) => {
		service.scope().get(`/containers/${segment}/drm`).reply(200, rules);

		const { error } = await get(id);

		expect(error).toBeUndefined();
	});
});
