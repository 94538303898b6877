import { mockService } from '../../support/nock.cts';
import { encode, path, uploadsTo, withoutSettings } from '../support/encode.cts';
import { containersPath as listPath, itemsWith } from '../support/operations.cts';

const service = mockService();
const { uploads, manifests } = uploadsTo(service);

const tries = { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 };
const items = itemsWith('A', 'B', 'C', 'D');
const MINUTE = 60_000;
const unknown = /might have been created.*Retry On Fail did not send it again\./;

const accept = (...names: string[]) => {
	for (const name of names) {
		service.post(path).reply(200, { container: { uuid: `c-${name}`, name } });
	}
};
const respond = (status: number) => service.post(path).reply(status, { message: 'no' });
const sentNames = () => manifests().map(({ container }) => (container as { name: string }).name);

describe('Retry On Fail', () => {
	it('creates each container once when one item is refused at first', async () => {
		accept('A');
		respond(422);
		accept('B', 'C', 'D');

		const { items: output, error } = await encode({}, {}, { items, ...tries });

		expect(error).toBeUndefined();
		expect(sentNames()).toEqual(['A', 'B', 'B', 'C', 'D']);
		expect(withoutSettings(output)).toEqual(
			['A', 'B', 'C', 'D'].map((name) => ({ container: { uuid: `c-${name}`, name } })),
		);
		expect(output.map(({ pairedItem }) => pairedItem)).toEqual(
			[0, 1, 2, 3].map((item) => ({ item })),
		);
	});

	it('creates each container once when one item is refused each time, and names them', async () => {
		accept('A');
		for (let attempt = 0; attempt < 3; attempt += 1) respond(422);

		const { error } = await encode({}, {}, { items, ...tries });

		expect(sentNames()).toEqual(['A', 'B', 'B', 'B']);
		expect(error?.message).toMatch(/did not accept .* \[item 1\]/);
		expect(error?.description).toMatch(
			/Created before the execution stopped: container "A" \(c-A\)\./,
		);
	});

	it.each([
		['requests in flight', {}, 4],
		[
			'batches',
			{ requestOptions: { batching: { batch: { batchSize: 2, batchInterval: 20 } } } },
			1,
		],
	])('keeps what the other items created: %s', async (_what, parameters, maxConcurrent) => {
		service.post(path, /"name":"A"/).reply(422, { message: 'no' });
		for (const name of ['A', 'B', 'C', 'D']) {
			const body = new RegExp(`"name":"${name}"`);
			const response = { container: { uuid: `c-${name}`, name } };
			service.post(path, body).delay(30).reply(200, response);
		}

		const { items: output, error } = await encode(
			parameters,
			{ maxConcurrent },
			{ items, ...tries },
		);

		expect(error).toBeUndefined();
		expect(uploads()).toHaveLength(5);
		expect(output.map(({ json }) => (json.container as { name: string }).name)).toEqual([
			'A',
			'B',
			'C',
			'D',
		]);
	});

	it('never sends an item again whose outcome is unknown, nor the items after it', async () => {
		accept('A');
		respond(500);

		const { error } = await encode({}, {}, { items, ...tries });

		expect(sentNames()).toEqual(['A', 'B']);
		expect(error?.message).toMatch(/status 500\) \[item 1\]/);
		expect(error?.description).toMatch(unknown);
		expect(error?.description?.match(/container "B"/g)).toHaveLength(1);
	});

	it.each(['continueRegularOutput', 'continueErrorOutput'] as const)(
		'never sends an item again whose outcome is unknown with %s',
		async (onError) => {
			respond(500);
			accept('B', 'C', 'D');

			const { items: output, errorItems } = await encode({}, {}, { items, onError, ...tries });

			expect(sentNames()).toEqual(['A', 'B', 'C', 'D']);
			const failed = onError === 'continueErrorOutput' ? errorItems : output.slice(0, 1);
			expect(failed.map(({ json }) => json.errorDescription)).toEqual([
				expect.stringMatching(unknown),
			]);
		},
	);

	it.each(['perItem', 'allItems'])(
		'still says what might have been created when a parameter fails in a later try: %s',
		async (containerMode) => {
			respond(500);
			const failsLater = `={{ Date.now() > ${Date.now() + 1000} ? $('No Such Node').item.json.id : 'x' }}`;

			const { items: output } = await encode(
				{ containerMode, name: 'A', textContent: failsLater },
				{},
				{
					...{ items: items.slice(0, 1), onError: 'continueRegularOutput', ...tries },
					waitBetweenTries: 1500,
					maxTries: 2,
				},
			);

			expect(uploads()).toHaveLength(1);
			expect(output.map(({ json }) => json.errorDescription)).toEqual([
				expect.stringMatching(unknown),
			]);
		},
	);

	it.each([1, 4])('creates one container for all of %i items once', async (count) => {
		respond(422);
		accept('Invoice');

		const { items: output } = await encode(
			{ containerMode: 'allItems', name: 'Invoice' },
			{},
			{ items: items.slice(0, count), ...tries },
		);

		expect(uploads()).toHaveLength(2);
		const links = items.slice(0, count).map((_item, item) => ({ item }));
		expect(output.map(({ pairedItem }) => pairedItem)).toEqual([count === 1 ? links[0] : links]);
	});

	it('never sends one container for all items again when its outcome is unknown', async () => {
		respond(500);

		const { error } = await encode(
			{ containerMode: 'allItems', name: 'Invoice' },
			{},
			{ items, ...tries },
		);

		expect(uploads()).toHaveLength(1);
		expect(error?.description).toMatch(unknown);
	});

	it('looks again for a container that might have been created, before it creates another', async () => {
		const created = { uuid: 'c-1', name: 'Invoice' };
		const list = (...containers: object[]) => service.get(listPath).reply(200, containers);
		list();
		respond(504);
		list();
		respond(422);
		list(created);
		list(created);
		service.get('/containers/c-1/drm').times(2).reply(200, { dynamic: true });

		const { items: output } = await encode(
			{},
			{ ifExists: 'reuse' },
			{ items: itemsWith('Invoice', 'Invoice'), onError: 'continueRegularOutput', ...tries },
		);

		expect(withoutSettings(output)).toEqual(
			[1, 2].map(() => ({ container: created, reused: true })),
		);
		expect(uploads()).toHaveLength(2);
	});

	it('sends the first item alone with Execute Once', async () => {
		respond(422);
		accept('A');

		const { items: output } = await encode({}, {}, { items, executeOnce: true, ...tries });

		expect(sentNames()).toEqual(['A', 'A']);
		expect(output).toHaveLength(1);
	});

	it('does not repeat an item whose expression returns something new in each try', async () => {
		accept('A');
		respond(422);
		accept('B');

		const { items: output } = await encode(
			{ name: '={{ $json.id + Math.random() }}' },
			{},
			{ items: items.slice(0, 2), ...tries },
		);

		expect(sentNames().map((name) => name.slice(0, 1))).toEqual(['A', 'B', 'B']);
		expect(output).toHaveLength(2);
	});

	it('does not look at an item again that is done', async () => {
		const start = Date.now();
		accept('A');
		service.post(path).reply(() => {
			jest.spyOn(Date, 'now').mockImplementation(() => start + 2 * MINUTE);
			return [422, { message: 'no' }];
		});
		accept('B');

		const { items: output, error } = await encode(
			{
				recipients: `={{ $json.id === 'A' && Date.now() > ${start + MINUTE} ? 'nobody' : 'a@x.example' }}`,
			},
			{},
			{ items: items.slice(0, 2), ...tries },
		);
		jest.restoreAllMocks();

		expect(error).toBeUndefined();
		expect(output).toHaveLength(2);
	});
});

