import type { IDataObject } from 'n8n-workflow';
import { runListSearch } from '../support/engine.cts';
import { mockService } from '../support/nock.cts';
import { encode } from './support/encode.cts';
import {
	containersPath as path,
	expectRefusal,
	inputItemId,
	itemsWith,
	operation,
	outputOf,
	userId,
} from './support/operations.cts';
import { Polling } from './support/polling.cts';

const service = mockService();

const all = { returnAll: true };
const list = operation('container: getAll');
const numbered = (from: number, to: number) =>
	Array.from({ length: to - from + 1 }, (_value, index) => ({ uuid: `c-${from + index}` }));
const query = (...parameters: IDataObject[]) => ({ query: { parameters } });

describe('Get Many', () => {
	it('links every item to its input: one to many, many to many, none for an empty list', async () => {
		const entries = [
			{ org_id: 'user-1', container: { uuid: 'c-1', name: 'Envelope' } },
			{ uuid: 'c-2', name: 'Plain' },
			{ id: 3, name: null, nested: { a: [1, { b: null }] } },
		];
		for (const part of ['a', 'b', 'c']) {
			const body = part === 'b' ? [] : [null, ...entries];
			service.get(path).query({ of: part }).reply(200, body);
		}
		const ofPart = query({ name: 'of', value: '={{ $json.id }}' });
		const more = { items: itemsWith('a', 'b', 'c'), next: inputItemId };

		const { items, next: inputs } = await list(all, ofPart, more);

		const links = [0, 0, 0, 2, 2, 2];
		const shown = ['c-1', 'c-2', '3'].map((id, index) => ({ containerId: id, ...entries[index] }));
		expect(items.map(({ json }) => json)).toEqual([...shown, ...shown]);
		expect(items.map(({ pairedItem }) => pairedItem)).toEqual(links.map((item) => ({ item })));
		expect(inputs).toEqual(links.map((item) => ({ id: 'abc'[item] })));
	});

	it('links an error to its input, beside the entries of others', async () => {
		service.get(path).query({ of: 'a' }).reply(200, numbered(1, 2));
		service.get(path).query({ of: 'b' }).reply(403, {});
		const ofPart = query({ name: 'of', value: '={{ $json.id }}' });
		const more = { items: itemsWith('a', 'b'), onError: 'continueRegularOutput' } as const;

		const { items } = await list(all, ofPart, more);

		expect(items.map(({ pairedItem }) => pairedItem)).toEqual([0, 0, 1].map((item) => ({ item })));
	});

	it.each([
		['50 entries unless Limit is set', {}, 50],
		['the entered number', { limit: 3 }, 3],
		['all with Return All, also in text', { returnAll: '={{ "true" }}', limit: 1 }, 60],
	])('returns %s', async (_what, parameters, expected) => {
		// Where the limit is reached, nobody needs the rest.
		const more = expected < 60 ? { total: 70 } : {};
		service.get(path).reply(200, { data: numbered(1, 60), ...more });

		const shown = numbered(1, expected).map(({ uuid }) => ({ containerId: uuid, uuid }));
		expect(await outputOf(list(parameters))).toEqual(shown);
	});

	it.each<[IDataObject, IDataObject, string]>([
		[{ limit: 0 }, {}, '"Limit" must be a whole number, 1 or more'],
		[all, query({ name: '={{ $json.no }}', value: 'x' }), '"Query Parameters > Name" is empty'],
		[all, { nameContains: '={{ $json.missing }}' }, '"Name Contains" is empty'],
	])('is refused before anything is sent: %j, %j', async (parameters, options, message) => {
		await expectRefusal(service, list(parameters, options), message);
	});

	it('adds the query encoded, in order, with repeated names, without nameless rows', async () => {
		const sent = `${path}?tag=a%26b%3Dc&tag=%C3%BC+%23&all=`;
		service.get(sent).reply(200, []);
		const rows = [
			{ name: 'tag', value: 'a&b=c' },
			{ name: '', value: 'ignored' },
			{ name: ' tag ', value: 'ü #' },
			{ name: 'all' },
		];

		await outputOf(list(all, query(...rows)));

		expect(service.requests[0].path).toBe(`/api/v1${sent}`);
	});

	it.each<[IDataObject, IDataObject, number]>([
		[{ limit: 3 }, query({ name: 'page', value: '5' }), 2],
		[{ limit: 3 }, { nameContains: 'c' }, 0],
	])('returns a part where that is asked for, and says why: %j, %j', async (...row) => {
		const [parameters, options, count] = row;
		const data = ['c-1', 'c-2'].map((name) => ({ uuid: name, name }));
		service.get(/containers/).reply(200, { data, total: 250 });

		const { error, items, run } = await list(parameters, options);

		expect([items.length, error === undefined]).toEqual([count, count > 0]);
		const message = count > 0 ? run.hints?.[0].message : error?.message;
		expect(message).toMatch(/there might be more .*because "total" is 250, /i);
	});

	it('fetches no page elsewhere', async () => {
		const next = 'https://elsewhere.example.com/api/v1/next';
		service.get(path).reply(200, { data: numbered(1, 2), next });

		expect((await list(all)).error?.message).toMatch(/next page on https/);
		expect(service.requests).toHaveLength(1);
	});
});

