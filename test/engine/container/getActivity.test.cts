import type { IDataObject } from 'n8n-workflow';
import { mockService } from '../../support/nock.cts';
import { containerId, expectRefusal, newKey, operation, outputOf } from '../support/operations.cts';

const service = mockService();

const path = '/users/user-1/events';
const page = { order: 'desc', limit: '1000' };
const getActivity = operation('container: getActivity');
const event = (id: number, action: string): IDataObject => ({
	id: String(id),
	created_date: '2026-01-15T09:30:00.123Z',
	action,
	container_id: 'c-1',
	container_name: 'Invoice',
	user: 'ada@example.com',
	detail: { ip: '192.0.2.7' },
});
const all = [
	event(5, 'container.delete'),
	event(4, 'container.refuse'),
	event(3, 'container.open'),
	event(2, 'drm.update'),
	event(1, 'container.create'),
];
const respond = (query: object = page, url = path) =>
	service
		.get(url)
		.query({ ...query })
		.reply(200, all);
const expectMe = (features: string[] = ['events']) =>
	service.get('/me').reply(200, { id: 'user-1', features });

/** With a key of which the node knows no features yet. */
const run = async (parameters: IDataObject = {}, options: IDataObject = {}) =>
	await getActivity(parameters, options, { credentials: newKey() });

it.each<[string, IDataObject, number[]]>([
	['opened and refused', {}, [4, 3]],
	['the newest', { limit: 1 }, [4]],
	['what is chosen', { actions: ['created', 'deleted', 'rulesChanged'] }, [5, 2, 1]],
	['all pages', { returnAll: true, actions: ['opened'] }, [3, 3]],
])('returns %s, the newest first, as the service returned it', async (_what, parameters, ids) => {
	expectMe();
	if (parameters.returnAll) {
		const link = `</api/v1${path}?cursor=x>; rel="next"`;
		service.get(path).query(page).reply(200, all, { link });
		const older = all.map((one) => ({ ...one, id: `older ${String(one.id)}` }));
		service.get(path).query({ cursor: 'x' }).reply(200, older);
	} else respond();

	const output = await outputOf(run(parameters));

	expect(output.map(({ id }) => Number(String(id).replace('older ', '')))).toEqual(ids);
	expect(Object.keys(output[0])[0]).toBe('containerId');
	expect(output[0]).toEqual({
		containerId: 'c-1',
		...all.find(({ id }) => id === output[0].id),
	});
});

it('reads the events of one container', async () => {
	expectMe();
	respond(page, '/users/user-1/containers/c-1/events');

	const one = { containers: 'one', containerId: containerId('c-1') };
	expect(await outputOf(run(one))).toHaveLength(2);
});

it('names the one container that is not found', async () => {
	expectMe();
	service.get('/users/user-1/containers/c-9/events').query(page).reply(404, { message: 'None' });
	const one = { containers: 'one', containerId: containerId('c-9') };

	const more = { credentials: newKey(), onError: 'continueRegularOutput' } as const;
	expect(await outputOf(getActivity(one, {}, more))).toMatchObject([
		{ containerId: 'c-9', error: 'The container "c-9" was not found [item 0]' },
	]);
});

it.each([
	['2026-01-15', '2026-01-15T05:00:00.000Z'],
	['2026-01-15T08:30:00', '2026-01-15T13:30:00.000Z'],
	['={{ DateTime.fromISO("2026-01-15T08:30:00Z") }}', '2026-01-15T08:30:00.000Z'],
])('reads what happened after %s, in the time zone of the workflow', async (after, sent) => {
	expectMe();
	respond({ ...page, created_after: sent });

	const more = { credentials: newKey(), timezone: 'America/New_York' };
	expect(await outputOf(getActivity({}, { after }, more))).toHaveLength(2);
});

it.each<[IDataObject, IDataObject, string]>([
	[{ actions: [] }, {}, '"Actions" is empty'],
	[{ actions: ['all'] }, {}, '"Actions" has an unknown value'],
	[{ containers: 'one', containerId: containerId('={{ "" }}') }, {}, '"Container" is empty'],
	[{}, { after: 'soon' }, '"After" is not a date'],
])('is refused before anything is sent: %j, %j', async (parameters, options, message) => {
	await expectRefusal(service, run(parameters, options), message);
});

it('says clearly where the service has no events', async () => {
	expectMe(['etag']);

	const { error } = await run();

	expect(error?.message).toBe("The service doesn't tell who opens containers [item 0]");
	expect(error?.description).toContain('"events" in "features"');
});
