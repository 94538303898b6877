import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import https from 'node:https';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { Agent } from 'undici';
import { startSandbox } from '../../sandbox/index.cts';
import { startSandboxProcess } from '../../sandbox/client.cts';
import { useSandbox } from './support/sandbox.cts';

const running = useSandbox();

it('listens on a free port with a certificate that is trusted only when told so', async () => {
	const { api, sandbox } = running;
	expect((await api.call('GET', '/me')).json).toMatchObject({ id: sandbox.user.id });
	const agent = new Agent();
	const attempt = agent.request({ origin: sandbox.origin, path: '/api/v1/me', method: 'GET' });
	await expect(attempt).rejects.toMatchObject({ code: expect.stringMatching(/CERT|SIGNATURE/) });
	await agent.destroy();
	await expect(startSandbox({ port: sandbox.port })).rejects.toThrow(/EADDRINUSE/);
});

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

it('the command line prints its help', async () => {
	const cli = path.join(__dirname, '../../sandbox/cli.cts');
	const { stdout } = await promisify(execFile)(process.execPath, [
		'--import',
		'tsx',
		cli,
		'--help',
	]);
	expect(stdout).toMatch(/--port[\s\S]*--api-key[\s\S]*--set/);
}, 60_000);

describe('the control interface', () => {
	it.each([
		[{ host: 'localhost' }, 200],
		[{ host: '[::1]:8443' }, 200],
		[{ host: 'localhost.evil.example:8443' }, 403],
		[{ origin: 'https://evil.example' }, 403],
	])('answers only this machine, and no web page: %j', async (headers, status) => {
		const { sandbox } = running;
		const { origin, ca } = sandbox;
		const options = { ca, servername: 'localhost', headers, agent: false } as const;
		const sent = https.get(`${origin}/_sandbox/info`, options);
		const [response] = (await once(sent, 'response')) as [IncomingMessage];
		expect(response.statusCode).toBe(status);
		expect((await text(response)).includes(sandbox.apiKey)).toBe(status === 200);
		expect(sandbox.counts.total).toBe(0);
	});

	it.each([
		['POST', 'containers', '{"name":"A"}', 'containers must be array'],
		['POST', 'containers', '[{"id":"1"}]', 'containers[0] has an unknown key: id'],
		['POST', 'containers', '[{"userId":"nobody"}]', 'There is no user "nobody"'],
		['POST', 'contacts', '[{}]', 'contacts[0].email is missing'],
		['POST', 'contacts', '', 'The body is not JSON'],
		['POST', 'faults', '{"kind":"fire"}', 'fault.kind must be one of status, reset'],
		['POST', 'faults', '{"kind":"status"}', 'fault.status is missing'],
		['POST', 'faults', '{"kind":"never","path":{"source":"["}}', 'Invalid regular expression'],
		['PUT', 'settings', '{"page":1}', 'No such setting: page'],
		['PUT', 'settings', '{"pageSize":"x"}', 'settings.pageSize must be number'],
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
});
