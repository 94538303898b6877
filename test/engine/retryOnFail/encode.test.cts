import type { IDataObject } from 'n8n-workflow';
import { mockService } from '../../support/nock.cts';
import { encode, path as encodePath, uploadsTo, withoutSettings } from '../support/encode.cts';
import { containersPath, inBatchesOf, itemsWith, outputOf, tries } from '../support/operations.cts';

const service = mockService();
const { uploads, sentNames, accept } = uploadsTo(service);

const MINUTE = 60_000;
const all = itemsWith('A', 'B', 'C', 'D');
const continuing = { onError: 'continueRegularOutput' as const, ...tries };
const unknown = /might have been created.*Retry On Fail did not send it again\./;
const respond = (status: number) => service.post(encodePath).reply(status, { message: 'no' });
const list = (...containers: object[]) =>
	service.get(containersPath).query(true).reply(200, containers);
const showRules = (id: string, times = 1) =>
	service.get(`/containers/${id}/drm`).times(times).reply(200, { dynamic: true });
const idsOf = (output: IDataObject[]) =>
	output.map(({ container }) => (container as { uuid: string }).uuid);

describe('Encode with Retry On Fail', () => {
	it('creates each container once when one item is refused each time, and names them', async () => {
		accept('A');
		for (let attempt = 0; attempt < 3; attempt += 1) respond(422);

		const { error } = await encode({}, {}, { items: all, ...tries });

		expect(sentNames()).toEqual(['A', 'B', 'B', 'B']);
		expect(error?.message).toMatch(/did not accept .* \[item 1\]/);
		expect(error?.description).toMatch(
			/Created before the execution stopped: container "A" \(c-A\)/,
		);
	});

	it.each([
		['requests in flight', {}, 4],
		['batches', inBatchesOf(2, 20), 1],
	])('keeps what the other items created: %s', async (_what, parameters, maxConcurrent) => {
		service.post(encodePath, /"name":"A"/).reply(422, { message: 'no' });
		for (const name of ['A', 'B', 'C', 'D']) {
			service
				.post(encodePath, new RegExp(`"name":"${name}"`))
				.delay(30)
				.reply(200, { container: { uuid: `c-${name}`, name } });
		}

		const output = await outputOf(encode(parameters, { maxConcurrent }, { items: all, ...tries }));

		expect(uploads()).toHaveLength(5);
		expect(idsOf(output)).toEqual(['c-A', 'c-B', 'c-C', 'c-D']);
	});

	it('never sends an item again whose outcome is unknown, nor the items after it', async () => {
		accept('A');
		respond(500);

		const { error } = await encode({}, {}, { items: all, ...tries });

		expect(sentNames()).toEqual(['A', 'B']);
		expect(error?.message).toMatch(/status 500\) \[item 1\]/);
		expect(error?.description).toMatch(unknown);
		expect(error?.description?.match(/container "B"/g)).toHaveLength(1);
	});

	it('never sends an item again whose outcome is unknown, where the node continues', async () => {
		respond(500);
		accept('B', 'C', 'D');

		const { items } = await encode({}, {}, { items: all, ...continuing });

		expect(sentNames()).toEqual(['A', 'B', 'C', 'D']);
		expect(items[0].json.errorDescription).toMatch(unknown);
	});

	it.each(['perItem', 'allItems'])(
		'still says what might have been created when a parameter fails in a later try: %s',
		async (containerMode) => {
			const start = Date.now();
			service.post(encodePath).reply(() => {
				jest.spyOn(Date, 'now').mockImplementation(() => start + 2 * MINUTE);
				return [500, { message: 'no' }];
			});
			const textContent = `={{ Date.now() > ${start + MINUTE} ? $('No Such Node').item.json.id : 'x' }}`;

			const [shown] = await outputOf(
				encode(
					{ containerMode, name: 'A', textContent },
					{},
					{ items: itemsWith('A'), ...continuing },
				).finally(() => jest.restoreAllMocks()),
			);

			expect(uploads()).toHaveLength(1);
			expect(shown.errorDescription).toMatch(unknown);
		},
	);

	it.each([1, 4])('creates one container for all of %i items once', async (count) => {
		respond(422);
		accept('Invoice');
		const items = all.slice(0, count);
		const parameters = { containerMode: 'allItems', name: 'Invoice' };

		const { items: output } = await encode(parameters, {}, { items, ...tries });

		expect(uploads()).toHaveLength(2);
		const links = items.map((_item, item) => ({ item }));
		expect(output.map(({ pairedItem }) => pairedItem)).toEqual([count === 1 ? links[0] : links]);
	});

	it('does not look at an item again that is done', async () => {
		const start = Date.now();
		accept('A');
		service.post(encodePath).reply(() => {
			jest.spyOn(Date, 'now').mockImplementation(() => start + 2 * MINUTE);
			return [422, { message: 'no' }];
		});
		accept('B');
		const recipients = `={{ $json.id === 'A' && Date.now() > ${start + MINUTE} ? 'nobody' : 'a@x.example' }}`;

		const running = encode({ recipients }, {}, { items: all.slice(0, 2), ...tries });
		const output = await outputOf(running.finally(() => jest.restoreAllMocks()));

		expect(output).toHaveLength(2);
	});
});

