import { skipIfRunning } from '../../../nodes/EncryptedContainersTrigger/poll';

describe('skipIfRunning', () => {
	it('does not start a task while it is running', async () => {
		let end: (value: string) => void = () => undefined;
		const first = skipIfRunning(
			'a',
			async () => await new Promise<string>((resolve) => (end = resolve)),
		);
		const second = jest.fn(async () => 'second');

		expect(await skipIfRunning('a', second)).toBeNull();
		expect(await skipIfRunning('b', async () => 'other')).toBe('other');
		end('first');

		expect(await first).toBe('first');
		expect(second).not.toHaveBeenCalled();
	});

	it('starts the task again after it succeeded or failed', async () => {
		await expect(skipIfRunning('a', async () => Promise.reject(new Error('no')))).rejects.toThrow(
			'no',
		);

		expect(await skipIfRunning('a', async () => 'again')).toBe('again');
	});
});
