import { defaultCredentials } from '../../support/engine.cts';
import { mockService } from '../../support/nock.cts';
import { pollingsOf, containers, dayFromNow } from '../support/polling.cts';

const service = mockService();
const start = pollingsOf(service);

describe('the items of an event', () => {
	const day = dayFromNow(3, 'UTC');
	const rules = { dynamic: true, recipients: ['b@example.com'], time: { end: day } };

	it.each([
		['a plain record', { uuid: 'new', name: 'New', size: 3 }],
		['an envelope', { org_id: 'user-1', container: { uuid: 'new', name: 'New' } }],
		['a record with a containerId of its own', { containerId: 7, uuid: 'new' }],
	])('contain a new container as listed, with its ID: %s', async (_form, record) => {
		const polling = start('containerCreated');
		await polling.poll({ containers: [] });

		expect((await polling.poll({ containers: [record] })).emitted).toEqual([
			{ ...record, containerId: 'new' },
		]);
	});

	it('contain the ID and at most 200 characters of the name of a deleted container', async () => {
		const full = 'n'.repeat(200);
		const polling = start('containerDeleted');
		await polling.poll({
			containers: [{ uuid: 'a', name: full }, { uuid: 'b', name: `${full}!` }, { uuid: 'c' }],
		});

		expect((await polling.poll({ containers: [], deleted: ['a', 'b', 'c'] })).emitted).toEqual([
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
		expect((await deleted.poll({ contacts: [], deleted: ['a@example.com'] })).emitted).toEqual([
			{ email: 'a@example.com' },
		]);
	});

	it('contain no API key, even when the service returns it', async () => {
		const polling = start('containerDeleted');
		const { apiKey } = defaultCredentials;
		const name = `Made with ${apiKey}`;
		const before = await polling.poll({ containers: [{ uuid: 'a', name }] });
		expect(JSON.stringify(before.staticData)).toContain('Made with');
		expect(JSON.stringify(before.staticData)).not.toContain(apiKey);
		const { items, staticData } = await polling.poll({ containers: [], deleted: ['a'] });

		expect(items?.[0]).toHaveLength(1);
		expect(JSON.stringify([items, staticData])).not.toContain(apiKey);
	});
});
