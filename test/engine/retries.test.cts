import type { OnError } from 'n8n-workflow';
import { runNode } from '../support/engine.cts';
import { mockService } from '../support/nock.cts';
import { containerId, itemsWith, userId } from './support/operations.cts';

const service = mockService();

const get = async (ids: string[], options: object, onError?: OnError) =>
	await runNode({
		parameters: {
			resource: 'container',
			operation: 'get',
			containerId: containerId('={{ $json.id }}'),
			options: { userId, ...options },
		},
		items: itemsWith(...ids),
		onError,
	});

const respond = (id: string, status: number, headers: Record<string, string> = {}) =>
	service
		.get(`/containers/${id}`)
		.reply(status, status === 200 ? { uuid: id } : { message: 'No' }, headers);

const sentIds = () => service.requests.map(({ path }) => path.split('/').at(-1));

/** How many seconds the service asks to wait. */
const wait = { 'retry-after': '0.2' };

describe('retries', () => {
	it('of a request with an unknown outcome find that the record is missing', async () => {
		respond('a', 502);
		respond('a', 404);

		const { error } = await get(['a'], { maxRetries: 1 });

		expect(error?.httpCode).toBe('404');
		expect(sentIds()).toHaveLength(2);
	});

	it('keep their place in the order of the items', async () => {
		respond('a', 429, wait);
		for (const id of ['a', 'b', 'c']) respond(id, 200);

		await get(['a', 'b', 'c'], { maxRetries: 2, maxConcurrent: 1 });

		expect(sentIds()).toEqual(['a', 'a', 'b', 'c']);
	});

	it.each(['503', 'no response'])(
		'after a rate limit are sent one by one until one is accepted: %s',
		async (refusal) => {
			const events: string[] = [];
			const accept = (id: string) =>
				service.get(`/containers/${id}`).reply(async () => {
					events.push(`${id} starts`);
					await new Promise((resolve) => setTimeout(resolve, 50));
					events.push(`${id} ends`);
					return [200, { uuid: id }];
				});
			respond('1', 429, wait);
			if (refusal === '503') respond('1', 503);
			else service.get('/containers/1').replyWithError('No');
			for (const id of ['0', '00', '000']) accept(id);

			const { items } = await get(
				['1', '0', '00', '000'],
				{ maxRetries: '={{ Number($json.id) }}', maxConcurrent: 2 },
				'continueRegularOutput',
			);

			expect(items).toHaveLength(4);
			expect(events.slice(2, 5)).toEqual(['00 starts', '00 ends', '000 starts']);
		},
	);

	it('after a rate limit pause the other items, too', async () => {
		const start = Date.now();
		const times: number[] = [];
		respond('a', 429, wait);
		for (const id of ['a', 'b']) {
			service.get(`/containers/${id}`).reply(() => {
				times.push(Date.now() - start);
				return [200, { uuid: id }];
			});
		}

		await get(['a', 'b'], { maxRetries: 2, maxConcurrent: 1 });

		for (const time of times) expect(time).toBeGreaterThanOrEqual(190);
	});

	it('after an outage of one request do not pause the others', async () => {
		respond('a', 502);
		for (const id of ['a', 'b']) respond(id, 200);

		await get(['a', 'b'], { maxRetries: 1, maxConcurrent: 2 });

		expect(sentIds()).toEqual(['a', 'b', 'a']);
	});

	it.each([
		['429 is answered at once, to all others too', 429, ['a']],
		['503 fails alone', 503, ['a', 'b']],
	])('do not follow after a Retry-After of more than an hour: %s', async (_what, status, sent) => {
		respond('a', status, { 'retry-after': '3601' });
		if (sent.includes('b')) respond('b', 200);

		const options = { maxRetries: 5, maxConcurrent: 1 };
		const { items } = await get(['a', 'b'], options, 'continueRegularOutput');

		expect(sentIds()).toEqual(sent);
		expect(items.map(({ json }) => json.httpCode)).toEqual([
			String(status),
			status === 429 ? '429' : undefined,
		]);
	});
});
