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
		['containerDeleted', 140, /^(?=.*4b1d-4c7a)(?=.*Contract)/],
		['drmChanged', 94, /^$/],
		['accessEnding', 31, /^$/],
		['contactCreated', 18, /^$/],
		['contactChanged', 30, /^$/],
		['contactDeleted', 62, /^(?=.*some\.one\.7@example)/],
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
});

describe('the items of an event', () => {
	const day = dayFromNow(3, 'UTC');
	const rules = { dynamic: true, recipients: ['b@example.com'], time: { end: day } };

	it.each([
		['an envelope', { org_id: 'user-1', container: { uuid: 'new', name: 'New' } }],
		['a record with a containerId of its own', { containerId: 7, uuid: 'new' }],
	])('contain a new container as listed, with its ID: %s', async (_form, record) => {
		const polling = start('containerCreated');
		await polling.poll({ containers: [] });

		expect((await polling.poll({ containers: [record] })).emitted).toEqual([
			{ ...record, containerId: 'new' },
		]);
	});

	it('contain the ID and a part of the name of a deleted container', async () => {
		const full = 'n'.repeat(150);
		const polling = start('containerDeleted');
		await polling.poll({
			containers: [{ uuid: 'a', name: full }, { uuid: 'b', name: `${full}!` }, { uuid: 'c' }],
		});

		expect((await polling.poll({ containers: [] })).emitted).toEqual([
			{ containerId: 'a', name: full },
			{ containerId: 'b', name: `${full}…` },
			{ containerId: 'c' },
		]);
	});

	it('contain the last day of access, and the days left', async () => {
		const polling = start('accessEnding', {}, { timezone: 'UTC' });
		await polling.poll({ containers: [] });

		const { emitted } = await polling.poll({
			containers: [...containers('a'), { uuid: 'b' }],
			rules: { a: rules, b: rules },
		});

		expect(emitted).toStrictEqual([
			{ containerId: 'a', name: 'Name of a', endsOn: day, daysLeft: 3, rules },
			{ containerId: 'b', endsOn: day, daysLeft: 3, rules },
		]);
	});

	it('contain contacts as listed, and the email address of a deleted one', async () => {
		const before = { email: 'a@example.com', company: 'One' };
		const after = { email: 'a@example.com', company: 'Two', tags: ['x'] };
		const created = start('contactCreated');
		const changed = start('contactChanged');
		const deleted = start('contactDeleted');
		await created.poll({ contacts: [] });
		for (const polling of [changed, deleted]) await polling.poll({ contacts: [before] });

		expect((await created.poll({ contacts: [after] })).emitted).toEqual([after]);
		expect((await changed.poll({ contacts: [after] })).emitted).toEqual([after]);
		expect((await deleted.poll({ contacts: [] })).emitted).toEqual([{ email: 'a@example.com' }]);
	});
});
