import { networkInterfaces } from 'node:os';
import { request } from 'undici';
import { waitFor } from '../../tools/processes.cts';
import {
	createContainer,
	filePart,
	toForm,
	type FileRequest,
	type ServiceEvent,
} from './support/api.mts';
import { find, startMeasuredService } from './support/metrics.mts';
import { createPdf, toTextContent } from './support/pdf.mts';
import { describeService, startService, type Service } from './support/service.mts';

const ADA = 'ada@example.com';
const EVE = 'eve@example.net';
const PASSWORD = 'correct horse';
const IP = '203.0.113.77';

/** Opens what is shown, and is refused in several ways. */
async function visitAll(service: Service): Promise<string[]> {
	const report = createPdf([{ content: toTextContent('Report') }]);
	const files = { 'secret-report.pdf': report };
	const types = { 'secret-report.pdf': 'application/pdf' };
	const shared = { name: 'Secret name', recipients: [ADA], files, types };
	const open = await createContainer(service, shared);
	const ada = service.visit(open, IP);
	await ada.signIn(ADA, '00000000');
	await ada.signIn(ADA);
	await ada.go(`/c/${open.uuid}?file=0`);
	await ada.go(`/c/${open.uuid}/files/0/pages/1`);
	await ada.getFile(0, { download: true });
	const locked = await createContainer(service, { recipients: [ADA], password: PASSWORD });
	const visitor = service.visit(locked);
	await visitor.signIn(ADA);
	await visitor.enterPassword('wrong');
	await visitor.enterPassword(PASSWORD);
	const over = await createContainer(service, {
		recipients: [ADA],
		drm: { dynamic: true, time: { end: '2020-01-01' } },
	});
	await service.visit(over).signIn(ADA);
	await service.visit(open).post('code', { email: EVE });
	await service.api.send('GET', `/containers/${open.uuid}/decode`);
	await service.api.patch(`/containers/${over.uuid}/drm`, { opens: 1 });
	await service.api.send('DELETE', `/containers/${over.uuid}`);
	return [open.uuid, locked.uuid, over.uuid];
}

async function sendFiles(service: Service): Promise<string> {
	const json = { name: 'Secret request', senders: [EVE] };
	const path = `/users/${service.userId}/requests`;
	const { body } = await service.api.send<FileRequest>('POST', path, { body: json });
	const eve = service.visitRequest(body);
	await eve.signIn(EVE);
	await eve.sendFiles(toForm([{ ...filePart('secret-payslip.txt', 'Hello'), name: 'files' }]));
	return body.uuid;
}

/** Requests that fail, and one of each other kind. */
async function ask(service: Service): Promise<void> {
	const { api, userId } = service;
	const contact = { email: EVE, first_name: 'Secret' };
	await api.send('POST', `/users/${userId}/contacts`, { body: contact });
	await api.get(`/users/${userId}/contacts?name=${encodeURIComponent(EVE)}`);
	await api.get(`/users/${userId}/containers/nothing`);
	await api.get(`/${EVE}`);
	await api.withKey('ec_wrong_key_of_somebody').get('/me');
	const { dispatcher } = api;
	for (const path of [`/c/${EVE}`, `/${EVE}?name=${EVE}`, '/%ff', `/r/${userId}/${EVE}`]) {
		const { body } = await request(service.origin + path, { dispatcher });
		await body.dump();
	}
}

/** Of this machine: others reach them, too. */
function listOutsideAddresses(): string[] {
	const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
	const outside = all.filter(({ family, internal }) => family === 'IPv4' && !internal);
	return outside.map(({ address }) => address);
}

