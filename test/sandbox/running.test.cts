import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import https from 'node:https';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { Agent } from 'undici';
import { connectSandbox } from '../../sandbox/client.cts';
import { startSandbox } from '../../sandbox/index.cts';
import { startSandboxProcess } from '../../sandbox/process.cts';
import { createApi, filePart, NAMED } from './support/api.cts';
import { useSandbox } from './support/sandbox.cts';

const isWindows = process.platform === 'win32';
const execute = promisify(execFile);

/** The curl of Windows refuses a certificate whose revocation it can't check. */
async function curl(args: string[]): Promise<string> {
	return (await execute('curl', [...(isWindows ? ['--ssl-no-revoke'] : []), '-sS', ...args]))
		.stdout;
}

const running = useSandbox();

describe('the certificate', () => {
	it.each(['localhost', '127.0.0.1'])(
		'is trusted by https, undici and curl for %s',
		async (host) => {
			const { api, sandbox } = running;
			const url = `https://${host}:${sandbox.port}/api/v1/me`;
			const authorization = `Bearer ${sandbox.apiKey}`;
			const byHttps = await new Promise<string>((resolve, reject) => {
				https
					.get(url, { ca: sandbox.ca, agent: false, headers: { authorization } }, (response) => {
						text(response).then(resolve, reject);
					})
					.on('error', reject);
			});
			const { body } = await api.agent.request({
				origin: new URL(url).origin,
				path: '/api/v1/me',
				method: 'GET',
				headers: { authorization },
			});
			const header = ['-H', `Authorization: ${authorization}`];
			const byCurl = await curl(['--cacert', sandbox.caPath, ...header, url]);
			for (const response of [byHttps, await body.text(), byCurl]) {
				expect(JSON.parse(response)).toMatchObject({ id: sandbox.user.id });
			}
		},
	);

	it('is not trusted by default', async () => {
		const { sandbox } = running;
		const agent = new Agent();
		const attempt = agent.request({ origin: sandbox.origin, path: '/api/v1/me', method: 'GET' });
		await expect(attempt).rejects.toMatchObject({ code: expect.stringMatching(/CERT|SIGNATURE/) });
		await agent.destroy();
	});

	it('is new at each start', async () => {
		const second = await startSandbox();
		expect(second.ca).not.toBe(running.sandbox.ca);
		await second.stop();
	});
});

