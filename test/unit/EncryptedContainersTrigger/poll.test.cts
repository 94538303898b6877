import { skipIfRunning } from '../../../nodes/EncryptedContainersTrigger/skipIfRunning';

describe('a task that is done alone', () => {
	it('is not begun a second time while it is under way', async () => {
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

	it('may be done again after it ended, well or not', async () => {
		await expect(skipIfRunning('a', async () => Promise.reject(new Error('no')))).rejects.toThrow(
			'no',
		);

		expect(await skipIfRunning('a', async () => 'again')).toBe('again');
	});
});
