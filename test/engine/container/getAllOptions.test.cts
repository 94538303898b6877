import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { runNode, type RunNodeOptions } from '../../support/engine.cts';
import { mockService } from '../../support/nock.cts';
import { sequential, userId, outputOf } from '../support/operations.cts';

const service = mockService();
const path = `/users/${userId}/containers`;

const getMany = async (
	options: IDataObject,
	parameters: INodeParameters = { returnAll: true },
	more: Partial<RunNodeOptions> = {},
) =>
	await runNode({
		parameters: {
			resource: 'container',
			operation: 'getAll',
			...parameters,
			options: { userId, ...sequential, ...options },
		} as INodeParameters,
		...more,
	});

const containers = (...names: string[]) =>
	names.map((name, index) => ({ org_id: userId, container: { uuid: `c-${index}`, name } }));
const rulesOf = (index: number) => ({ opens: index + 1, recipients: ['anna@example.com'] });
const expectRules = (...indexes: number[]) => {
	for (const index of indexes) {
		service.get(`/containers/c-${index}/drm`).reply(200, rulesOf(index));
	}
};

describe('Include Rules', () => {
	const withRules = { includeRules: true };

	it('adds the rules of each container, with one request each, in the order of the list', async () => {
		const list = containers('One', 'Two', 'Three');
		service.get(path).reply(200, list);
		expectRules(0, 2);
		service.get('/containers/c-1/drm').reply(200, { drm: rulesOf(1) });

		const { items, error, run } = await getMany(withRules);

		expect(error).toBeUndefined();
		expect(run.hints ?? []).toEqual([]);
		expect(items).toEqual(
			list.map((record, index) =>
				expect.objectContaining({
					json: { containerId: `c-${index}`, ...record, rules: rulesOf(index) },
					pairedItem: { item: 0 },
				}),
			),
		);
		expect(service.requests).toHaveLength(4);
	});

	it('asks for the rules of no more containers than the limit and the name allow', async () => {
		service.get(path).reply(200, containers('a', 'x', 'ab', 'abc'));
		expectRules(0, 2);

		const { items } = await getMany({ ...withRules, nameContains: 'a' }, { limit: 2 });

		expect(items.map(({ json }) => (json.rules as IDataObject).opens)).toEqual([1, 3]);
		expect(service.requests).toHaveLength(3);
	});

	it('leaves out a container that was deleted meanwhile, and tells so in a hint', async () => {
		service.get(path).reply(200, containers('One', 'Two', 'Three', 'Four'));
		expectRules(0, 2);
		for (const index of [1, 3]) {
			service.get(`/containers/c-${index}/drm`).reply(404, { message: 'Not found' });
		}

		const { items, error, run } = await getMany({ ...withRules, maxConcurrent: 5 });

		expect(error).toBeUndefined();
		expect(items.map(({ json }) => (json.rules as IDataObject).opens)).toEqual([1, 3]);
		const message = 'Containers left out because they were deleted meanwhile: 2.';
		expect(run.hints).toEqual([{ location: 'outputPane', message }]);
	});

	it('fails when the rules of a container cannot be fetched', async () => {
		service.get(path).reply(200, containers('One', 'Two', 'Three'));
		expectRules(0, 2);
		service.get('/containers/c-1/drm').reply(403, { message: 'Words of the service' });

		const { items } = await getMany(
			{ ...withRules, maxConcurrent: 3 },
			{ returnAll: true },
			{ onError: 'continueRegularOutput' },
		);

		expect(items).toHaveLength(1);
		expect(items[0].json.error).toMatch(/no permission to get the rules of the container/);
	});
});

describe('Name Contains', () => {
	it.each([
		['nothing was entered', '', ['Invoice', 'Q* report', 'Q3', '']],
		['the result of an expression', '={{ $json.part }}', ['Q* report', 'Q3']],
	])('keeps containers by name: %s', async (_what, nameContains, expected) => {
		service.get(path).reply(200, containers('Invoice', 'Q* report', 'Q3', ''));

		const items = [{ json: { part: ' q* ' } }];
		const output = await outputOf(getMany({ nameContains }, undefined, { items }));

		expect(output.map(({ container }) => (container as IDataObject).name)).toEqual(expected);
	});

	it('filters before the limit counts, and fetches pages until the limit is reached', async () => {
		const page = (number: number, ...names: string[]) =>
			service.get(number === 1 ? path : `${path}?page=${number}`).reply(
				200,
				names.map((name) => ({ uuid: `${number}-${name}`, name })),
				{ link: `<?page=${number + 1}>; rel="next"` },
			);
		page(1, 'Offer', 'Invoice A');
		page(2, 'Offer', 'Note');
		page(3, 'Invoice B', 'Invoice C');

		const output = await outputOf(getMany({ nameContains: 'invoice' }, { limit: 2 }));

		expect(output.map(({ name }) => name)).toEqual(['Invoice A', 'Invoice B']);
		expect(service.requests).toHaveLength(3);
	});

	it.each(['={{ $json.missing }}', '={{ "" }}', '={{ "  " }}', '={{ [] }}'])(
		'is refused when its expression returns no text, as all containers would be meant: %s',
		async (nameContains) => {
			const { error } = await getMany({ nameContains });

			expect(error?.message).toMatch(/"Name Contains" is (empty|not text)/);
			expect(error?.description).toMatch(/Check that the field exists|check that the field exists/);
			expect(service.requests).toEqual([]);
		},
	);
});

describe('Created After and Created Before', () => {
	const created = (name: string, created_date?: string) => ({ uuid: name, name, created_date });

	it.each<[IDataObject, string[]]>([
		[{ createdBefore: '2026-08-25' }, ['old']],
		[{ createdAfter: '2026-08-24', createdBefore: '2026-08-26' }, ['late', 'day']],
		[{ createdAfter: '2026-08-25' }, ['new']],
	])('%j returns containers by their day in the time zone of the workflow', async (days, names) => {
		service
			.get(path)
			.reply(200, [
				created('old', '2026-08-24T14:59:59Z'),
				created('late', '2026-08-24T15:00:00Z'),
				created('day', '2026-08-24T23:00:00.000Z'),
				created('new', '2026-08-25T15:00:00.000Z'),
			]);

		const { items } = await getMany(days, undefined, { timezone: 'Asia/Tokyo' });

		expect(items.map(({ json }) => json.name)).toEqual(names);
	});

	it('fail where the service does not show when a container was created', async () => {
		service.get(path).reply(200, [created('One', '2026-08-25'), created('Two')]);

		const { error } = await getMany({ createdAfter: '2026-08-24' });

		expect(error?.message).toMatch('does not show when a container was created');
		expect(error?.description).toMatch(/Remove "Created After" and "Created Before".* "Two" \(/);
	});
});