describe('starting and stopping', () => {
	it('listens on ::1 too where there is IPv6', async () => {
		const { sandbox } = running;
		const listens = await new Promise((resolve) => {
			const socket = net.connect(sandbox.port, '::1');
			socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
			socket.unref();
		});
		expect(listens).toBe(await hasIpv6());
	});

	async function hasIpv6() {
		const server = net.createServer();
		return await new Promise((resolve) => {
			server.once('error', () => resolve(false));
			server.listen(0, '::1', () => server.close(() => resolve(true)));
		});
	}

	it('refuses a port in use, and leaves nothing behind', async () => {
		const { sandbox } = running;
		const folder = await mkdtemp(path.join(os.tmpdir(), 'start-that-fails-'));
		const name = isWindows ? 'TEMP' : 'TMPDIR';
		const temporary = process.env[name];
		try {
			process.env[name] = folder;
			await expect(startSandbox({ port: sandbox.port })).rejects.toThrow(/EADDRINUSE/);
			expect(await readdir(folder)).toEqual([]);
		} finally {
			if (temporary === undefined) delete process.env[name];
			else process.env[name] = temporary;
			await rm(folder, { recursive: true });
		}
	});

	it('stops while connections are open and responses pending, and removes its folder', async () => {
		const sandbox = await startSandbox({ basePath: '/api/v2', apiKey: 'a-key' });
		const agent = new Agent({ connect: { ca: sandbox.ca }, keepAliveTimeout: 60_000 });
		expect(sandbox.url).toBe(`https://localhost:${sandbox.port}/api/v2`);
		const get = () =>
			agent.request({
				origin: sandbox.origin,
				path: '/api/v2/me',
				method: 'GET',
				headers: { authorization: 'Bearer a-key' },
			});
		await (await get()).body.dump();
		sandbox.faults.add({ kind: 'never' });
		const hanging = get();
		hanging.catch(() => undefined);
		while (sandbox.counts.inFlight === 0) await new Promise((resolve) => setTimeout(resolve, 5));
		await sandbox.stop();
		await sandbox.stop();
		await expect(hanging).rejects.toThrow();
		await expect(get()).rejects.toMatchObject({ code: 'ECONNREFUSED' });
		expect(existsSync(sandbox.caPath)).toBe(false);
		await agent.destroy();
	});

	it('has its initial state after a reset', async () => {
		const sandbox = await startSandbox({ settings: { pageSize: 5 } });
		const api = createApi(sandbox);
		Object.assign(sandbox.settings, { pageSize: 1, containerList: 'data' });
		sandbox.users.push({ ...sandbox.user, apiKey: 'added' });
		sandbox.addContainer();
		sandbox.addContact('a@example.com');
		await api.call('GET', '/me');
		sandbox.reset();
		expect(sandbox.settings).toMatchObject({ pageSize: 5, containerList: 'array' });
		expect(sandbox.users).toEqual([sandbox.user]);
		expect([sandbox.requests.length, sandbox.counts.total]).toEqual([0, 0]);
		expect((await api.call('GET', api.mine('/containers'))).json).toEqual([]);
		expect((await api.call('GET', api.mine('/contacts'))).json).toEqual([]);
		await api.close();
		await sandbox.stop();
	});

	it('serves 2,000 requests, 50 at a time, over kept-alive connections', async () => {
		const { api, sandbox } = running;
		sandbox.settings.record = 'counts';
		let left = 2000;
		const worker = async () => {
			while (left-- > 0) {
				const path = api.mine(`/contacts/c${left}@example.com`);
				await api.call('PATCH', path, { body: { company: 'x' } });
			}
		};
		await Promise.all(Array.from({ length: 50 }, worker));
		expect(sandbox.counts).toMatchObject({ total: 2000, statuses: { 200: 2000 } });
		expect(sandbox.counts.connections).toBeLessThan(200);
		expect(sandbox.counts.peakInFlight).toBeLessThanOrEqual(50);
		expect(sandbox.state.contactsOf(sandbox.user.id).size).toBe(2000);
	}, 60_000);
});

