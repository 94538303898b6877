import { PassThrough } from 'node:stream';
import { toForm, waitForFile, type FileRequest } from '../support/api.mts';
import { startFaultyService } from '../support/faultyService.mts';
import { describeService, usesServers } from '../support/service.mts';

const ANNA = 'anna@example.com';
const FORM = toForm([{ name: 'files', filename: 'large.bin', content: Buffer.alloc(12e6, 'x') }]);
const NO_ROOM = [507, expect.stringContaining('There is no room for the files')];

async function setUp(env: Record<string, string> = {}) {
	const service = await startFaultyService({ OWNER_EMAIL: 'olive@example.com', ...env });
	const path = `/users/${service.userId}/requests`;
	const body = { name: 'Documents', senders: [ANNA] };
	const { body: request } = await service.api.send<FileRequest>('POST', path, { body });
	const anna = service.visitRequest(request);
	await anna.signIn(ANNA);
	const countStored = async () => {
		const containers = await service.api.getAll(`/users/${service.userId}/containers`);
		return [containers.length, service.listFiles().length];
	};
	return { service, anna, countStored };
}

(usesServers ? describe.skip : describeService)('free space', () => {
	it('that is kept for others is not taken by a delivery', async () => {
		const { anna, countStored } = await setUp({ KEEP_FREE_BYTES: '900000000000000' });
		const { status, text } = await anna.sendFiles(FORM);
		expect([status, text]).toEqual(NO_ROOM);
		expect(await countStored()).toEqual([0, 0]);
	});

	it.each([
		['that others took', { isSpaceShort: true }],
		['that is gone', { isDiskFull: true }],
	])('%s while a delivery arrives ends it, and it can be sent later', async (_title, faults) => {
		const { service, anna, countStored } = await setUp();
		const body = new PassThrough();
		const sent = anna.sendFiles(body);
		body.write(FORM.subarray(0, 1e6));
		await waitForFile(service, []);
		await service.fail(faults);
		body.end(FORM.subarray(1e6));
		const { status, text } = await sent;
		expect([status, text]).toEqual(NO_ROOM);
		expect(text).toContain('Nothing was sent.');
		await service.fail({});
		expect(await countStored()).toEqual([0, 0]);
		expect((await anna.sendFiles(FORM)).status).toBe(303);
		expect(await countStored()).toEqual([1, 1]);
	});
});
