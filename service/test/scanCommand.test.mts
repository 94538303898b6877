import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { waitFor } from '../../tools/processes.cts';
import { scanFile } from '../src/requests/scan.mts';
import { createCommandScan } from '../src/requests/scanCommand.mts';
import { createFolder, describeService } from './support/service.mts';

const MINUTE_MS = 60_000;

function isRunning(pid: number): boolean {
	try {
		return process.kill(pid, 0);
	} catch {
		return false;
	}
}

it('a command that scans gets no secret of the service', async () => {
	const path = join(createFolder(), 'environment');
	process.env.MASTER_KEY = 'a secret';
	const openScan = createCommandScan(`cat > /dev/null; env > ${path}`);
	await buffer(scanFile(Readable.from(['Hello']), openScan));
	delete process.env.MASTER_KEY;
	const environment = readFileSync(path, 'utf8');
	expect(environment).toContain(`PATH=${process.env.PATH}`);
	expect(environment).not.toContain('secret');
});

describeService('a command that scans, and hangs', () => {
	afterEach(() => void jest.useRealTimers());

	it.each([
		['reads nothing', 'sleep 1000', 5_000_000],
		['has no verdict', 'cat > /dev/null; sleep 1000', 5],
	])('is down after five minutes, and ends with all that it started (%s)', async (...given) => {
		const [, work, bytes] = given;
		const path = join(createFolder(), 'pids');
		writeFileSync(path, '');
		const openScan = createCommandScan(
			`echo $$ >> ${path}; sleep 1000 & echo $! >> ${path}; ${work}`,
		);
		const readStarted = () => readFileSync(path, 'utf8').trim().split('\n').map(Number);
		jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
		let problem: unknown;
		const content = Readable.from([Buffer.alloc(bytes)]);
		buffer(scanFile(content, openScan)).catch((error: unknown) => (problem = error));
		while (readStarted().length < 2 || jest.getTimerCount() === 0) await turn();
		await jest.advanceTimersByTimeAsync(5 * MINUTE_MS - 1);
		expect(problem).toBeUndefined();
		await jest.advanceTimersByTimeAsync(1);
		jest.useRealTimers();
		await waitFor(() => problem !== undefined, 30_000, 'It is waited for.');
		expect(problem).toMatchObject({ problem: 'unscanned' });
		await waitFor(() => !readStarted().some(isRunning), 30_000, 'A process is left.');
	});
});

const turn = async () => await new Promise((resolve) => void setImmediate(resolve));
