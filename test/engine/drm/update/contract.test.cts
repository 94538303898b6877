import { mockService } from '../../../support/nock.cts';
import {
	describeOperationContract,
	rejectedContainers,
	unusualContainers,
} from '../../support/operationContract.cts';
import {
	responsesWithoutRecord,
	responsesWithRecord,
	headersOf,
	unusableResponses,
} from '../../support/shapes.cts';
import {
	withoutCurrentRules,
	base,
	path,
	currentRules,
	output,
	update,
} from '../../support/updateRules.cts';

const service = mockService();

describe('with current rules', () => {
	describeOperationContract(service, {
		parameters: base,
		ids: ['c-1', 'c-2', 'c-3'],
		method: 'PATCH',
		path: (id) => `/containers/${id}/drm`,
		expectBefore: (mocked, id, run) => {
			const current = { ...currentRules(), opens: 5 + run };
			mocked.scope().get(`/containers/${id}/drm`).reply(200, current);
		},
		response: { ...currentRules(), opens: 1 },
		output: (id) => ({ containerId: id, changed: true, ...currentRules(), opens: 1 }),
		errorFields: (id) => ({ containerId: id }),
		rejected: rejectedContainers,
	});
});

describe('without current rules', () => {
	describeOperationContract(service, {
		parameters: { ...base, options: withoutCurrentRules },
		ids: ['c-1', 'c-2', 'c-3'],
		method: 'PATCH',
		path: (id) => `/containers/${id}/drm`,
		response: { message: 'Updated' },
		output: (id) => ({ containerId: id, changed: true, message: 'Updated' }),
		errorFields: (id) => ({ containerId: id }),
		rejected: rejectedContainers,
	});
});

describe('an update', () => {
	it.each(responsesWithRecord({ ...currentRules(), opens: 1 }))(
		"returns the service's response: $shape",
		async (shape) => {
			service.scope().patch(path).reply(shape.status, shape.body, headersOf(shape));

			const { items } = await update({}, withoutCurrentRules);

			expect(items.map(({ json }) => json)).toEqual([output(shape.record)]);
		},
	);

	it.each(responsesWithoutRecord)(
		'returns success and the container ID for $shape',
		async (shape) => {
			service.scope().patch(path).reply(shape.status, shape.body, headersOf(shape));

			const { items, error } = await update({}, withoutCurrentRules);

			expect(error).toBeUndefined();
			expect(items.map(({ json }) => json)).toEqual([output({ success: true })]);
		},
	);

	it.each(unusableResponses)('fails when the service responds with $shape', async (shape) => {
		service.scope().patch(path).reply(shape.status, shape.body, headersOf(shape));

		const { error } = await update({}, withoutCurrentRules);

		expect(error?.message).toMatch(shape.message);
	});

	it('names the container that was not found', async () => {
		service.scope().patch(path).reply(404);

		const { error } = await update({}, withoutCurrentRules);

		expect(error?.message).toMatch(/^The container "c-1" was not found/);
	});

	it.each(unusualContainers)('sends %j as one segment', async (id, segment) => {
		service.scope().get(`/containers/${segment}/drm`).reply(200, currentRules());
		service.scope().patch(`/containers/${segment}/drm`).reply(204);

		const { error } = await update({}, {}, { items: [{ json: { id } }] });

		expect(error).toBeUndefined();
	});
});
