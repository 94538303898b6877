import { defaultCredentials } from '../../support/engine.cts';
import { mockService } from '../../support/nock.cts';
import {
	pollingsOf,
	containers,
	createdItems,
	dayFromNow,
	createIds,
	expectUserOf,
} from '../support/polling.cts';

const service = mockService();
const start = pollingsOf(service);

describe('the poll state', () => {
	it.each([
		['containerCreated', 18, /^$/],
		['containerDeleted', 102, /^(?=.*4b1d-4c7a)(?=.*Contract)/],
		['drmChanged', 84, /^$/],
		['accessEnding', 31, /^$/],
		['contactCreated', 18, /^$/],
		['contactChanged', 26, /^$/],
		['contactDeleted', 44, /^(?=.*some\.one\.7@example)/],
	])(
		'contains at most %2$i bytes for each record, and what only deletions need: %1$s',
		async (event, maxBytes, contained) => {
			const ids = createIds(200).map((id) => `${id}-4b1d-4c7a-9e36-2b7d1f4a6c90`.padStart(36, '0'));
			const polling = start(event, { options: { maxConcurrent: 100, maxRetries: 0 } });
			const end = dayFromNow(1, 'UTC');
			const isOfRules = event === 'drmChanged' || event === 'accessEnding';
			const recipients = ['some.one.1@example.com', 'some.one.2@example.com'];
			const rules = Object.fromEntries(ids.map((id) => [id, { time: { end }, recipients }]));

			const { error } = await polling.poll(
				event.startsWith('contact')
					? { contacts: ids.map((_id, number) => ({ email: `some.one.${number}@example.com` })) }
					: {
							containers: ids.map((uuid) => ({ uuid, name: `Contract ${uuid}` })),
							rules: isOfRules ? rules : {},
						},
			);

			expect(error).toBeUndefined();
			const saved = JSON.stringify(polling.staticData);
			expect(Buffer.byteLength(saved) / ids.length).toBeLessThan(maxBytes + 1);
			expect(saved.match(/.*(4b1d|Contract|example).*/)?.[0] ?? '').toMatch(contained);
		},
	);

	it('contains no API key that the service shows in the rules', async () => {
		const { apiKey } = defaultCredentials;
		const polling = start('drmChanged', { options: { includePreviousRules: true } });

		await polling.poll({
			containers: containers('c-1'),
			rules: { 'c-1': { recipients: [`${apiKey}@x.example`] } },
		});

		expect(JSON.stringify(polling.staticData)).toContain('[hidden]@x.example');
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

	it('starts over for the API key of another user, and continues for another key of the same user', async () => {
		const polling = start('containerCreated');
		await polling.poll({ containers: containers('a') });

		const same = expectUserOf(service, 'another-key-of-the-same-user');
		const sameUser = await polling.poll(
			{ containers: containers('a', 'b') },
			{ credentials: same },
		);
		expect(sameUser.emitted).toEqual(createdItems('b'));

		const other = expectUserOf(service, 'a-key-of-another-user', { id: 'user-2' });
		const otherUser = await polling.poll(
			{ containers: containers('x', 'y'), userId: 'user-2' },
			{ credentials: other },
		);
		expect(otherUser.items).toBeNull();
	});

	it('starts over for another user of the same key', async () => {
		const polling = start('containerCreated');
		await polling.poll({ containers: containers('a') });
		polling.set({ options: { userId: 'user-7' } });

		expect(
			(await polling.poll({ containers: containers('b'), userId: 'user-7' })).items,
		).toBeNull();
		const { emitted } = await polling.poll({ containers: containers('b', 'c'), userId: 'user-7' });
		expect(emitted).toEqual(createdItems('c'));
	});
});