describeService('metrics', () => {
	it('are told of the whole service, and no label has a name, an address or an ID', async () => {
		const { service, read } = await startMeasuredService({ TRUST_PROXY: '127.0.0.1,::1' });
		const ids = await visitAll(service);
		ids.push(await sendFiles(service), service.userId);
		await ask(service);
		const path = `/users/${service.userId}/events`;
		const [{ id: newest }] = await service.api.getAll<ServiceEvent>(`${path}?order=desc`);
		const waiting = service.api.get(`${path}?after=${newest}&wait=30`);
		// A receipt is mailed after its answer.
		await waitFor(async () => {
			const now = await read();
			const isWaiting = find(now, 'ec_waiting_clients') === 1;
			const isDrawn = find(now, 'ec_renderings_running') === 0;
			return isWaiting && isDrawn && find(now, 'ec_mails_total', { outcome: 'sent' })! >= 5;
		});
		const samples = await read();
		await createContainer(service);
		await waiting;

		const values = samples.flatMap(({ labels }) => Object.values(labels));
		const hexadecimal = /[\da-f]{8}/i;
		const words = ['@', 'secret', 'example', IP, service.apiKey, service.folder, ...ids];
		for (const value of values) {
			expect(value).not.toMatch(hexadecimal);
			const found = words.filter((word) => value.toLowerCase().includes(word.toLowerCase()));
			expect([value, found]).toEqual([value, []]);
		}
		const count = (name: string, labels?: Record<string, string>) => find(samples, name, labels);
		const countEvents = (action: string, more = {}) =>
			count('ec_events_total', { action, ...more });
		expect(countEvents('container.create')).toBe(4);
		expect(countEvents('request.deliver')).toBe(1);
		expect(countEvents('container.open')).toBe(2);
		expect(countEvents('container.refuse', { reason: 'time' })).toBe(1);
		expect(countEvents('container.refuse', { reason: 'password' })).toBe(1);
		const encode = { route: '/api/v1/users/:user_id/containers/encode', status: '201' };
		expect(count('ec_http_requests_total', encode)).toBe(3);
		expect(count('ec_http_requests_total', { route: '/api/v1/me', status: '401' })).toBe(1);
		expect(count('ec_http_request_seconds_count', { route: '/c/:id/open' })).toBe(4);
		expect(count('ec_waiting_clients')).toBe(1);
		expect(count('ec_mails_total', { outcome: 'sent' })).toBeGreaterThanOrEqual(5);
		expect(count('ec_mails_waiting')).toBe(0);
		expect(count('ec_rendering_seconds_count', { task: 'render', outcome: 'shown' })).toBe(1);
		expect(count('ec_renderings_running')).toBe(0);
		expect(count('ec_renderings_waiting')).toBe(0);
		for (const operation of ['write', 'read', 'remove']) {
			expect(count('ec_storage_wait_seconds_count', { operation })).toBeGreaterThan(0);
		}
		expect(count('ec_storage_errors_total') ?? 0).toBe(0);
		expect(count('ec_storage_free_bytes')).toBeGreaterThan(0);
		expect(count('ec_database_statement_seconds_count')).toBeGreaterThan(100);
		expect(count('ec_database_wait_seconds_count')).toBeGreaterThan(10);
		expect(count('ec_database_errors_total')).toBe(0);
		expect(count('nodejs_eventloop_lag_seconds')).toBeGreaterThanOrEqual(0);
		for (const part of ['database', 'storage', 'master key']) {
			expect(count('ec_part_up', { part })).toBe(1);
		}
		expect(count('ec_mail_server_up')).toBe(1);
	});

	it('count the containers that are there, and their bytes', async () => {
		const { service, read } = await startMeasuredService();
		await createContainer(service, { files: { 'a.txt': 'x'.repeat(1000) } });
		await createContainer(service, { files: { 'a.txt': 'x'.repeat(24) } });
		// A new process counts at once.
		await service.restart();
		await waitFor(async () => find(await read(), 'ec_containers') !== undefined);
		const samples = await read();
		expect(find(samples, 'ec_containers')).toBe(2);
		expect(find(samples, 'ec_container_bytes')).toBe(1024);
	});

	it('are on no port unless METRICS_PORT names one', async () => {
		const { service, metricsUrl } = await startMeasuredService();
		const [outside] = listOutsideAddresses();
		if (outside) await expect(request(metricsUrl.replace('127.0.0.1', outside))).rejects.toThrow();
		const { dispatcher } = service.api;
		const { statusCode, body } = await request(`${service.origin}/metrics`, { dispatcher });
		await body.dump();
		expect(statusCode).toBe(404);
		expect((await request(metricsUrl)).statusCode).toBe(200);
		expect(await service.stop()).toBe(0);
		await expect(request(metricsUrl)).rejects.toThrow('ECONNREFUSED');
		expect(service.printed.Metrics).toContain('from this machine only (METRICS_HOST=:: opens it');
		expect((await startService()).printed.Metrics).toBeUndefined();
	});
});
