import type { INodeParameters } from 'n8n-workflow';
import { runListSearch, runNode } from '../../support/engine.cts';
import { mockService } from '../../support/nock.cts';
import { encode } from '../support/encode.cts';
import { sequential, userId } from '../support/operations.cts';
import { Polling } from '../support/polling.cts';
import { EMPTY_LISTS, LISTS, type Page } from './support/lists.cts';

const service = mockService();

type Segment = 'containers' | 'contacts';

const CONTAINERS = [
	{ uuid: 'c-1', name: 'One' },
	{ uuid: 'c-2', name: 'Two' },
];
const CONTACTS = [{ email: 'c-1@example.com' }, { email: 'c-2@example.com' }];

const list = async (resource: string) => {
	const { items, error } = await runNode({
		parameters: {
			resource,
			operation: 'getAll',
			returnAll: true,
			options: { userId, ...sequential },
		} as INodeParameters,
	});
	return { error, found: items.map(({ json }) => json.uuid ?? json.email) };
};

const write = async (operation: string, options: object, found: (json: object) => boolean) => {
	const { items, error } = await runNode({
		items: CONTACTS.map((json) => ({ json })),
		parameters: {
			resource: 'contact',
			operation,
			email: '={{ $json.email }}',
			dataToSend: 'json',
			bodyJson: '={{ {} }}',
			options: { userId, ...sequential, ...options },
		} as INodeParameters,
	});
	return { error, found: items.filter(({ json }) => found(json)).map(({ json }) => json.email) };
};

const poll = async (event: string, segment: Segment, pages: Page[]) => {
	const polling = new Polling(service, { event, options: { maxRetries: 0 } });
	await polling.poll({ [segment]: [] });
	expectPages(segment, pages);
	const { emitted, error } = await polling.poll({});
	return { error, found: emitted.map((item) => item.containerId ?? item.email) };
};

const pick = async (method: string) => {
	try {
		const { results } = await runListSearch({ method, parameters: { options: { userId } } });
		return { found: results.map(({ value }) => value) };
	} catch (error) {
		return { error: error as Error, found: [] };
	}
};

const failIfExists = async () => {
	service.scope().get('/containers/c-2').optionally().reply(200, CONTAINERS[1]);
	const { error } = await encode({ name: 'Two' }, { ifExists: 'fail' });
	const isFound = /"Two" already exists/.test(error?.message ?? '');
	return isFound ? { found: ['c-1', 'c-2'] } : { error, found: [] };
};

interface Reader {
	reader: string;
	segment: Segment;
	/** Whether what is missing in the list counts as deleted or created. */
	isCertain: boolean;
	read: (pages: Page[]) => Promise<{ error?: Error; found: unknown[] }>;
}

const expectPages = (segment: Segment, pages: Page[]) => {
	for (const { query = '', body, headers } of pages) {
		const text = typeof body === 'string' ? body : JSON.stringify(body);
		service.scope().get(`/users/${userId}/${segment}${query}`).reply(200, text, headers);
	}
};

const reader = (
	name: string,
	segment: Segment,
	isCertain: boolean,
	read: () => ReturnType<Reader['read']>,
): Reader => ({
	reader: name,
	segment,
	isCertain,
	read: async (pages) => {
		expectPages(segment, pages);
		return await read();
	},
});

const READERS: Reader[] = [
	reader('Get Many (containers)', 'containers', false, async () => await list('container')),
	reader('Get Many (contacts)', 'contacts', false, async () => await list('contact')),
	reader('Encode, if the container exists', 'containers', false, failIfExists),
	reader('Sync', 'contacts', true, async () =>
		write('sync', { dryRun: true }, (json) => 'action' in json && json.action === 'unchanged'),
	),
	reader('Create or Update, Skip Unchanged', 'contacts', false, async () =>
		write('upsert', { skipUnchanged: true }, () => true),
	),
	{
		reader: 'the trigger (containers)',
		segment: 'containers',
		isCertain: true,
		read: async (pages) => await poll('containerCreated', 'containers', pages),
	},
	{
		reader: 'the trigger (contacts)',
		segment: 'contacts',
		isCertain: true,
		read: async (pages) => await poll('contactCreated', 'contacts', pages),
	},
	reader('the picker of containers', 'containers', false, async () => pick('searchContainers')),
	reader('the picker of contacts', 'contacts', false, async () => pick('searchContacts')),
];

describe.each(READERS)('a list, read by $reader', ({ reader: name, segment, isCertain, read }) => {
	const entries = segment === 'containers' ? CONTAINERS : CONTACTS;
	const ids = CONTAINERS.map(({ uuid }) =>
		segment === 'containers' ? uuid : `${uuid}@example.com`,
	);
	const url = `https://share.example.com/api/v1/users/${userId}/${segment}`;

	it.each(LISTS)('of $stack: $shape', async ({ pages, error: expected }) => {
		const { error, found } = await read(pages(entries, url));

		if (expected === undefined) {
			expect(error?.message).toBeUndefined();
			expect(found).toEqual(ids);
		} else {
			expect(error?.message).toMatch(expected);
			expect(found).toEqual([]);
		}
	});

	// These two write what they don't find.
	const isReader = !/^(Encode|Create)/.test(name);

	it.each(isReader ? EMPTY_LISTS : EMPTY_LISTS.filter(({ error }) => error !== undefined))(
		'without entries, of $stack: $shape',
		async ({ body, error: expected, errorIfCertain }) => {
			const { error, found } = await read([{ body }]);

			expect(found).toEqual([]);
			const wanted = isCertain ? errorIfCertain : expected;
			if (wanted === undefined) expect(error?.message).toBeUndefined();
			else expect(error?.message).toMatch(wanted);
		},
	);
});

describe('a list whose entries have no name that can be read', () => {
	const shapes: Array<[string, unknown]> = [
		[
			'JSON:API (Rails, Laravel)',
			{ data: [{ id: 'c-1', type: 'container', attributes: { name: 'One' } }] },
		],
		['.NET in PascalCase', [{ id: 'c-1', Name: 'One' }]],
		['identifiers alone', ['c-1', 'c-2']],
	];

	it.each(shapes)('is not searched by name: %s', async (_shape, body) => {
		const readers = [
			async () => (await encode({ name: 'One' }, { ifExists: 'fail' })).error,
			async () => (await encode({ name: 'One' }, { ifExists: 'reuse' })).error,
			async () =>
				(
					await runNode({
						parameters: {
							resource: 'container',
							operation: 'getAll',
							options: { userId, ...sequential, nameContains: 'One' },
						},
					})
				).error,
			async () => {
				const parameters = { event: 'drmChanged', nameContains: 'One', options: { maxRetries: 0 } };
				return (await new Polling(service, parameters).poll({})).error;
			},
		];
		for (const read of readers) {
			expectPages('containers', [{ body }]);
			expect((await read())?.message).toMatch(/a list of entries without a name/);
		}
	});

	it('lets the picker list the rest, and fails where there is none', async () => {
		expectPages('contacts', [{ body: [{ id: 1, attributes: { email: 'c-1@example.com' } }] }]);

		expect((await pick('searchContacts')).error?.message).toMatch(/without an identifier/);
	});
});