describe('in another process', () => {
	it('is started, controlled, inspected and stopped', async () => {
		const remote = await startSandboxProcess({
			apiKey: 'a-key',
			settings: { pageSize: 2, containerList: 'data' },
		});
		try {
			expect(await remote.settings()).toMatchObject({ pageSize: 2, containerList: 'data' });
			expect(await remote.settings({ pageSize: 0 })).toMatchObject({ pageSize: 0 });
			await expect(remote.settings({ page: 1 } as never)).rejects.toThrow('No such setting: page');
			const [{ uuid }] = await remote.addContainers([{ name: 'Seeded' }]);
			await remote.addContacts([{ email: 'a@example.com', fields: { company: 'x' } }]);
			expect(await remote.state()).toMatchObject({
				containers: [{ uuid, name: 'Seeded', userId: remote.user.id }],
				contacts: [{ email: 'a@example.com', fields: { company: 'x' } }],
			});
			await remote.faults.add({ kind: 'status', status: 500, path: /\/ME$/i, times: Infinity });
			const get = async () => {
				const args = ['-o', os.devNull, '-w', '%{http_code}', '--cacert', remote.caPath];
				const header = ['-H', 'Authorization: Bearer a-key'];
				return await curl([...args, ...header, `${remote.url}/me`]);
			};
			expect([await get(), await get()]).toEqual(['500', '500']);
			expect(await remote.faults.list()).toEqual([
				{ kind: 'status', stage: 'body', matched: 2, applied: 2 },
			]);
			await remote.faults.clear();
			expect(await get()).toBe('200');
			expect((await remote.requests()).map(({ path, status }) => [path, status])).toEqual([
				['/api/v1/me', 500],
				['/api/v1/me', 500],
				['/api/v1/me', 200],
			]);
			expect(await remote.counts()).toMatchObject({ total: 3, operations: { getMe: 3 } });
			await remote.clearRequests();
			expect(await remote.requests()).toEqual([]);
			await remote.reset();
			expect(await remote.state()).toEqual({ containers: [], contacts: [] });
			expect(await remote.settings()).toMatchObject({ pageSize: 2 });
		} finally {
			await remote.stop();
		}
		expect(existsSync(remote.caPath)).toBe(false);
	}, 60_000);

	it('reports why it does not start', async () => {
		const { sandbox } = running;
		await expect(startSandboxProcess({ port: sandbox.port })).rejects.toThrow(/EADDRINUSE/);
	}, 60_000);

	it.each([
		['the host of this machine', 'Host: localhost', '200'],
		['its address', 'Host: 127.0.0.1:8443', '200'],
		['its address in IPv6', 'Host: [::1]:8443', '200'],
		['another host that leads here', 'Host: evil.example', '403'],
		['a host that only looks like this one', 'Host: localhost.evil.example:8443', '403'],
		['no host that can be read', 'Host: local host', '403'],
		['the origin of a web page', 'Origin: https://evil.example', '403'],
	])('answers a request with %s: %j', async (_whom, header, status) => {
		const { sandbox } = running;
		const args = ['--cacert', sandbox.caPath, '-H', header, '-w', ' %{http_code}'];
		const answer = await curl([...args, `${sandbox.origin}/_sandbox/info`]);
		expect(answer.slice(-3)).toBe(status);
		expect(answer.includes(sandbox.apiKey)).toBe(status === '200');
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
		['PUT', 'settings', '{"pageSize":"x"}', 'settings.pageSize must be number'],
		['PUT', 'settings', '{"listOrder":"up"}', 'settings.listOrder must be one of created'],
		['PUT', 'settings', 'null', 'settings must be object'],
		['GET', 'container', undefined, 'The control interface has no GET /_sandbox/container'],
		['GET', '%zz', undefined, "'/_sandbox/%zz' is not a valid url component"],
	])('explains what is wrong with %s %s %j', async (method, path, body, words) => {
		const { api, sandbox } = running;
		const response = await api.agent.request({
			origin: sandbox.origin,
			path: `/_sandbox/${path}`,
			method: method as 'GET',
			...(body === undefined ? {} : { body, headers: { 'content-type': 'application/json' } }),
		});
		expect(response.statusCode).toBeGreaterThanOrEqual(400);
		expect(((await response.body.json()) as { message: string }).message).toContain(words);
		expect(sandbox.state.containers.size).toBe(0);
	});

	it('is controlled without being counted', async () => {
		const { api, sandbox } = running;
		const remote = await connectSandbox(sandbox);
		await api.encode([NAMED, filePart('x')]);
		const [received] = await remote.requests();
		expect(received).toEqual(JSON.parse(JSON.stringify(sandbox.requests[0])));
		expect(remote).toMatchObject({ url: sandbox.url, apiKey: sandbox.apiKey });
		expect(sandbox.counts.total).toBe(1);
		await remote.close();
	});

	it('the command line prints its help', async () => {
		const cli = path.join(__dirname, '../../sandbox/cli.cts');
		const { stdout } = await execute(process.execPath, ['--import', 'tsx', cli, '--help']);
		expect(stdout).toMatch(/--port[\s\S]*--api-key[\s\S]*--set[\s\S]*--keep-files/);
	}, 60_000);
});
