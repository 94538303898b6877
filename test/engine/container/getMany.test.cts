import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { runNode, type RunNodeOptions } from '../../support/engine.cts';
import { mockService } from '../../support/nock.cts';
import { refuse, rewrite } from '../../support/proxy.cts';
import { useService } from '../../support/service.cts';
import {
	byId,
	containersPath,
	expectRefusal,
	newKey,
	operation,
	outputOf,
} from '../support/operations.cts';

describe('Get Many, in the service,', () => {
	const service = useService();

	const getMany = async (
		options: IDataObject,
		parameters: INodeParameters = { returnAll: true },
		more: Partial<RunNodeOptions> = {},
	) =>
		await runNode({
			parameters: {
				...{ resource: 'container', operation: 'getAll', ...parameters },
				options: { maxRetries: 0, ...options },
			} as INodeParameters,
			credentials: service.credentials,
			...more,
		});
	const add = async (...names: string[]) => {
		const ids: string[] = [];
		for (const [index, name] of names.entries()) {
			ids.push(await service.addContainer({ name, rules: { opens: index + 1 } }));
		}
		return ids;
	};
	const opensOf = ({ items }: Awaited<ReturnType<typeof getMany>>) =>
		items.map(({ json }) => (json.rules as IDataObject).opens).sort();

	it('adds the rules of each container, for no more than the limit and the name allow', async () => {
		const ids = await add('a', 'x', 'ab', 'Q3 A');

		const all = await getMany({ includeRules: true });
		expect(opensOf(all)).toEqual([1, 2, 3, 4]);
		expect(all.items[0]).toMatchObject({
			...{ json: { containerId: ids[0], uuid: ids[0], rules: { dynamic: true, opens: 1 } } },
			pairedItem: { item: 0 },
		});

		const items = [{ json: { part: ' A ' } }];
		const options = { includeRules: true, nameContains: '={{ $json.part }}' };
		expect(opensOf(await getMany(options, { limit: 2 }, { items }))).toHaveLength(2);
		expect(opensOf(await getMany(options, undefined, { items }))).toEqual([1, 3, 4]);
		const reads = service.requests.filter(({ path }) => path.endsWith('/drm'));
		expect(reads).toHaveLength(9);
	});

	it('leaves out a container that was deleted meanwhile, and tells so in a hint', async () => {
		const [, gone] = await add('One', 'Two', 'Three');
		service.on({ path: /\/containers$/ }, async (_request, pass) => {
			const list = await pass();
			await service.deleteContainer(gone);
			return list;
		});

		const result = await getMany({ includeRules: true });

		expect(result.error).toBeUndefined();
		expect(opensOf(result)).toEqual([1, 3]);
		const message = 'Containers left out because they were deleted meanwhile: 1.';
		expect(result.run.hints).toEqual([{ location: 'outputPane', message }]);
	});

	it('looks for a name also where the service does not say what it can do', async () => {
		await add('One', 'Two');
		service.on({ path: /\/me$/, times: Infinity }, refuse(500));

		const output = await outputOf(getMany({ nameContains: 't*o', userId: service.userId }));

		expect(output.map(({ name }) => name)).toEqual(['Two']);
	});

	it('finds nothing for a name that no container can have', async () => {
		await add('One');

		expect(await outputOf(getMany({ nameContains: 'One\nTwo' }))).toEqual([]);
	});

	it('fails when the rules of a container cannot be fetched', async () => {
		const [, forbidden] = await add('One', 'Two', 'Three');
		service.on({ path: new RegExp(`${forbidden}/drm`) }, refuse(403));

		const { error, items } = await getMany({ includeRules: true });

		expect(error?.message).toMatch(/no permission to get the rules of the container/);
		expect(items).toEqual([]);
	});

	it.each<[IDataObject, string[]]>([
		[{ createdBefore: '2026-08-25' }, ['old']],
		[{ createdAfter: '2026-08-24', createdBefore: '2026-08-26' }, ['day', 'late']],
		[{ createdAfter: '2026-08-25' }, ['new']],
	])('%j returns containers by their day in the time zone of the workflow', async (days, names) => {
		for (const [name, date] of [
			['old', '2026-08-24T14:59:59Z'],
			['late', '2026-08-24T15:00:00Z'],
			['day', '2026-08-24T23:00:00Z'],
			['new', '2026-08-25T15:00:00Z'],
		]) {
			service.setCreatedDate(await service.addContainer({ name }), new Date(date));
		}

		const output = await outputOf(getMany(days, undefined, { timezone: 'Asia/Tokyo' }));

		expect(output.map(({ name }) => name).sort()).toEqual(names);
	});

	it('fails where the service does not show when a container was created', async () => {
		await add('One');
		const undated = rewrite((list) => [...(list as object[]), { uuid: '2', name: 'Two' }]);
		service.on({ path: /\/containers$/ }, undated);

		const { error } = await getMany({ createdAfter: '2026-08-24' });

		expect(error?.message).toMatch('does not show when a container was created');
		expect(error?.description).toContain('"Two" (');
	});
});

