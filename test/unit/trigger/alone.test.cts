import { alone } from '../../../nodes/EncryptedContainersTrigger/alone';

describe('a task that is done alone', () => {
	it('is not begun a second time while it is under way', async () => {
		let end: (value: string) => void = () => undefined;
		const first = alone('a', async () => await new Promise<string>((resolve) => (end = resolve)));
		const second = jest.fn(async () => 'second');

		expect(await alone('a', second)).toBeNull();
		expect(await alone('b', async () => 'other')).toBe('other');
		end('first');

		expect(await first).toBe('first');
		expect(second).not.toHaveBeenCalled();
	});

	it('may be done again after it ended, well or not', async () => {
		await expect(alone('a', async () => Promise.reject(new Error('no')))).rejects.toThrow('no');

		expect(await alone('a', async () => 'again')).toBe('again');
	});
});
