import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { runNode } from '../support/engine.cts';
import { mockService } from '../support/nock.cts';
import { contactsOf, pathOf, sync, table } from './support/contacts.cts';
import { encode, partsOf, path as encodePath } from './support/encode.cts';
import {
	containerId,
	containersPath as listPath,
	newKey,
	newService,
} from './support/operations.cts';
import { mockRules } from './support/rules.cts';

const service = mockService();

const current = { dynamic: true, time: { end: '2099-12-31' }, recipients: ['anna@example.com'] };

const onRules = (operation: string, parameters: INodeParameters = {}) => ({
	parameters: {
		resource: 'drm',
		operation,
		containerId: containerId('c-1'),
		specifyRules: 'fields',
		...parameters,
		options: { maxRetries: 0 },
	} as INodeParameters,
});
/** The node remembers what each key changed, and each test has rules of its own. */
let credentials = newService();
beforeEach(() => {
	credentials = newService();
});
const revoke = async () => await runNode({ ...onRules('revoke'), credentials });
const add = async (address: string) =>
	await runNode({ ...onRules('update', { rules: { addRecipients: address } }), credentials });

describe('executions at the same moment', () => {
	it('do not undo a revocation by an update', async () => {
		const store = mockRules(service, current, { reads: 2, changes: 2 });

		const results = await Promise.all([add('bob@example.com'), revoke()]);

		expect(results.map(({ error }) => error)).toEqual([undefined, undefined]);
		expect((store.rules.time as { end: string }).end < '2099').toBe(true);
		expect(store.rules.recipients).toEqual(['anna@example.com', 'bob@example.com']);
	});

	it('lose no recipient', async () => {
		const store = mockRules(service, current, { reads: 20, changes: 20 });
		const added = Array.from({ length: 20 }, (_value, index) => `p${index}@example.com`);

		await Promise.all(added.map(add));

		expect([...(store.rules.recipients as string[])].sort()).toEqual(
			['anna@example.com', ...added].sort(),
		);
	});

	it.each([
		['different containers', 'c-2', 'https://share.example.com/api/v1'],
		['containers of different services', 'c-1', 'https://other.example.com/api/v1'],
	])('change %s without waiting for each other', async (_which, otherId, otherUrl) => {
		let inFlight = 0;
		const seen: number[] = [];
		for (const [id, url] of [['c-1'], [otherId, otherUrl]]) {
			service
				.scope(url)
				.get(`/containers/${id}/drm`)
				.delay(50)
				.reply(() => {
					inFlight += 1;
					seen.push(inFlight);
					return [200, { time: { end: '2020-01-01' } }];
				});
		}
		const revokeOne = async (id: string, baseUrl?: string) =>
			await runNode({
				parameters: { ...onRules('revoke').parameters, containerId: containerId(id) },
				credentials: baseUrl === undefined ? {} : { baseUrl },
			});

		await Promise.all([
			revokeOne('c-1').finally(() => (inFlight -= 1)),
			revokeOne(otherId, otherUrl),
		]);

		expect(Math.max(...seen)).toBe(2);
	});
});

/** A service with containers, for any number of requests. */
function mockContainers(...names: string[]) {
	const containers = names.map((name) => ({ uuid: `c-${name}`, name }));
	service
		.scope()
		.persist()
		.get(listPath)
		.query(true)
		.delay(5)
		.reply(() => [200, [...containers]]);
	service
		.scope()
		.persist()
		.post(encodePath)
		.delay(20)
		.reply((_uri, body) => {
			const { container } = JSON.parse(partsOf(body)[0].content) as { container: IDataObject };
			const created = { uuid: `c-${containers.length}`, name: String(container.name) };
			containers.push(created);
			return [200, { container: created }];
		});
	service
		.scope()
		.persist()
		.get(/\/containers\/[^/]+\/drm$/)
		.optionally()
		.reply(200, { dynamic: true });
	return containers;
}

describe('Reuse Existing in executions at the same moment', () => {
	it('creates a container once', async () => {
		const containers = mockContainers();

		const results = await Promise.all(
			Array.from({ length: 6 }, async () => await encode({}, { ifExists: 'reuse' })),
		);

		expect(containers).toHaveLength(1);
		expect(new Set(results.map(({ items }) => JSON.stringify(items[0].json.container))).size).toBe(
			1,
		);
	});
});

describe('Contact > Sync in executions at the same time', () => {
	const { holds, changes } = contactsOf(service);
	const [anna, bob] = [{ email: 'anna@x.example' }, { email: 'bob@x.example' }];
	const change = { ...anna, company: 'New' };
	const run = async (rows: IDataObject[], more: object = {}, options: IDataObject = {}) =>
		await sync(table(...rows), {
			...{ credentials, parameters: { deleteMissing: true }, ...more },
			options: { maxDeletions: 100, ...options },
		});

	it.each([
		['deleted a contact', 200, [change], ['DELETE', 'PATCH']],
		['failed', 422, [change, bob], []],
		['been canceled', 0, [change, bob], []],
	])('reads the list after the one before has %s', async (_what, status, list, expected) => {
		credentials = newKey() as typeof credentials;
		const stop = new AbortController();
		let [give, tell] = [() => {}, () => {}];
		const given = new Promise<void>((resolve) => (give = resolve));
		const isSent = new Promise<void>((resolve) => (tell = resolve));
		holds(anna, bob);
		service.patch(pathOf(anna.email)).reply(async () => {
			tell();
			await given;
			return [status || 200, change];
		});
		const first = run([change], { signal: stop.signal });
		await isSent;
		const second = run([change, bob]);
		// What changes nothing waits for nobody.
		holds(anna, bob);
		expect(
			(await run([bob], { parameters: { deleteMissing: true, dryRun: true } })).error,
		).toBeUndefined();
		holds(...list);
		if (expected.length > 0) {
			service.delete(pathOf(bob.email)).reply(204);
			service.patch(pathOf(bob.email)).reply(200, bob);
		}
		if (status === 0) stop.abort();
		else give();

		expect((await second).error).toBeUndefined();
		give();
		expect((await first).error === undefined).toBe(status === 200);
		expect(changes().map(([method]) => method)).toEqual(['PATCH', ...expected]);
	});
});
