import type { IDataObject } from 'n8n-workflow';
import { mockService } from '../../support/nock.cts';
import { pollingsOf } from '../support/polling.cts';

const service = mockService();
const start = pollingsOf(service);

const path = '/users/user-1/events';
const since = (after?: string) => ({ limit: '1000', ...(after === undefined ? {} : { after }) });
const newest = (limit: number) => ({ order: 'desc', limit: String(limit) });
const respond = (query: IDataObject, ...events: IDataObject[]) =>
	service
		.get(path)
		.query(query as never)
		.reply(200, events);

const event = (id: number, action: string, name = 'Invoice'): IDataObject => ({
	...{ id: String(id), action: `container.${action}`, container_id: 'c-1', container_name: name },
	...{ user: 'ada@example.com', detail: { ip: '192.0.2.7' } },
});

describe('the events of the service', () => {
	it('are found after a first poll that found none, as the service returned them', async () => {
		const polling = start('containerOpened');
		respond(newest(1));
		await polling.poll({});
		respond(since(), event(1, 'open'), event(2, 'refuse'));
		const { emitted } = await polling.poll({});
		respond(since('2'));

		expect(emitted).toEqual([{ containerId: 'c-1', ...event(1, 'open') }]);
		expect((await polling.poll({})).items).toBeNull();
	});

	it('are neither lost nor repeated when a page fails', async () => {
		const polling = start('accessRefused');
		respond(newest(1), event(1, 'refuse'));
		await polling.poll({});
		const link = `<${path.replace('/', '/api/v1/')}?cursor=x>; rel="next"`;
		const polls = [];
		for (const status of [500, 200]) {
			service
				.get(path)
				.query(since('1'))
				.reply(200, [event(2, 'refuse')], { link });
			service
				.get(path)
				.query({ cursor: 'x' })
				.reply(status, [event(3, 'refuse')]);
			polls.push(await polling.poll({}));
		}

		expect(polls.map(({ error }) => error === undefined)).toEqual([false, true]);
		expect(polls.flatMap(({ emitted }) => emitted.map(({ id }) => id))).toEqual(['2', '3']);
	});

	it('are not read again for another name', async () => {
		const polling = start('containerOpened', { nameContains: 'inv*2026' });
		respond(newest(1), event(1, 'open'));
		await polling.poll({});
		respond(since('1'), event(2, 'open', 'Invoice 2026'), event(3, 'open', 'Contract'));
		const { emitted } = await polling.poll({});
		polling.set({ nameContains: '' });
		respond(since('3'), event(4, 'open', 'Contract'));

		expect(emitted.map(({ id }) => id)).toEqual(['2']);
		expect((await polling.poll({})).emitted.map(({ id }) => id)).toEqual(['4']);
	});

	it('are shown in a test, the newest first', async () => {
		const many = [6, 5, 4, 3, 2, 1].map((id) => event(id, 'open'));
		respond(newest(1000), event(7, 'refuse'), ...many);

		const { emitted, staticData } = await start('containerOpened').poll({}, { mode: 'manual' });

		expect(emitted.map(({ id }) => id)).toEqual(['6', '5', '4', '3', '2']);
		expect(emitted[0].sample).toMatch(/an example/);
		expect(staticData).toEqual({});
	});
});
