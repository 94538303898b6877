import { NodeApiError } from 'n8n-workflow';
import { mockService } from '../../support/nock.cts';
import { containers, pollingsOf } from '../support/polling.cts';

const service = mockService();
const start = pollingsOf(service);

describe('a list', () => {
	it.each<[string, unknown]>([
		['a list of which an entry has no identifier', [{ title: 'a' }, { uuid: 'b' }]],
	])('that is %s fails the poll and does not change the state', async (_shape, response) => {
		for (const event of ['containerDeleted', 'contactCreated']) {
			const list = event.startsWith('contact') ? 'contacts' : 'containers';
			const existing = list === 'contacts' ? [{ email: 'a@example.com' }] : [{ uuid: 'a' }];
			const polling = start(event);
			await polling.poll({ [list]: existing });
			const before = structuredClone(polling.staticData);

			const { error, items } = await polling.poll({ [list]: response });

			expect(error).toBeInstanceOf(NodeApiError);
			expect(items).toBeNull();
			expect(polling.staticData).toEqual(before);
		}
	});
});

it('what is listed on any page exists, and nothing is deleted where a page fails', async () => {
	const link = '</api/v1/users/user-1/containers?page=2>; rel="next"';
	const first = { status: 200, body: containers('a', 'b'), headers: { link } };
	const respondSecond = (status: number, ...ids: string[]) =>
		service.get('/users/user-1/containers?page=2').reply(status, containers(...ids));
	const polling = start('containerDeleted');
	const emitted: unknown[] = [];
	for (const [status, ...ids] of [[200, 'c', 'd'], [500], [200, 'd']] as Array<[number]>) {
		respondSecond(status, ...(ids as string[]));
		const poll = await polling.poll({ containers: first });
		expect(poll.error === undefined).toBe(status === 200);
		emitted.push(poll.emitted);
	}

	expect(emitted).toEqual([[], [], [{ containerId: 'c', name: 'Name of c' }]]);
});

it('what cannot be read to its end fails the poll, and the message says by which field', async () => {
	const polling = start('containerDeleted');
	await polling.poll({ containers: containers('a', 'b') });
	const before = structuredClone(polling.staticData);

	const { error } = await polling.poll({ containers: { data: containers('a'), total: 2 } });

	expect(error?.message).toMatch(/"total" is 2/);
	expect(polling.staticData).toEqual(before);
});

it('Query Parameters are sent with the list, and others start over', async () => {
	const query = (value: string) => ({
		options: { maxRetries: 0, query: { parameters: [{ name: 'name', value }] } },
	});
	const respond = (name: string, ...ids: string[]) =>
		service
			.get('/users/user-1/containers')
			.query({ name })
			.reply(200, containers(...ids));
	const polling = start('containerDeleted', query('one'));
	respond('one', 'a');
	await polling.poll({});
	polling.set(query('two'));
	respond('two', 'b');
	const other = await polling.poll({});
	respond('two');
	const last = await polling.poll({});

	expect(other.items).toBeNull();
	expect(last.emitted).toMatchObject([{ containerId: 'b' }]);
});
