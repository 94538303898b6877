import { readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import LibSql from 'libsql';
import { waitFor } from '../../tools/processes.cts';
import { createContainer } from './support/api.mts';
import { startFaultyService } from './support/faultyService.mts';
import { find, measure, startMeasuredService, type Sample } from './support/metrics.mts';
import { createEndlessPdf } from './support/hostileFiles.mts';
import { createPdf, toTextContent } from './support/pdf.mts';
import {
	findAlerts,
	MONITORING,
	readAlerts,
	RULES,
	runPromtool,
	wherePromtool,
} from './support/promtool.mts';
import { startMailServer } from './support/recipient.cts';
import { describeService, times, usesServers } from './support/service.mts';

const ADA = 'ada@example.com';
/** Where nothing answers. */
const NOWHERE = 'smtp://127.0.0.1:1';
/** What /readyz finds counts so long. */
const KEPT_MS = 1100;

type Measured = Awaited<ReturnType<typeof startFaultyMeasured>>;

async function startFaultyMeasured(env: Record<string, string> = {}) {
	return await measure(async (settings) => await startFaultyService({ ...env, ...settings }));
}

const fired = new Set<string>();

/** Without the times that it took on this machine: they say nothing of the alerts. */
const toIdle = (samples: Sample[]) =>
	samples.map((sample) => {
		const { le, ...labels } = sample.labels;
		if (sample.name.startsWith('nodejs_eventloop_lag_')) return { ...sample, value: 0.01 };
		if (!sample.name.endsWith('_bucket') || Number(le) < 0.5) return sample;
		const all = sample.name.replace(/_bucket$/, '_count');
		return { ...sample, value: find(samples, all, labels)! };
	});

/** Does something to a service, and looks at which alerts fire because of it. */
async function expectAlerts(
	measured: Pick<Measured, 'read'>,
	work: () => unknown,
	names: string[],
) {
	const before = await measured.read();
	await work();
	await sleep(KEPT_MS);
	const firing = await findAlerts(before, await measured.read());
	expect(firing).toEqual(expect.arrayContaining(names));
	for (const name of firing) fired.add(name);
	return firing;
}

const moveAway = (path: string) => {
	renameSync(path, `${path}-gone`);
	return () => renameSync(`${path}-gone`, path);
};

(usesServers ? describe.skip : describeService)('alerts', () => {
	wherePromtool('are taken by Prometheus', async () => {
		expect(await runPromtool('check', 'rules', RULES)).toMatchObject({ code: 0 });
		const config = join(MONITORING, 'prometheus.yml');
		expect(await runPromtool('check', 'config', config)).toMatchObject({ code: 0 });
	});

	wherePromtool('are silent while all is well', async () => {
		const { service, read } = await startMeasuredService();
		const before = await read();
		const container = await createContainer(service, { recipients: [ADA] });
		await service.visit(container).signIn(ADA);
		expect(await findAlerts(toIdle(before), toIdle(await read()))).toEqual([]);
	});

	wherePromtool('fire when a part is gone', async () => {
		const measured = await startFaultyMeasured();
		const { folder, api, userId } = measured.service;
		const putDatabaseBack = moveAway(join(folder, 'service.db'));
		const list = async () => await api.get(`/users/${userId}/containers`);
		await expectAlerts(measured, async () => await Promise.all(times(5, list)), [
			'DatabaseDown',
			'RequestsFailing',
			'ErrorsLogged',
		]);
		putDatabaseBack();
		const putFilesBack = moveAway(join(folder, 'files'));
		await expectAlerts(measured, () => undefined, ['StorageDown']);
		putFilesBack();
		const putKeyBack = moveAway(join(folder, 'master.key'));
		await expectAlerts(measured, () => undefined, ['MasterKeyMissing']);
		putKeyBack();
		const full = async () => await measured.service.fail({ isSpaceShort: true });
		await expectAlerts(measured, full, ['StorageAlmostFull']);
	});

	wherePromtool('fire when a part is slow', async () => {
		const measured = await startFaultyMeasured();
		const { service } = measured;
		await service.fail({ isDiskSlow: true });
		await expectAlerts(measured, async () => await createContainer(service), ['StorageSlow']);
		await service.fail({});
		const block = async () => {
			// Node.js measures from some ticks after each scrape.
			await sleep(1000);
			await service.fail({ isBlocked: true });
		};
		await expectAlerts(measured, block, ['EventLoopBlocked']);
		const { uuid } = await createContainer(service, { drm: { dynamic: true } });
		const lock = new LibSql(join(service.folder, 'service.db'));
		const changeLocked = async (count: number) => {
			lock.exec('pragma busy_timeout=10000; begin immediate');
			const change = async (opens: number) =>
				(await service.api.patch(`/containers/${uuid}/drm`, { opens: opens + 1 })).status;
			const changes = Promise.all(times(count, change));
			await sleep(6000);
			lock.exec('rollback');
			expect(new Set(await changes)).toEqual(new Set([200]));
		};
		await expectAlerts(measured, async () => await changeLocked(1), ['DatabaseSlow']);
		await expectAlerts(measured, async () => await changeLocked(20), ['DatabaseCrowded']);
		lock.close();
	});

	wherePromtool('fire when mails fail', async () => {
		const server = await startMailServer();
		const OWNER_EMAIL = 'olive@example.com';
		const measured = await startMeasuredService({ SMTP_URL: server.url, OWNER_EMAIL });
		const nobodies = times(5, (index) => `nobody@${index}.example.com`);
		const container = await createContainer(measured.service, { recipients: nobodies });
		const ask = async (email: string) =>
			await measured.service.visit(container).post('code', { email });
		const countFailed = (samples: Sample[]) =>
			find(samples, 'ec_mails_total', { outcome: 'failed' });
		const askAll = async () => {
			await Promise.all(nobodies.map(ask));
			await waitFor(async () => countFailed(await measured.read())! >= nobodies.length);
		};
		await expectAlerts(measured, askAll, ['MailsFailing']);
		await server.stop();

		const down = await startMeasuredService({ SMTP_URL: NOWHERE, OWNER_EMAIL });
		await waitFor(async () => find(await down.read(), 'ec_mail_server_up') === 0);
		await expectAlerts(down, () => undefined, ['MailServerDown']);
	});

	wherePromtool('fire when there is too much', async () => {
		const measured = await startMeasuredService();
		const { service } = measured;
		const wrong = service.api.withKey('ec_wrong_key_of_somebody');
		await expectAlerts(
			measured,
			async () => await Promise.all(times(80, async () => await wrong.get('/me'))),
			['ManyRejected'],
		);
		const pages = times(75, (index) => ({ content: toTextContent(`Page ${index}`) }));
		const files = { 'endless.pdf': createEndlessPdf(), 'report.pdf': createPdf(pages) };
		const types = { 'endless.pdf': 'application/pdf', 'report.pdf': 'application/pdf' };
		const container = await createContainer(service, { recipients: [ADA], files, types });
		const ada = service.visit(container);
		await ada.signIn(ADA);
		const show = async (file: number, page: number) =>
			await ada.go(`/c/${container.uuid}/files/${file}/pages/${page}`);
		const showAll = async () => {
			const endless = show(0, 1);
			await waitFor(async () => find(await measured.read(), 'ec_renderings_running') === 1);
			await Promise.all([endless, ...times(75, async (index) => await show(1, index + 1))]);
		};
		await expectAlerts(measured, showAll, ['ViewsRefused']);
	});

	wherePromtool('fire when the service is gone', async () => {
		const gone = { name: 'up', isCount: false, labels: {}, value: 0 };
		const firing = await findAlerts([], [gone]);
		expect(firing).toEqual(['ServiceDown']);
		fired.add('ServiceDown');
	});

	wherePromtool('fire all of them in these tests', () => {
		expect([...fired].sort()).toEqual(
			readAlerts()
				.map(({ alert }) => alert)
				.sort(),
		);
	});

	it('and the dashboard name only metrics that are there', async () => {
		const { service, read } = await startMeasuredService();
		const files = { 'report.pdf': createPdf([{ content: toTextContent('Report') }]) };
		const types = { 'report.pdf': 'application/pdf' };
		const container = await createContainer(service, { recipients: [ADA], files, types });
		await service.visit(container).signIn(ADA);
		// They are counted beside what asks for them.
		await waitFor(async () => find(await read(), 'ec_containers') !== undefined);
		const known = (await read()).map(({ name }) => name);
		const rules = readAlerts().map(({ expr }) => expr);
		const dashboard = readFileSync(join(MONITORING, 'dashboard.json'), 'utf8');
		const named = `${rules.join('\n')}\n${dashboard}`.match(/\b(?:ec|nodejs|process)_\w+/g) ?? [];
		const unknown = new Set(named.filter((name) => !known.includes(name)));
		expect([...unknown]).toEqual([]);
	});
});