interface Found {
	error?: Error;
	found: unknown[];
}

const PEOPLE = ['c-1@example.com', 'c-2@example.com'].map((email) => ({ email }));
const BOXES = ['One', 'Two'].map((name, index) => ({ uuid: `c-${index + 1}`, name }));
const idOf = ({ uuid, containerId = uuid, email = containerId }: IDataObject) => email;

const run = (name: string, parameters: IDataObject, options: IDataObject = {}) => {
	const execute = operation(name, { email: '={{ $json.email }}', ...parameters });
	return async (): Promise<Found> => {
		const items = PEOPLE.map((json) => ({ json }));
		const more = name.includes('getAll') ? {} : { items };
		const { error, items: output } = await execute({}, options, more);
		return { error, found: output.map(({ json }) => idOf(json)) };
	};
};
const pick = (method: string) => async (): Promise<Found> => {
	const { results } = await runListSearch({ method, parameters: { options: { userId } } });
	return { found: results.map(({ value }) => value) };
};
const failIfExists = async (): Promise<Found> => {
	const { error } = await encode({ name: 'Two' }, { ifExists: 'fail' });
	const isFound = error?.message.includes('"Two" already exists') === true;
	return isFound ? { found: ['c-1', 'c-2'] } : { error, found: [] };
};
/** A poll that can find what the one before, without any entry, did not. */
const poll = (event: string, segment: string) => async (prepare: () => void) => {
	const polling = new Polling(service, { event, options: { maxRetries: 0 } });
	await polling.poll({ [segment]: [] });
	prepare();
	const { emitted, error } = await polling.poll({});
	return { error, found: emitted.map(idOf) };
};
const after =
	(read: () => Promise<Found>) =>
	async (prepare: () => void): Promise<Found> => {
		prepare();
		return await read();
	};
const json = { dataToSend: 'json', bodyJson: '={{ {} }}' };

// What a list looks like, and where it goes on, is tested in test/unit. Here is who needs all of it.
describe.each<[string, string, (prepare: () => void) => Promise<Found>]>([
	['Get Many', 'containers', after(run('container: getAll', all))],
	['Get Many', 'contacts', after(run('contact: getAll', all))],
	['Encode, if it exists', 'containers?name=Two', after(failIfExists)],
	['Sync', 'contacts', after(run('contact: sync', { ...json, dryRun: true, deleteMissing: true }))],
	['Skip Unchanged', 'contacts', after(run('contact: upsert', json, { skipUnchanged: true }))],
	['the trigger', 'containers', poll('containerCreated', 'containers')],
	['the trigger', 'contacts', poll('contactCreated', 'contacts')],
	['the picker', 'containers', after(pick('searchContainers'))],
	['the picker', 'contacts', after(pick('searchContacts'))],
])('%s reads a list of %s', (reader, first, read) => {
	const entries = first.startsWith('containers') ? BOXES : PEOPLE;
	const ids = entries.map(idOf);
	const respond = (segment: string, body: unknown) =>
		service.get(`/users/${userId}/${segment}`).reply(200, body as never);

	it('to its end', async () => {
		const { error, found } = await read(() => {
			respond(first, { data: [entries[0]], total: 2, next_page_url: '?page=2' });
			const second = `${first.split('?')[0]}?page=2`;
			respond(second, { data: [entries[1]], total: 2, next_page_url: null });
		});

		expect(error?.message).toBeUndefined();
		expect(found).toEqual(ids);
	});

	it('and fails where nothing leads to its rest, unless there is something to show', async () => {
		const { error, found } = await read(() => {
			respond(first, { items: entries, next_page_token: 'abc' });
		});

		if (reader === 'the picker') return expect(found).toEqual([...ids, '']);
		expect(error?.message).toMatch(/2 entries, but there might be more/);
		expect(found).toEqual([]);
	});
});
