import type { IDataObject } from 'n8n-workflow';
import { mockService } from '../../support/nock.cts';
import { newService } from '../support/operations.cts';
import { containers, pollingsOf } from '../support/polling.cts';

const service = mockService();
const start = pollingsOf(service);

const path = '/users/user-1/events';
const since = (after?: string) => ({ limit: '1000', ...(after === undefined ? {} : { after }) });
const newest = (limit: number) => ({ order: 'desc', limit: String(limit) });
const respond = (query: object, ...events: IDataObject[]) =>
	service
		.get(path)
		.query({ ...query })
		.reply(200, events);

const event = (id: number, action: string, name = 'Invoice'): IDataObject => ({
	id: String(id),
	created_date: '2026-01-15T09:30:00.123Z',
	action: `container.${action}`,
	container_id: 'c-1',
	container_name: name,
	user: 'ada@example.com',
	detail: { ip: '192.0.2.7', country: 'DE', ...(action === 'refuse' ? { reason: 'time' } : {}) },
});
const item = (shown: IDataObject) => ({ containerId: 'c-1', ...shown });

describe.each([
	['containerOpened', 'open', 'refuse'],
	['accessRefused', 'refuse', 'open'],
])('%s', (name, action, other) => {
	it('is each event since the last poll, in order, as the service returned it', async () => {
		const polling = start(name);
		respond(newest(1), event(7, action));
		const polls = [await polling.poll({})];
		respond(since('7'), event(8, action), event(9, other), event(10, action));
		polls.push(await polling.poll({}));
		respond(since('10'));
		polls.push(await polling.poll({}));
		respond(since('10'), event(11, other));
		polls.push(await polling.poll({}));
		respond(since('11'), event(12, action));
		polls.push(await polling.poll({}));

		expect(polls.map(({ error }) => error)).toEqual(Array(5).fill(undefined));
		expect(polls.map(({ items }) => items === null)).toEqual([true, false, true, true, false]);
		expect(polls.flatMap(({ emitted }) => emitted)).toStrictEqual(
			[8, 10, 12].map((id) => item(event(id, action))),
		);
		expect(service.requests.filter(({ path: sent }) => sent.includes('/events'))).toHaveLength(5);
	});

	it('is found after a first poll that found no event at all', async () => {
		const polling = start(name);
		respond(newest(1));
		await polling.poll({});
		respond(since(), event(1, action));

		expect((await polling.poll({})).emitted).toEqual([item(event(1, action))]);
	});

	it('is neither lost nor repeated when a page fails', async () => {
		const polling = start(name);
		respond(newest(1), event(1, action));
		await polling.poll({});
		const link = `<${path.replace('/', '/api/v1/')}?cursor=x>; rel="next"`;
		const respondFirst = () =>
			service
				.get(path)
				.query(since('1'))
				.reply(200, [event(2, action)], { link });
		respondFirst();
		service.get(path).query({ cursor: 'x' }).reply(500);
		const failed = await polling.poll({});
		respondFirst();
		service
			.get(path)
			.query({ cursor: 'x' })
			.reply(200, [event(3, action)]);
		const next = await polling.poll({});

		expect([failed.error === undefined, failed.items]).toEqual([false, null]);
		expect(next.emitted.map(({ id }) => id)).toEqual(['2', '3']);
	});

	it('is only one of a container whose name contains the text, of which others are not read again', async () => {
		const polling = start(name, { nameContains: 'inv*2026' });
		respond(newest(1), event(1, action));
		await polling.poll({});
		respond(since('1'), event(2, action, 'Invoice 2026'), event(3, action, 'Contract'));
		const { emitted } = await polling.poll({});
		// Another name is no new beginning.
		polling.set({ nameContains: '' });
		respond(since('3'), event(4, action, 'Contract'));

		expect(emitted.map(({ id }) => id)).toEqual(['2']);
		expect((await polling.poll({})).emitted.map(({ id }) => id)).toEqual(['4']);
	});

	it('shows the newest in a test, and what there is to do without one', async () => {
		const many = [6, 5, 4, 3, 2, 1].map((id) => event(id, action));
		respond(newest(1000), event(7, other), ...many);
		const { emitted, staticData } = await start(name).poll({}, { mode: 'manual' });
		respond(newest(1000), event(7, other));
		const nothing = await start(name).poll({}, { mode: 'manual' });

		expect(emitted.map(({ id }) => id)).toEqual(['6', '5', '4', '3', '2']);
		expect(emitted[0]).toEqual({
			sample: expect.stringContaining('an example') as string,
			...item(event(6, action)),
		});
		expect(staticData).toEqual({});
		expect(nothing.error?.message).toMatch(/yet$/);
	});

	it('says clearly where the service has no events', async () => {
		for (const features of [undefined, ['etag']]) {
			const credentials = newService();
			service.get('/me').reply(200, { id: 'user-1', features });
			const { error, staticData } = await start(name).poll({}, { credentials });

			expect(error).toMatchObject({
				message: "The service doesn't tell who opens containers",
				description: expect.stringMatching(/"events" in "features".*Ask the operator/) as string,
				failure: { cause: 'configuration-invalid' },
			});
			expect(staticData).toEqual({});
		}
	});
});

it('another event starts over', async () => {
	const polling = start('containerCreated');
	await polling.poll({ containers: containers('a') });
	polling.set({ event: 'containerOpened' });
	respond(newest(1), event(5, 'open'));

	expect((await polling.poll({})).items).toBeNull();
});