describe('Get Many, in any form of the list,', () => {
	const service = mockService();
	const all = { returnAll: true };
	const list = operation('container: getAll');
	const numbered = (from: number, to: number) =>
		Array.from({ length: to - from + 1 }, (_value, index) => ({ uuid: `c-${from + index}` }));
	const query = (...parameters: IDataObject[]) => ({ query: { parameters } });

	it.each([
		['50 entries unless Limit is set', {}, 50],
		['the entered number', { limit: 3 }, 3],
		['all with Return All, also in text', { returnAll: '={{ "true" }}', limit: 1 }, 60],
	])('returns %s', async (_what, parameters, expected) => {
		// Where the limit is reached, nobody needs the rest.
		const more = expected < 60 ? { total: 70 } : {};
		service.get(containersPath).reply(200, { data: numbered(1, 60), ...more });

		const shown = numbered(1, expected).map(({ uuid }) => ({
			containerId: uuid,
			link: null,
			uuid,
		}));
		expect(await outputOf(list(parameters))).toEqual(shown);
	});

	it.each<[IDataObject, IDataObject, string]>([
		[{ limit: 0 }, {}, '"Limit" must be a whole number, 1 or more'],
		[all, query({ name: '={{ $json.no }}', value: 'x' }), '"Query Parameters > Name" is empty'],
		[all, query({ name: 'cursor', value: 'x' }), 'sets the query parameter "cursor" itself'],
		[all, { nameContains: '={{ $json.missing }}' }, '"Name Contains" is empty'],
	])('is refused before anything is sent: %j, %j', async (parameters, options, message) => {
		await expectRefusal(service, list(parameters, options), message);
	});

	it('adds the query encoded, in order, with repeated names, without nameless rows', async () => {
		const sent = `${containersPath}?tag=a%26b%3Dc&tag=%C3%BC+%23&all=`;
		service.get(sent).reply(200, []);
		const rows = [
			{ name: 'tag', value: 'a&b=c' },
			{ name: '', value: 'ignored' },
			{ name: ' tag ', value: 'ü #' },
			{ name: 'all' },
		];

		await outputOf(list(all, query(...rows)));

		expect(service.requests[0].path).toBe(`/api/v1${sent}`);
	});

	it.each<[IDataObject, IDataObject, number]>([
		[{ limit: 3 }, query({ name: 'page', value: '5' }), 2],
		[{ limit: 3 }, { nameContains: 'c' }, 0],
	])('returns a part where that is asked for, and says why: %j, %j', async (...row) => {
		const [parameters, options, count] = row;
		const data = ['c-1', 'c-2'].map((name) => ({ uuid: name, name }));
		service.get(/containers/).reply(200, { data, total: 250 });

		const { error, items, run } = await list(parameters, options);

		expect([items.length, error === undefined]).toEqual([count, count > 0]);
		const message = count > 0 ? run.hints?.[0].message : error?.message;
		expect(message).toMatch(/there might be more .*because "total" is 250, /i);
	});
});

/** What it returns is beside the events of the trigger. */
describe('Get Activity', () => {
	const service = mockService();
	/** With a key of which the node knows no features yet. */
	const getActivity = async (parameters: IDataObject = {}, options: IDataObject = {}) =>
		await operation('container: getActivity')(parameters, options, {
			...{ credentials: newKey(), timezone: 'America/New_York' },
		});

	it('begins after a day in the time zone of the workflow', async () => {
		service.get('/me').reply(200, { id: 'user-1', features: ['events'] });
		const query = { order: 'desc', limit: '1000', created_after: '2026-01-15T05:00:00.000Z' };
		service.get('/users/user-1/containers/c-1/events').query(query).reply(200, []);

		const one = { containers: 'one', ...byId('c-1') };
		expect(await outputOf(getActivity(one, { after: '2026-01-15' }))).toEqual([]);
	});

	it.each<[IDataObject, IDataObject, string]>([
		[{ actions: [] }, {}, '"Events" is empty'],
		[{ containers: 'one', ...byId('={{ "" }}') }, {}, '"Container" is empty'],
		[{}, { after: 'soon' }, '"After" is not a date'],
	])('is refused before anything is sent: %j, %j', async (parameters, options, message) => {
		await expectRefusal(service, getActivity(parameters, options), message);
	});

	it('says clearly where the service has no events', async () => {
		service.get('/me').reply(200, { id: 'user-1', features: ['etag'] });

		const { error } = await getActivity();

		expect(error?.message).toBe("The service doesn't tell who opens containers [item 0]");
		expect(error?.description).toMatch(/^Get Activity and events such as .* need a service whose/);
	});
});
