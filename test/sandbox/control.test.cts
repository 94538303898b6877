import { existsSync } from 'node:fs';
import { startSandboxProcess } from '../../sandbox/client.cts';
import { contractFor, loadDocument } from '../../sandbox/contract.cts';
import { startSandbox } from '../../sandbox/index.cts';
import { operations } from '../../sandbox/operations.cts';
import { createApi, useSandbox } from './support/sandbox.cts';

const running = useSandbox();

it('stops while responses are pending, and removes its folder', async () => {
	const sandbox = await startSandbox({ apiKey: 'a-key' });
	const api = createApi(sandbox);
	sandbox.faults.add({ kind: 'never' });
	const hanging = api.call('GET', '/me');
	hanging.catch(() => undefined);
	while (sandbox.counts.inFlight === 0) await new Promise((resolve) => setTimeout(resolve, 5));

	await sandbox.stop();

	await expect(hanging).rejects.toThrow();
	expect(existsSync(sandbox.caPath)).toBe(false);
	await api.close();
});

it('has its initial state after a reset', async () => {
	const { api, sandbox } = running;
	Object.assign(sandbox.settings, { pageSize: 1, containerList: 'data' });
	sandbox.users.push({ ...sandbox.user, apiKey: 'added' });
	sandbox.addContainer();
	sandbox.faults.add({ kind: 'never' });
	sandbox.reset();
	expect(sandbox.settings).toMatchObject({ pageSize: 0, containerList: 'array' });
	expect(sandbox.users).toEqual([sandbox.user]);
	expect((await api.call('GET', api.mine('/containers'))).json).toEqual([]);
});

it('in another process, is started, controlled, inspected and stopped', async () => {
	const remote = await startSandboxProcess({ settings: { pageSize: 2 } });
	try {
		expect(await remote.settings({ pageSize: 1 })).toMatchObject({ pageSize: 1 });
		const [{ uuid }] = await remote.addContainers([{ name: 'Seeded' }]);
		await remote.addContacts([{ email: 'a@example.com' }]);
		expect(await remote.state()).toMatchObject({
			containers: [{ uuid, userId: remote.user.id }],
			contacts: [{ email: 'a@example.com', userId: remote.user.id }],
		});
		await remote.faults.add({ kind: 'status', path: /\/elsewhere$/, times: Infinity });
		const api = createApi(remote);
		await api.call('GET', '/elsewhere');
		await api.close();
		expect(await remote.requests()).toMatchObject([{ path: '/api/v1/elsewhere', status: 500 }]);
		expect(await remote.counts()).toMatchObject({ total: 1, statuses: { 500: 1 } });
		await remote.reset();
		expect(await remote.state()).toEqual({ containers: [], contacts: [] });
		expect(await remote.settings({})).toMatchObject({ pageSize: 2 });
	} finally {
		await remote.stop();
	}
	await expect(startSandboxProcess({ port: running.sandbox.port })).rejects.toThrow(/EADDRINUSE/);
}, 60_000);

it('tells nothing to whoever has no key', async () => {
	const { api, sandbox } = running;
	const { status, text } = await api.send('GET', '/_sandbox/state', { apiKey: 'wrong' });
	expect(status).toBe(401);
	expect(text).not.toContain(sandbox.apiKey);
});

it.each([
	['POST', 'containers', '[{"id":"1"}]', 'containers.0 must NOT have additional properties: id'],
	['POST', 'contacts', '[{}]', "contacts.0 must have required property 'email'"],
	['POST', 'contacts', '{', 'The body is not JSON'],
	['POST', 'faults', '{"kind":"fire"}', 'one of the allowed values: status,reset'],
	['POST', 'faults', '{"kind":"never","path":"["}', 'Invalid regular expression'],
	['PUT', 'settings', '{"page":1}', 'settings must NOT have additional properties: page'],
	['PUT', 'settings', '{"listOrder":"up"}', 'one of the allowed values: created,reversed'],
	['PUT', 'settings', '', 'settings must be object'],
	['GET', 'container', undefined, 'The control interface has no GET /_sandbox/container'],
] as const)('explains what is wrong with %s %s %j', async (method, name, body, words) => {
	const { api, sandbox } = running;
	const { status, json } = await api.send(method, `/_sandbox/${name}`, { body });
	expect(status).toBeGreaterThanOrEqual(400);
	expect((json as { message: string }).message).toContain(words);
	expect(sandbox.state.containers.size).toBe(0);
});

describe('the contract', () => {
	const JSON_TYPE = 'application/json; charset=utf-8';
	const CONTAINER = { org_id: 'u', container: { uuid: 'c', name: 'x', other: 1 } };

	it('has the operations of the sandbox', () => {
		const methods = Object.values(loadDocument().paths).flatMap((path) => Object.values(path));
		const ids = methods.flatMap(({ operationId }) => operationId ?? []);
		expect(ids.sort()).toEqual(Object.keys(operations).sort());
	});

	it.each<[string, string, unknown, string[]]>([
		['GET', '/users/u/contacts?tag=x&tag=y&cursor=z', undefined, []],
		['GET', '/users/u/contacts/nobody', undefined, ['path.email must match pattern "^\\S+@\\S+$"']],
		['GET', '/me/', undefined, ['There is no operation GET /me/']],
		['GET', '/containers/%zz', undefined, ['There is no operation GET /containers/%zz']],
		['GET', '/me', {}, ['body of getMe must be nothing']],
		['PATCH', '/containers/a%2Fb/drm', { opens: 0, time: { end: '2024-02-29' } }, []],
		[
			'PATCH',
			'/containers/c/drm',
			{ geo: { allow: [{ city: 'x' }] }, expires: 1 },
			[
				'body property name must be valid: expires',
				"body.geo.allow.0 must have required property 'country'",
			],
		],
	])('%s %s with %j has these problems: %j', (method, path, body, problems) => {
		const headers = { 'content-type': JSON_TYPE, authorization: 'Bearer a-key' };
		expect(contractFor().validateRequest({ method, path, headers, body }).sort()).toEqual(problems);
	});

	it.each<[string, string, number, unknown, string[]]>([
		['GET', '/users/u/containers', 200, [CONTAINER], []],
		['DELETE', '/containers/c', 204, undefined, []],
		['DELETE', '/containers/c', 204, {}, ['The response must have no body']],
		['GET', '/me', 200, undefined, ['getMe has no response 200 of type text/plain']],
		['GET', '/me', 302, {}, ['getMe has no response 302']],
		[
			...['POST', '/users/u/containers/encode', 201],
			...[{ org_id: 'u', container: { uuid: 'c' } }],
			["response.container must have required property 'name'"],
		] as never,
	])('the response to %s %s, %i with %j, has: %j', (method, path, status, body, problems) => {
		const sent =
			body === undefined ? { text: '' } : { type: JSON_TYPE, text: JSON.stringify(body) };
		expect(contractFor().validateResponse({ method, path }, { status, ...sent })).toEqual(problems);
	});

	it('is kept by the sandbox itself: a response that does not fit fails its end', async () => {
		const sandbox = await startSandbox();
		sandbox.addContainer({ name: 1 as never });
		const api = createApi(sandbox);
		await api.call('GET', api.mine('/containers'));
		await api.close();

		const violation = /listContainers, 200: response\.0\.container\.name must be string/;
		await expect(sandbox.stop()).rejects.toThrow(violation);
	});
});
