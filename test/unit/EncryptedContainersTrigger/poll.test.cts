import { runAlone } from '../../../nodes/EncryptedContainersTrigger/poll';

describe('runAlone', () => {
	const context = {};

	it('refuses a task while one of the same node is running', async () => {
		let end: (value: string) => void = () => undefined;
		const task = async () => await new Promise<string>((resolve) => (end = resolve));
		const first = runAlone('a', context, task);
		const second = jest.fn(async () => 'second');

		await expect(runAlone('a', context, second)).rejects.toThrow(
			'The previous poll is still running',
		);
		await expect(runAlone('a', {}, second)).rejects.toThrow('still running');
		expect(await runAlone('b', context, async () => 'other')).toBe('other');
		end('first');

		expect(await first).toBe('first');
		expect(second).not.toHaveBeenCalled();
	});

	it('runs the task again after it succeeded or failed', async () => {
		await expect(
			runAlone('a', context, async () => Promise.reject(new Error('no'))),
		).rejects.toThrow('no');

		expect(await runAlone('a', context, async () => 'again')).toBe('again');
	});

	it('does not prevent a workflow from being activated again while it polls', async () => {
		let end: (value: string) => void = () => undefined;
		await runAlone('a', context, async () => 'at activation');
		const old = runAlone('a', context, async () => await new Promise((resolve) => (end = resolve)));
		await expect(runAlone('a', context, async () => 'next')).rejects.toThrow('still running');

		let endNew: (value: string) => void = () => undefined;
		const activated = runAlone('a', {}, async () => await new Promise((done) => (endNew = done)));
		end('old');
		await old;
		await expect(runAlone('a', {}, async () => 'next')).rejects.toThrow('still running');
		endNew('new');

		expect(await activated).toBe('new');
	});
});