describe('If Container Exists with Retry On Fail', () => {
	const existing = [{ uuid: 'c-B', name: 'B' }];

	it('Fail does not mistake what an earlier try created for an existing container', async () => {
		service.get(listPath).reply(200, []);
		accept('A');
		respond(422);
		accept('B');

		const { items: output, error } = await encode(
			{},
			{ ifExists: 'fail' },
			{ items: items.slice(0, 2), ...tries },
		);

		expect(error).toBeUndefined();
		expect(output).toHaveLength(2);
		expect(sentNames()).toEqual(['A', 'B', 'B']);
	});

	it('Fail does not send an item again whose outcome is unknown', async () => {
		service.get(listPath).reply(200, []);
		respond(500);

		const { error } = await encode({}, { ifExists: 'fail' }, { items: [items[1]], ...tries });

		expect(uploads()).toHaveLength(1);
		expect(error?.description).toMatch(unknown);
	});

	it('Reuse finds a container whose outcome was unknown', async () => {
		service.get(listPath).reply(200, []);
		respond(500);
		service.get(listPath).reply(200, existing);
		service.get('/containers/c-B/drm').reply(200, { dynamic: true });

		const { items: output, error } = await encode(
			{},
			{ ifExists: 'reuse' },
			{ items: [items[1]], ...tries },
		);

		expect(error).toBeUndefined();
		expect(uploads()).toHaveLength(1);
		expect(output[0].json).toMatchObject({ container: { uuid: 'c-B' } });
	});

	it('Reuse does not name what it found among what might have been created', async () => {
		service.get(listPath).reply(200, []);
		respond(500);
		service.get(listPath).reply(200, existing);
		service.get('/containers/c-B/drm').reply(200, { dynamic: true });
		respond(422);

		const { error } = await encode(
			{},
			{ ifExists: 'reuse' },
			{ items: [items[1], items[2]], ...tries, maxTries: 2 },
		);

		expect(error?.message).toMatch(/did not accept .* \[item 1\]/);
		expect(error?.description).not.toMatch(/might have been created/i);
	});

	it('Reuse sends nothing again when the container does not appear', async () => {
		service.get(listPath).times(3).reply(200, []);
		respond(500);

		const { error } = await encode({}, { ifExists: 'reuse' }, { items: [items[1]], ...tries });

		expect(uploads()).toHaveLength(1);
		expect(error?.description).toMatch(unknown);
	});

	it('Reuse names the unknown outcome, although a later try fails for another reason', async () => {
		service.get(listPath).reply(200, []);
		respond(500);
		service.get(listPath).reply(422);
		service.get(listPath).reply(200, []);

		const { error } = await encode({}, { ifExists: 'reuse' }, { items: [items[1]], ...tries });

		expect(error?.message).toMatch(/could not encode the files \(status 500\)/);
		expect(error?.description).toMatch(unknown);
	});

	it('Reuse knows what an earlier try created, even if the list does not show it yet', async () => {
		service.get(listPath).reply(200, []);
		accept('A');
		respond(422);
		accept('B');
		service.get('/containers/c-A/drm').reply(200, { dynamic: true });

		const { items: output } = await encode(
			{},
			{ ifExists: 'reuse' },
			{ items: itemsWith('A', 'B', 'A'), ...tries },
		);

		expect(sentNames()).toEqual(['A', 'B', 'B']);
		expect(output.map(({ json }) => (json.container as { uuid: string }).uuid)).toEqual([
			'c-A',
			'c-B',
			'c-A',
		]);
	});
});
