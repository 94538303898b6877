import { takeTurn } from '../../../../nodes/EncryptedContainers/execution/turns';

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

const settle = async () => await jest.advanceTimersByTimeAsync(0);

it('a lock lets one in after the other, though one gives up waiting, and others by another key', async () => {
	const stop = new Error('stopped');
	const { signal } = new AbortController();
	const impatient = new AbortController();
	const inside: string[] = [];
	const enterAs = async (name: string, key: string, ending = signal) => {
		const leave = await takeTurn(key, ending);
		inside.push(name);
		return leave;
	};
	const first = enterAs('first', 'key');
	const canceled = enterAs('canceled', 'key', impatient.signal).catch((error: Error) => error);
	void enterAs('last', 'key');
	void enterAs('other', 'another key');
	await settle();
	impatient.abort(stop);
	await jest.advanceTimersByTimeAsync(1000);
	expect([await canceled, inside]).toEqual([stop, ['first', 'other']]);
	(await first)();
	await settle();
	expect(inside).toEqual(['first', 'other', 'last']);
});
