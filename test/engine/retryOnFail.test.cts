import type { IDataObject } from 'n8n-workflow';
import { mockService } from '../support/nock.cts';
import { contactsOf, pathOf, sync, table } from './support/contacts.cts';
import { encode, path as encodePath, uploadsTo } from './support/encode.cts';
import {
	byId,
	containersPath,
	itemsWith,
	operation,
	outputOf,
	tries,
} from './support/operations.cts';

const MINUTE = 60_000;
const all = itemsWith('A', 'B', 'C', 'D');
const continuing = { onError: 'continueRegularOutput' as const, ...tries };
const unknown = /might have been created.*In a later try: /;
const unsent = /might have been created.*In a later try: Retry On Fail did not send it again\./;
const idsOf = (output: IDataObject[]) => output.map(({ containerId }) => containerId);

describe('Retry On Fail', () => {
	const service = mockService();
	const { uploads, sentNames, accept } = uploadsTo(service);
	const respond = (status: number) => service.post(encodePath).reply(status, { message: 'no' });

	afterEach(() => jest.restoreAllMocks());

	describe('of Encode', () => {
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

		it('never sends an item again whose outcome is unknown, nor the items after it', async () => {
			accept('A');
			respond(500);

			const { error } = await encode({}, {}, { items: all, ...tries });

			expect(sentNames()).toEqual(['A', 'B']);
			expect(error?.message).toMatch(/status 500\) \[item 1\]/);
			expect(error?.description).toMatch(unsent);
		});

		it.each(['perItem', 'allItems'])(
			'still says what might have been created when a parameter fails in a later try: %s',
			async (containerMode) => {
				const start = Date.now();
				service.post(encodePath).reply(() => {
					jest.spyOn(Date, 'now').mockImplementation(() => start + 2 * MINUTE);
					return [500, { message: 'no' }];
				});
				const later = `Date.now() > ${start + MINUTE}`;
				const textContent = `={{ ${later} ? $('No Such Node').item.json.id : 'x' }}`;
				const more = { items: itemsWith('A'), ...continuing };

				const [shown] = await outputOf(encode({ containerMode, name: 'A', textContent }, {}, more));

				expect(uploads()).toHaveLength(1);
				expect(shown.errorDescription).toMatch(unknown);
			},
		);

		it.each([
			['the user', 'create', '/me'],
			['the containers', 'reuse', containersPath],
		])('still says it where a later try can not ask for %s', async (_what, ifExists, asked) => {
			const found = asked === '/me' ? { id: 'user-1', features: [] } : [];
			service.get(asked).query(true).reply(200, found);
			service.get(asked).query(true).times(2).reply(502, {});
			respond(500);

			const items = itemsWith('A');
			const [shown] = await outputOf(encode({}, { ifExists }, { items, ...continuing }));

			expect(uploads()).toHaveLength(1);
			expect(shown.errorDescription).toMatch(unknown);
		});

		it('creates one container for all items once', async () => {
			respond(422);
			accept('Invoice');
			const parameters = { containerMode: 'allItems', name: 'Invoice' };

			const { items } = await encode(parameters, {}, { items: all, ...tries });

			expect(uploads()).toHaveLength(2);
			const pairedItem = all.map((_item, item) => ({ item }));
			expect(items).toEqual([expect.objectContaining({ pairedItem })]);
		});
	});

	describe('of Encode with an idempotency key', () => {
		const offer = () => {
			const user = { id: 'user-1', features: ['idempotency_key'] };
			service.get('/me').times(2).reply(200, user);
		};
		const keys = () => uploads().map(({ headers }) => headers['idempotency-key']);

		it('sends the same one in each try of an item, so nothing is unknown', async () => {
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
			const key = expect.stringMatching(/^[\da-f-]{36}$/) as string;
			expect(others).toEqual([key, key, key]);
			expect(new Set([first, ...others]).size).toBe(2);
		});

		it.each(['fail', 'reuse'])('finds what an earlier try created with "%s"', async (ifExists) => {
			offer();
			service.get(containersPath).query(true).reply(200, []);
			respond(500);
			accept('B');

			const { items } = await encode({}, { ifExists }, { items: itemsWith('B'), ...tries });

			expect(items[0].json).toMatchObject({ containerId: 'c-B' });
			expect(new Set(keys()).size).toBe(1);
		});
	});

	describe('of Encode with If Container Exists', () => {
		const list = (...containers: object[]) =>
			service.get(containersPath).query(true).reply(200, containers);

		it('Fail does not mistake what an earlier try created for an existing container', async () => {
			for (let read = 0; read < 3; read += 1) list();
			accept('A');
			respond(422);
			accept('B');

			const more = { items: itemsWith('A', 'B'), ...tries };
			expect(await outputOf(encode({}, { ifExists: 'fail' }, more))).toHaveLength(2);
			expect(sentNames()).toEqual(['A', 'B', 'B']);
		});

		it('Reuse finds a container whose outcome was unknown', async () => {
			list();
			respond(500);
			list({ uuid: 'c-B', name: 'B' });
			service.get('/containers/c-B/drm').reply(200, { dynamic: true, downloadable: false });

			const more = { items: itemsWith('B'), ...tries };
			const output = await outputOf(encode({}, { ifExists: 'reuse' }, more));

			expect(idsOf(output)).toEqual(['c-B']);
			expect(uploads()).toHaveLength(1);
		});
	});

	describe('of Delete', () => {
		const remove = operation('container: delete', byId('={{ $json.id }}'));
		const answer = (...answers: Array<[id: string, status: number]>) => {
			for (const [id, status] of answers) service.delete(`/containers/${id}`).reply(status);
		};

		it('deletes each container once, although one has an unknown outcome at first', async () => {
			answer(['1', 204], ['2', 500], ['2', 404], ['3', 204]);

			const output = await outputOf(remove({}, {}, { items: itemsWith('1', '2', '3'), ...tries }));

			expect(service.requests.map(({ path }) => path.at(-1)).join('')).toBe('1223');
			expect(idsOf(output)).toEqual(['1', '2', '3']);
		});

		it('does not take a record that is not found for another one that it deleted', async () => {
			answer(['1', 204], ['2', 404]);

			const { items } = await remove({}, {}, { items: itemsWith('1', '2'), ...continuing });

			expect(items.map(({ json }) => json.deleted)).toEqual([true, undefined]);
		});

		it.each([
			['after a lost response', 503, true],
			['not after a rate limit', 429, undefined],
		])('counts what is not found as deleted %s', async (_when, status, deleted) => {
			answer(['1', status], ['1', 404]);

			const { items } = await remove({}, { maxRetries: 1 }, { items: itemsWith('1') });

			expect(items[0]?.json.deleted).toBe(deleted);
		});
	});

	it('of Sync deletes only what is missing in all items, and has what each try did', async () => {
		const { holds, changes } = contactsOf(service);
		const [anna, bob, cleo, dora] = ['anna', 'bob', 'cleo', 'dora'].map((name) => ({
			...{ email: `${name}@example.com`, first_name: name },
		}));
		holds(cleo, dora);
		for (const { email } of [anna, bob]) service.patch(pathOf(email)).reply(204);
		service.delete(pathOf(cleo.email)).reply(204);
		for (const status of [422, 204]) service.delete(pathOf(dora.email)).reply(status);
		const more = { parameters: { deleteMissing: true }, options: { maxDeletions: 100 } };

		const output = await outputOf(sync(table(anna, bob), { ...more, ...tries }));

		expect(changes()).toHaveLength(5);
		expect(output.map(({ action, email }) => [action, email]).sort()).toEqual([
			...[anna, bob].map(({ email }) => ['created', email]),
			...[cleo, dora].map(({ email }) => ['deleted', email]),
		]);
	});
});
