import { withLink, withRequestLink } from '../../../../nodes/shared/api/links';
import { setUpClient, type Reply } from '../../support/client.cts';

const me = (more: object): Reply => ({ body: { id: 'u', ...more } });
const containerUrl = 'https://share.example.com/c/{containerId}';

describe('the link to a container', () => {
	const find = async (replies: Reply[], record: object, settings = {}) => {
		const { client, sent } = setUpClient(replies, settings);
		const { link } = await withLink(client, 'a b', { link: 'its own', ...record });
		await withLink(client, 'a b', { link: 'its own', ...record });
		return { link, requests: sent.length };
	};

	it('is the URL that the service shows of it, wherever that stands', async () => {
		const url = 'https://share.example.com/1';
		const settings = { containerUrl };
		for (const record of [{ uuid: 'a b', url }, { container: { uuid: 'a b', url } }]) {
			expect(await find([], record, settings)).toEqual({ link: url, requests: 0 });
		}
	});

	it('is otherwise that of the credential', async () => {
		const settings = { containerUrl: 'https://x.example/{containerId}?of={containerId}' };
		const link = 'https://x.example/a%20b?of=a%20b';
		expect(await find([], { uuid: 'a b', url: '' }, settings)).toEqual({ link, requests: 0 });
	});

	it('is otherwise what the service says of all, which is asked for once', async () => {
		const link = 'https://share.example.com/c/a%20b';
		const replies = [me({ container_url: containerUrl })];
		expect(await find(replies, {})).toEqual({ link, requests: 1 });
	});

	it.each<[string, Reply]>([
		['where nobody says it', me({})],
		['for a URL without a place for the ID', me({ container_url: 'https://share.example.com' })],
		['where the key may not read its user', { status: 403 }],
	])('is null %s', async (_where, reply) => {
		expect(await find([reply], {})).toEqual({ link: null, requests: 1 });
	});
});

describe('the link to a file request', () => {
	const find = async (replies: Reply[], record: object, settings = {}) =>
		await withRequestLink(setUpClient(replies, settings).client, 'a b', { ...record });

	it('is its URL, and replaces a link and an ID of its own', async () => {
		const record = { requestId: 'another', link: 'its own', url: 'https://x.example/r/1' };
		const { requestId, link } = await find([], record);
		expect({ requestId, link }).toEqual({ requestId: 'a b', link: 'https://x.example/r/1' });
	});

	it('is otherwise what the service says of all, and never that of containers', async () => {
		const replies = [me({ request_url: 'https://share.example.com/r/{requestId}' })];
		const { link } = await find(replies, {}, { containerUrl });
		expect(link).toBe('https://share.example.com/r/a%20b');
	});
});
