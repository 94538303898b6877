import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { runNode } from '../support/engine.cts';
import { rewrite, type Handler } from '../support/proxy.cts';
import { useService } from '../support/service.cts';

/** One form of each kind that the nodes tolerate beside that of the contract. Unit tests have the others. */
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

it('a new container is found by its ID in a response with 202', async () => {
	const toId: Handler = rewrite((envelope) => {
		return { id: (envelope as { container: IDataObject }).container.uuid };
	});
	service.on({ method: 'POST' }, async (...given) => {
		return { ...((await toId(...given)) as object), status: 202 };
	});

	const file = { fileSource: 'text', textContent: 'x' };
	await outputOf('container', 'encode', { ...file, name: 'New', recipients: 'a@x.example' });

	expect(service.requests.filter(({ method }) => method === 'POST')).toHaveLength(1);
	expect(await service.getContainers()).toHaveLength(1);
});

it('a list is read where it is in data', async () => {
	await service.addContainer({ name: 'Wanted' });
	await service.addContainer({ name: 'Other' });
	service.on(
		{ path: /\/containers(\?|$)/ },
		rewrite((items) => ({ data: { items } })),
	);

	const options = { nameContains: 'wanted' };
	expect(await outputOf('container', 'getAll', { returnAll: true, options })).toHaveLength(1);
});

it('a list is empty where the response is', async () => {
	service.on({ path: /\/containers/ }, async () => ({ status: 204 }));

	expect(await outputOf('container', 'getAll', { returnAll: true })).toEqual([]);
});

describe('the next page', () => {
	const path = /\/contacts/;
	const answer = (body: object) => async () => ({ status: 200, body: JSON.stringify(body) });
	const [one, other] = ['a', 'b'].map((name) => ({ email: `${name}@example.com` }));

	it('is found in the body', async () => {
		const next = `${service.baseUrl}/users/${service.userId}/contacts?cursor=2`;
		service.on({ path }, answer({ contacts: [one], links: { next } }));
		service.on({ path: /cursor=2/ }, answer([other]));

		const output = await outputOf('contact', 'getAll', { returnAll: true });

		expect(output.map(({ email }) => email)).toEqual([one.email, other.email]);
	});

	it('is missed, and named', async () => {
		service.on({ path }, answer({ contacts: [one], meta: { next_cursor: 'abc' } }));

		const { error } = await run('contact', 'getAll', { returnAll: true });

		expect(error?.message).toContain('next_cursor');
	});
});

it('rules are changed where they are in the container', async () => {
	const id = await service.addContainer({ rules: { recipients: ['a@x.example'], opens: 3 } });
	const nest = (drm: unknown) => ({ container: { drm } });
	service.on({ path: /\/drm$/, times: Infinity }, rewrite(nest));

	await outputOf('drm', 'update', { ...byId(id), rules: { addRecipients: 'b@x.example' } });

	const recipients = ['a@x.example', 'b@x.example'];
	expect(await service.getRules(id)).toEqual({ dynamic: true, opens: 3, recipients });
});

it('rules are changed where the answer is a message', async () => {
	const id = await service.addContainer({ rules: { recipients: ['a@x.example'] } });
	const say = rewrite(() => ({ message: 'Updated' }));
	service.on({ method: 'PATCH', path: /\/drm$/ }, say);

	await outputOf('drm', 'revoke', byId(id));

	expect(await service.getRules(id)).toHaveProperty('time.end');
});

it('a deletion counts where the answer is a message, and not where the container is still there', async () => {
	const id = await service.addContainer();
	const answer = { status: 200, body: '{"message":"Deleted"}' };
	service.on({ method: 'DELETE' }, async () => answer);
	service.on({ method: 'DELETE' }, async (_request, pass) => {
		await pass();
		return answer;
	});

	expect((await run('container', 'delete', byId(id))).error?.message).toMatch(/still there/);
	expect(await outputOf('container', 'delete', byId(id))).toMatchObject([{ deleted: true }]);
});
