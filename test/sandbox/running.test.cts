import { once } from 'node:events';
import { existsSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import https from 'node:https';
import { text } from 'node:stream/consumers';
import { Agent } from 'undici';
import { startSandboxProcess } from '../../sandbox/client.cts';
import { contractFor, loadDocument, OPERATION_IDS } from '../../sandbox/contract.cts';
import { defaultSettings, startSandbox } from '../../sandbox/index.cts';
import { useSandbox } from './support/sandbox.cts';

const running = useSandbox();

it('stops while responses are pending, and removes its folder', async () => {
	const sandbox = await startSandbox({ basePath: '/api/v2', apiKey: 'a-key' });
	const agent = new Agent({ connect: { ca: sandbox.ca } });
	const headers = { authorization: 'Bearer a-key' };
	sandbox.faults.add({ kind: 'never' });
	const request = { origin: sandbox.origin, path: '/api/v2/me', method: 'GET', headers } as const;
	const hanging = agent.request(request);
	hanging.catch(() => undefined);
	while (sandbox.counts.inFlight === 0) await new Promise((resolve) => setTimeout(resolve, 5));

	await sandbox.stop();

	await expect(hanging).rejects.toThrow();
	expect(existsSync(sandbox.caPath)).toBe(false);
	await agent.destroy();
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
	const remote = await startSandboxProcess({ apiKey: 'a-key', settings: { pageSize: 2 } });
	try {
		expect(await remote.settings({ pageSize: 1 })).toMatchObject({ pageSize: 1 });
		const [{ uuid }] = await remote.addContainers([{ name: 'Seeded' }]);
		await remote.addContacts([{ email: 'a@example.com' }]);
		expect(await remote.state()).toMatchObject({
			containers: [{ uuid, userId: remote.user.id }],
			contacts: [{ email: 'a@example.com', userId: remote.user.id }],
		});
		await remote.faults.add({ kind: 'status', status: 500, path: /\/ME$/i, times: Infinity });
		const agent = new Agent({ connect: { ca: remote.ca } });
		const headers = { authorization: 'Bearer a-key' };
		await agent.request({ origin: remote.origin, path: '/api/v1/me', method: 'GET', headers });
		await agent.destroy();
		expect(await remote.faults.list()).toMatchObject([{ kind: 'status', applied: 1 }]);
		expect(await remote.requests()).toMatchObject([{ path: '/api/v1/me', status: 500 }]);
		expect(await remote.counts()).toMatchObject({ total: 1, operations: { getMe: 1 } });
		await remote.reset();
		expect(await remote.state()).toEqual({ containers: [], contacts: [] });
		expect(await remote.settings({})).toMatchObject({ pageSize: 2 });
	} finally {
		await remote.stop();
	}
	await expect(startSandboxProcess({ port: running.sandbox.port })).rejects.toThrow(/EADDRINUSE/);
}, 60_000);

it.each([
	[{ host: 'localhost' }, 200],
	[{ host: '[::1]:8443' }, 200],
	[{ host: 'localhost.evil.example:8443' }, 403],
	[{ origin: 'https://evil.example' }, 403],
])(
	'its control interface answers only this machine, and no web page: %j',
	async (headers, status) => {
		const { sandbox } = running;
		const { origin, ca } = sandbox;
		const options = { ca, servername: 'localhost', headers, agent: false } as const;
		const sent = https.get(`${origin}/_sandbox/info`, options);
		const [response] = (await once(sent, 'response')) as [IncomingMessage];
		expect(response.statusCode).toBe(status);
		expect((await text(response)).includes(sandbox.apiKey)).toBe(status === 200);
		expect(sandbox.counts.total).toBe(0);
	},
);

it.each([
	['POST', 'containers', '[{"id":"1"}]', 'containers[0] has an unknown key: id'],
	['POST', 'containers', '[{"userId":"nobody"}]', 'There is no user "nobody"'],
	['POST', 'contacts', '[{}]', 'contacts[0].email is missing'],
	['POST', 'contacts', '', 'The body is not JSON'],
	['POST', 'faults', '{"kind":"fire"}', 'fault.kind must be one of status, reset'],
	['POST', 'faults', '{"kind":"status"}', 'fault.status is missing'],
	['POST', 'faults', '{"kind":"never","path":{"source":"["}}', 'Invalid regular expression'],
	['PUT', 'settings', '{"page":1}', 'No such setting: page'],
	['PUT', 'settings', '{"listOrder":"up"}', 'settings.listOrder must be one of created'],
	['PUT', 'settings', 'null', 'settings must be object'],
	['GET', 'container', undefined, 'The control interface has no GET /_sandbox/container'],
] as const)('explains what is wrong with %s %s %j', async (method, name, body, words) => {
	const { api, sandbox } = running;
	const { status, json } = await api.send(method, `/_sandbox/${name}`, { body });
	expect(status).toBeGreaterThanOrEqual(400);
	expect((json as { message: string }).message).toContain(words);
	expect(sandbox.state.containers.size).toBe(0);
});

describe('the contract', () => {
	const contract = contractFor({ ...defaultSettings(), requiredManifestFields: [] });
	const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' };
	const CONTAINER = { org_id: 'u', container: { uuid: 'c', name: 'x', other: 1 } };

	it('has the twelve operations', () => {
		const methods = Object.values(loadDocument().paths).flatMap((path) => Object.values(path));
		const ids = methods.flatMap(({ operationId }) => operationId ?? []);
		expect(ids.sort()).toEqual([...OPERATION_IDS].sort());
	});

	// test/engine/contract.test.cts has more requests.
	it.each<[string, string, unknown, string[]]>([
		['GET', '/users/u/contacts?tag=x&tag=y&cursor=z', undefined, []],
		['GET', '/users/u/contacts/nobody', undefined, ['path.email must match pattern "^\\S+@\\S+$"']],
		['GET', '/me/', undefined, ['There is no operation GET /me/']],
		['GET', '/containers/%zz', undefined, ['There is no operation GET /containers/%zz']],
		['GET', '/me', {}, ['getMe accepts no body']],
		['PATCH', '/containers/a%2Fb/drm', { opens: 0, time: { end: '2024-02-29' } }, []],
		['PATCH', '/containers/c/drm', undefined, ['body is missing']],
		[
			'PATCH',
			'/containers/c/drm',
			{ opens: -1, geo: { allow: [{ city: 'x' }] }, expires: 1, time: { end: '2026-02-29' } },
			[
				'body has an unknown key: expires',
				'body.geo.allow[0].country is missing',
				'body.opens must be >= 0',
				'body.time.end must match format "date"',
			],
		],
	])('%s %s with %j has these problems: %j', (method, path, body, problems) => {
		const headers = { ...JSON_TYPE, authorization: 'Bearer a-key' };
		expect(contract.validateRequest({ method, path, headers, body }).sort()).toEqual(problems);
	});

	it.each<[string, string, number, unknown, string[]]>([
		['GET', '/users/u/containers', 200, [CONTAINER], []],
		['GET', '/users/u/containers', 200, { data: { items: [] } }, []],
		['DELETE', '/containers/c', 204, undefined, []],
		['DELETE', '/containers/c', 204, {}, ['The response must have no body']],
		['GET', '/me', 200, undefined, ['getMe has no response 200 of type text/plain']],
		['GET', '/me', 302, {}, ['getMe has no response 302']],
		[
			'POST',
			'/users/u/containers/encode',
			201,
			{ org_id: 'u', container: { uuid: 'c' } },
			['response.container.name is missing'],
		],
	])('the response to %s %s, %i with %j, has: %j', (method, path, status, body, problems) => {
		const isEmpty = body === undefined;
		const sent = { headers: isEmpty ? {} : JSON_TYPE, text: isEmpty ? '' : JSON.stringify(body) };
		expect(contract.validateResponse({ method, path }, { status, ...sent })).toEqual(problems);
	});

	it('is kept by the sandbox itself: a response that does not fit fails its end', async () => {
		const sandbox = await startSandbox({ settings: { containerFields: { name: 5 } } });
		sandbox.addContainer();
		const agent = new Agent({ connect: { ca: sandbox.ca } });
		const path = `/api/v1/users/${sandbox.user.id}/containers`;
		const headers = { authorization: `Bearer ${sandbox.apiKey}` };
		await agent.request({ origin: sandbox.origin, path, method: 'GET', headers });
		await agent.destroy();

		const violation = /listContainers, 200: response\[0\]\.container\.name must be string/;
		await expect(sandbox.stop()).rejects.toThrow(violation);
	});
});