describe('An idempotency key', () => {
	const offer = () =>
		service.get('/me').reply(200, { id: 'user-1', features: ['idempotency_key'] });
	const keys = () => uploads().map(({ headers }) => headers['idempotency-key']);

	it('is the same in each try of an item, and for no other item, so nothing is unknown', async () => {
		offer();
		accept('A');
		respond(500);
		service.post(encodePath).reply(502);
		accept('B');

		const items = itemsWith('A', 'B');
		const output = await outputOf(encode({}, { maxRetries: 1 }, { items, ...tries }));

		expect(idsOf(output)).toEqual(['c-A', 'c-B']);
		expect(sentNames()).toEqual(['A', 'B', 'B', 'B']);
		const [first, ...others] = keys();
		expect(others).toEqual(Array.from({ length: 3 }, () => expect.stringMatching(/^[\da-f]{64}$/)));
		expect(new Set([first, ...others]).size).toBe(2);
	});

	it.each(['fail', 'reuse'])('finds what an earlier try created with "%s"', async (ifExists) => {
		offer();
		list();
		respond(500);
		accept('B');

		const { items } = await encode({}, { ifExists }, { items: itemsWith('B'), ...tries });

		expect(items[0].json).toMatchObject({ containerId: 'c-B' });
		expect(new Set(keys()).size).toBe(1);
	});

	it('does not help where the manifest is another one in each try', async () => {
		offer();
		respond(500);

		const name = '={{ $json.id + Math.random() }}';
		const { error } = await encode({ name }, {}, { items: itemsWith('A'), ...tries });

		expect(uploads()).toHaveLength(1);
		expect(error?.description).toMatch(unknown);
	});
});

describe('If Container Exists with Retry On Fail', () => {
	const existing = { uuid: 'c-B', name: 'B' };
	const reuse = { ifExists: 'reuse' };
	const fail = { ifExists: 'fail' };
	const b = { items: itemsWith('B'), ...tries };

	it('Fail does not mistake what an earlier try created for an existing container', async () => {
		for (let read = 0; read < 3; read += 1) list();
		accept('A');
		respond(422);
		accept('B');

		expect(await outputOf(encode({}, fail, { ...b, items: itemsWith('A', 'B') }))).toHaveLength(2);
		expect(sentNames()).toEqual(['A', 'B', 'B']);
	});

	it('Reuse finds a container whose outcome was unknown', async () => {
		list();
		respond(500);
		list(existing);
		showRules('c-B');

		const { items } = await encode({}, reuse, b);

		expect(items.map(({ json }) => json)).toMatchObject([{ container: existing }]);
		expect(uploads()).toHaveLength(1);
	});

	it('Reuse names the unknown outcome, although a later try fails for another reason', async () => {
		list();
		respond(500);
		service.get(containersPath).query(true).reply(422);
		list();

		const { error } = await encode({}, reuse, b);

		expect(error?.message).toMatch(/could not encode the files \(status 500\)/);
		expect(error?.description).toMatch(unknown);
	});

	it('Reuse looks again for a container that might have been created, before it creates another', async () => {
		const created = { uuid: 'c-1', name: 'Invoice' };
		list();
		respond(504);
		list();
		respond(422);
		list(created);
		list(created);
		showRules('c-1', 2);

		const more = { items: itemsWith('Invoice', 'Invoice'), ...continuing };
		const { items: output } = await encode({}, reuse, more);

		expect(withoutSettings(output)).toEqual(
			[1, 2].map(() => ({ container: created, reused: true })),
		);
		expect(uploads()).toHaveLength(2);
	});
});
