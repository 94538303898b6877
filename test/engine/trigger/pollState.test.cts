import { mockService } from '../../support/nock.cts';
import { pollingsOf, containers, dayFromNow, createIds } from '../support/polling.cts';

const service = mockService();
const start = pollingsOf(service);

describe('the poll state', () => {
	it.each([
		['containerCreated', 42],
		['containerDeleted', 90],
		['drmChanged', 98],
		['accessEnding', 52],
		['contactCreated', 30],
		['contactChanged', 38],
		['contactDeleted', 30],
	])('is small for %s: at most %i bytes for each of many', async (event, maxBytes) => {
		const count = 1000;
		const ids = createIds(count).map((id) => `${id}-4b1d-4c7a-9e36-2b7d1f4a6c90`.padStart(36, '0'));
		const polling = start(event, { options: { maxConcurrent: 100, maxRetries: 0 } });
		const end = dayFromNow(1, 'UTC');
		const needsRules = event === 'drmChanged' || event === 'accessEnding';
		const polled = needsRules ? ids.slice(0, 200) : ids;
		const rules = Object.fromEntries(polled.map((id) => [id, { time: { end }, opens: 1 }]));

		const { error } = await polling.poll(
			event.startsWith('contact')
				? { contacts: polled.map((_id, number) => ({ email: `some.one.${number}@example.com` })) }
				: {
						containers: polled.map((uuid) => ({ uuid, name: `Contract ${uuid}` })),
						rules: needsRules ? rules : {},
					},
		);

		expect(error).toBeUndefined();
		const bytes = Buffer.byteLength(JSON.stringify(polling.staticData));
		process.stdout.write(`${event}: ${polled.length} records are remembered in ${bytes} bytes\n`);
		expect(bytes / polled.length).toBeLessThan(maxBytes + 1);
	});

	it('is removed with the record', async () => {
		const ids = createIds(20);
		for (const event of ['containerCreated', 'containerDeleted']) {
			const polling = start(event);
			await polling.poll({ containers: containers(...ids) });
			await polling.poll({ containers: containers('c-1'), deleted: ids.slice(1) });

			const small = start(event);
			await small.poll({ containers: containers('c-1') });
			expect(polling.staticData).toEqual(small.staticData);
		}
	});
});
