import type { ListShape } from '../../sandbox/index.cts';
import type { Reply } from './support/api.cts';
import { useSandbox } from './support/sandbox.cts';

const running = useSandbox();
const SHAPES: ListShape[] = ['array', 'containers', 'contacts', 'data', 'items', 'results'];

interface Envelope {
	org_id: string;
	container: { uuid: string; name: string };
}

const fill = (count: number) =>
	Array.from({ length: count }, (_, index) =>
		running.sandbox.addContainer({ name: `Box ${index}` }),
	);
const names = ({ json }: Reply) => (json as Envelope[]).map(({ container }) => container.name);
const list = (query = '') => running.api.call('GET', running.api.mine(`/containers${query}`));
const nextOf = ({ headers }: Reply) => /<([^>]*)>[^<]*rel="next/.exec(String(headers.link))?.[1];

it.each(SHAPES)('lists are returned as %s', async (shape) => {
	const { api, sandbox } = running;
	Object.assign(sandbox.settings, { containerList: shape, contactList: shape });
	const { uuid } = sandbox.addContainer();
	sandbox.addContact('a@example.com', { company: 'x' });
	const containers = (await list()).json as Record<string, unknown>;
	const contacts = (await api.call('GET', api.mine('/contacts'))).json as Record<string, unknown>;
	expect(shape === 'array' ? containers : containers[shape]).toMatchObject([
		{ container: { uuid } },
	]);
	expect(shape === 'array' ? contacts : contacts[shape]).toMatchObject([
		{ email: 'a@example.com', company: 'x' },
	]);
});

it('entries are envelopes or plain records', async () => {
	const { sandbox } = running;
	const { uuid } = sandbox.addContainer();
	expect((await list()).json).toMatchObject([{ org_id: sandbox.user.id, container: { uuid } }]);
	sandbox.settings.listEntries = 'record';
	expect((await list()).json).toMatchObject([{ uuid }]);
});

it('the order is that of creation, its reverse, or shuffled with a seed', async () => {
	const { sandbox } = running;
	fill(20);
	const created = names(await list());
	expect(created[0]).toBe('Box 0');
	sandbox.settings.listOrder = 'reversed';
	expect(names(await list())).toEqual([...created].reverse());
	sandbox.settings.listOrder = 'shuffled';
	const first = names(await list());
	expect(first).not.toEqual(created);
	expect([...first].sort()).toEqual([...created].sort());
	expect(names(await list())).toEqual(first);
	sandbox.settings.shuffleSeed = 2;
	expect(names(await list())).not.toEqual(first);
});

describe('pages', () => {
	it.each(['absolute', 'relative', 'amongOthers'] as const)(
		'are linked up to the last one, with their query: %s',
		async (nextLink) => {
			const { api, sandbox } = running;
			Object.assign(sandbox.settings, { pageSize: 3, nextLink });
			const all = fill(7).map(({ name }) => name);
			const seen: string[] = [];
			let path: string | undefined = api.mine('/containers?tag=a%26b');
			for (let pages = 0; path !== undefined && pages < 10; pages++) {
				const reply: Reply = await api.call('GET', path);
				seen.push(...names(reply));
				const next = nextOf(reply);
				if (next?.startsWith('https:')) expect(new URL(next).origin).toBe(sandbox.origin);
				const url = next === undefined ? undefined : new URL(next, sandbox.origin);
				expect([null, undefined, 'a&b']).toContain(url?.searchParams.get('tag'));
				path = url && `${url.pathname}${url.search}`.replace('/api/v1', '');
			}
			expect(seen).toEqual(all);
			expect(sandbox.requests).toHaveLength(3);
		},
	);

	it('repeat when set', async () => {
		const { sandbox } = running;
		Object.assign(sandbox.settings, { pageSize: 2, nextLink: 'repeat' });
		fill(5);
		const first = await list();
		const { pathname, search } = new URL(nextOf(first) as string);
		const second = await running.api.call('GET', `${pathname}${search}`.replace('/api/v1', ''));
		expect(names(second)).toEqual(names(first));
		expect(nextOf(second)).toBe(nextOf(first));
	});

	it('link to another origin when set', async () => {
		const { sandbox } = running;
		Object.assign(sandbox.settings, { pageSize: 2, nextLink: 'otherOrigin' });
		fill(3);
		expect(new URL(nextOf(await list()) as string).origin).toBe('https://other.example.com');
	});

	it('end without a link, and refuse an unknown cursor', async () => {
		const { sandbox } = running;
		sandbox.settings.pageSize = 3;
		fill(3);
		expect((await list()).headers).not.toHaveProperty('link');
		expect((await list('?cursor=unknown')).status).toBe(400);
	});
});

it('a query filters only when set', async () => {
	const { sandbox } = running;
	fill(3);
	expect(names(await list('?name=Box%201'))).toHaveLength(3);
	sandbox.settings.filterByQuery = true;
	expect(names(await list('?name=Box%201&unknown=x'))).toEqual(['Box 1']);
});
