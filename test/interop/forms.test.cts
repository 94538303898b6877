import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { runNode } from '../support/engine.cts';
import { rewrite } from '../support/proxy.cts';
import { useService } from '../support/service.cts';

/** Each form of a response that the nodes tolerate beside that of the contract. */
const service = useService();

const run = async (resource: string, operation: string, parameters: IDataObject = {}) =>
	await runNode({
		parameters: { resource, operation, ...parameters } as INodeParameters,
		credentials: service.credentials,
	});
const outputOf = async (...given: Parameters<typeof run>) => {
	const { items, error } = await run(...given);
	expect(error).toBeUndefined();
	return items.map(({ json }) => json);
};
const byId = (value: string) => ({ containerId: { __rl: true, mode: 'id', value } });

type Change = (value: never) => unknown;
type Envelope = { container: IDataObject };

describe('a new container', () => {
	const parameters = {
		fileSource: 'text',
		textContent: 'x',
		name: 'New',
		recipients: 'a@x.example',
	};

	it.each<[string, number, Change]>([
		['with 202, by its id', 202, ({ container: { uuid } }: Envelope) => ({ id: uuid })],
		['in data.container', 201, (envelope: Envelope) => ({ data: envelope })],
	])('is found %s', async (_form, status, change) => {
		const handler = rewrite(change as never);
		service.on({ method: 'POST' }, async (...given) => ({
			...((await handler(...given)) as object),
			status,
		}));

		await outputOf('container', 'encode', parameters);

		expect(service.requests.filter(({ method }) => method === 'POST')).toHaveLength(1);
		expect(await service.getContainers()).toHaveLength(1);
	});
});

describe('a list', () => {
	it.each<[string, Change]>([
		['in data', (items) => ({ data: { items } })],
		['of envelopes', (list: IDataObject[]) => list.map((container) => ({ container }))],
	])('is read: %s', async (_form, change) => {
		await service.addContainer({ name: 'Wanted' });
		await service.addContainer({ name: 'Other' });
		service.on({ path: /\/containers(\?|$)/ }, rewrite(change as never));

		const options = { nameContains: 'wanted' };
		expect(await outputOf('container', 'getAll', { returnAll: true, options })).toHaveLength(1);
	});

	it.each([
		['204', 204],
		['an empty body', 200],
	])('is empty: %s', async (_form, status) => {
		service.on({ path: /\/containers/ }, async () => ({ status, body: '' }));

		expect(await outputOf('container', 'getAll', { returnAll: true })).toEqual([]);
	});
});

describe('the next page', () => {
	const path = () => `/users/${service.userId}/contacts?cursor=2`;
	const url = () => service.baseUrl + path();
	const people = ['a', 'b'].map((name) => ({ email: `${name}@example.com` }));

	const readAll = async (first: object, headers: Record<string, string> = {}) => {
		const [one, other] = people;
		const isList = Object.keys(first).length === 0;
		const body = JSON.stringify(isList ? [one] : { contacts: [one], ...first });
		service.on({ path: /\/contacts$|limit=/ }, async () => ({ status: 200, body, headers }));
		service.on({ path: /cursor=2/ }, async () => ({ status: 200, body: JSON.stringify([other]) }));
		return await run('contact', 'getAll', { returnAll: true });
	};

	it.each<[string, () => object, (() => Record<string, string>)?]>([
		['in Link', () => ({}), () => ({ link: `</api/v1${path()}>; rel="next"` })],
		['in the body', () => ({ links: { next: url() } })],
	])('is found %s', async (_form, first, headers = () => ({})) => {
		const { items, error } = await readAll(first(), headers());

		expect(error).toBeUndefined();
		expect(items.map(({ json }) => json.email)).toEqual(people.map(({ email }) => email));
	});

	it('is missed, and named', async () => {
		const { error } = await readAll({ meta: { next_cursor: 'abc' } });

		expect(error?.message).toContain('next_cursor');
	});
});

describe('rules', () => {
	it('are changed where they are in the container', async () => {
		const id = await service.addContainer({ rules: { recipients: ['a@x.example'], opens: 3 } });
		const nest = (drm: unknown) => ({ container: { drm } });
		service.on({ path: /\/drm$/, times: Infinity }, rewrite(nest));

		await outputOf('drm', 'update', { ...byId(id), rules: { addRecipients: 'b@x.example' } });

		const recipients = ['a@x.example', 'b@x.example'];
		expect(await service.getRules(id)).toEqual({ dynamic: true, opens: 3, recipients });
	});

	it.each<[string, Change]>([
		['a message', () => ({ message: 'Updated' })],
		['nothing', () => undefined],
	])('are changed where the answer is %s', async (_form, change) => {
		const id = await service.addContainer({ rules: { recipients: ['a@x.example'] } });
		service.on({ method: 'PATCH', path: /\/drm$/ }, rewrite(change as never));

		await outputOf('drm', 'revoke', byId(id));

		expect(await service.getRules(id)).toHaveProperty('time.end');
	});
});

describe('a deletion', () => {
	it.each<[string, number, string]>([
		['a message', 200, '{"message":"Deleted"}'],
		['the record', 200, '{"uuid":"1","name":"Gone"}'],
		['nothing', 200, ''],
	])('counts where the answer is %s', async (_form, status, body) => {
		const id = await service.addContainer();
		service.on({ method: 'DELETE' }, async (_request, pass) => {
			await pass();
			return { status, body };
		});

		expect(await outputOf('container', 'delete', byId(id))).toMatchObject([{ deleted: true }]);
	});

	it('fails where the container is still there', async () => {
		const id = await service.addContainer();
		service.on({ method: 'DELETE' }, async () => ({ status: 200, body: '{"status":"queued"}' }));

		expect((await run('container', 'delete', byId(id))).error?.message).toMatch(/still there/);
	});
});
