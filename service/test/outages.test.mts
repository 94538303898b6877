import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import LibSql from 'libsql';
import { request } from 'undici';
import { waitFor } from '../../tools/processes.cts';
import { createContainer, type Container } from './support/api.mts';
import { startFaultyService } from './support/faultyService.mts';
import { find, measure } from './support/metrics.mts';
import { describeService, times, usesServers, type Service } from './support/service.mts';

const ADA = 'ada@example.com';
const onlyInFolder = usesServers ? describe.skip : describeService;

async function startMeasured() {
	return await measure(async (env) => await startFaultyService(env));
}

/** As a browser of somebody who speaks German asks for a code. */
async function askForCode({ origin, api }: Service, { uuid }: Container) {
	const { statusCode, headers, body } = await request(`${origin}/c/${uuid}/code`, {
		method: 'POST',
		dispatcher: api.dispatcher,
		headers: { 'content-type': 'application/x-www-form-urlencoded', 'accept-language': 'de' },
		body: new URLSearchParams({ email: ADA }).toString(),
	});
	return { status: statusCode, retryAfter: headers['retry-after'], html: await body.text() };
}

async function getHealth({ origin, api }: Service, path: string) {
	const start = performance.now();
	const { statusCode, body } = await request(origin + path, { dispatcher: api.dispatcher });
	return { status: statusCode, text: await body.text(), ms: performance.now() - start };
}

/** Changes a container again and again, as many clients do. */
function startLoad(service: Service, { uuid }: Container) {
	const answers: Array<{ begin: number; status: number }> = [];
	let isOver = false;
	const change = async (first: number) => {
		for (let opens = first + 1; !isOver; opens += 10) {
			const begin = performance.now();
			const { status } = await service.api.patch(`/containers/${uuid}/drm`, { opens });
			answers.push({ begin, status });
		}
	};
	const changing = Promise.all(times(10, change));
	const stop = async () => {
		isOver = true;
		await changing;
	};
	const listSince = (time: number) => answers.filter(({ begin }) => begin >= time);
	const listStatuses = (time = 0) => new Set(listSince(time).map(({ status }) => status));
	return { listSince, listStatuses, stop };
}

onlyInFolder('under load, a database that another process has locked', () => {
	it('is told, answered with 503, and used again once it is free', async () => {
		const { service, read } = await startMeasured();
		const container = await createContainer(service, { drm: { dynamic: true } });
		const load = startLoad(service, container);
		const lock = new LibSql(join(service.folder, 'service.db'));
		lock.exec('pragma busy_timeout=10000; begin immediate');
		await sleep(2000);
		// Whoever doesn't need the database is answered.
		const alive = await getHealth(service, '/healthz');
		expect(alive.status).toBe(200);
		expect(alive.ms).toBeLessThan(5000);
		const waiting = await getHealth(service, '/readyz');
		expect(waiting).toMatchObject({
			status: 503,
			text: expect.stringContaining('database: failed'),
		});
		await sleep(10_000);
		const page = await askForCode(service, container);
		expect(page).toMatchObject({ status: 503, retryAfter: '10' });
		expect(page.html).toContain('lang="de"');
		expect(page.html).toContain('in einigen Minuten');
		expect(find(await read(), 'ec_part_up', { part: 'database' })).toBe(0);
		lock.exec('rollback');
		lock.close();
		const freed = performance.now();
		await waitFor(() => load.listSince(freed).length > 10);
		await load.stop();
		expect(load.listStatuses()).toEqual(new Set([200, 503]));
		expect(load.listStatuses(freed)).toEqual(new Set([200]));
		// What was found before counts for a second.
		await waitFor(async () => (await getHealth(service, '/readyz')).status === 200);
		expect(find(await read(), 'ec_part_up', { part: 'database' })).toBe(1);
		expect((await service.run(['check'])).code).toBe(0);
	});
});

onlyInFolder('under load, a slow storage', () => {
	it('delays uploads, and nothing else', async () => {
		const { service, read } = await startMeasured();
		const container = await createContainer(service, { drm: { dynamic: true } });
		const load = startLoad(service, container);
		await service.fail({ isDiskSlow: true });
		const start = performance.now();
		await Promise.all(times(5, async () => await createContainer(service)));
		expect(performance.now() - start).toBeGreaterThan(2000);
		expect(load.listSince(start).length).toBeGreaterThan(10);
		expect(await getHealth(service, '/readyz')).toMatchObject({ status: 200 });
		await load.stop();
		expect(load.listStatuses()).toEqual(new Set([200]));
		const slow = { operation: 'write', le: '2' };
		const all = find(await read(), 'ec_storage_wait_seconds_count', { operation: 'write' })!;
		expect(all - find(await read(), 'ec_storage_wait_seconds_bucket', slow)!).toBe(5);
		expect((await service.run(['check'])).code).toBe(0);
	});
});
