import { mockService } from '../../../support/nock.cts';
import {
	promisesOfEveryOperation,
	refusedContainers,
	unusualContainers,
} from '../../support/everyOperation.cts';
import {
	answersWithoutRecord,
	answersWithRecord,
	headersOf,
	unusableChanges,
} from '../../support/shapes.cts';
import { alone, base, path, present, update } from '../../support/updateRules.cts';

const service = mockService();

describe('with current rules', () => {
	promisesOfEveryOperation(service, {
		parameters: base,
		ids: ['c-1', 'c-2', 'c-3'],
		method: 'PATCH',
		path: (id) => `/containers/${id}/drm`,
		before: (mocked, id) => {
			mocked.scope().get(`/containers/${id}/drm`).reply(200, present());
		},
		answer: { ...present(), opens: 1 },
		outcome: { ...present(), opens: 1 },
		identity: (id) => ({ containerId: id }),
		refused: refusedContainers,
	});
});

describe('without current rules', () => {
	promisesOfEveryOperation(service, {
		parameters: { ...base, options: alone },
		ids: ['c-1', 'c-2', 'c-3'],
		method: 'PATCH',
		path: (id) => `/containers/${id}/drm`,
		answer: { message: 'Updated' },
		outcome: { message: 'Updated' },
		identity: (id) => ({ containerId: id }),
		refused: refusedContainers,
	});
});

describe('an update', () => {
	it.each(answersWithRecord(present()))("returns the service's response: $shape", async (shape) => {
		service.scope().patch(path).reply(shape.status, shape.body, headersOf(shape));

		const { items } = await update({}, alone);

		expect(items.map(({ json }) => json)).toEqual([shape.record]);
	});

	it.each(answersWithoutRecord)(
		'returns success and the container ID for $shape',
		async (shape) => {
			service.scope().patch(path).reply(shape.status, shape.body, headersOf(shape));

			const { items, error } = await update({}, alone);

			expect(error).toBeUndefined();
			expect(items.map(({ json }) => json)).toEqual([{ success: true, containerId: 'c-1' }]);
		},
	);

	it.each(unusableChanges)('fails when the service responds with $shape', async (shape) => {
		service.scope().patch(path).reply(shape.status, shape.body, headersOf(shape));

		const { error } = await update({}, alone);

		expect(error?.message).toMatch(shape.message);
	});

	it.each(unusualContainers)('sends %j as one segment', async (id, segment) => {
		service.scope().get(`/containers/${segment}/drm`).reply(200, present());
		service.scope().patch(`/containers/${segment}/drm`).reply(204);

		const { error } = await update({}, {}, { items: [{ json: { id } }] });

		expect(error).toBeUndefined();
	});
});
