import { enter } from '../../../../nodes/EncryptedContainers/execution/lock';

const { signal } = new AbortController();

/** Tasks of one process. `end` ends a task of the key; the others do nothing. */
function setUp() {
	const ends = new Map<string, (error?: Error) => void>();
	const hold = (name: string) => async () =>
		await new Promise<string>((resolve, reject) =>
			ends.set(name, (error) => (error === undefined ? resolve(name) : reject(error))),
		);
	const run = async (name: string, key = 'key', ending = signal) =>
		await enter(key, ending)
			.then(async (leave) => await hold(name)().finally(leave))
			.catch((error: Error) => error.message);
	const settle = async () => await new Promise((resolve) => setImmediate(resolve));
	const end = async (name: string, error?: Error) => {
		ends.get(name)?.(error);
		await settle();
	};
	return { run, end, settle, isRunning: (name: string) => ends.has(name) };
}

it('tasks of one key run in their order, also after one that fails, and return what they return', async () => {
	const { run, end, settle, isRunning } = setUp();
	const first = run('first');
	const second = run('second');
	await settle();
	expect([isRunning('first'), isRunning('second')]).toEqual([true, false]);
	await end('first', new Error('no'));
	expect(await first).toBe('no');
	await end('second');
	expect(await second).toBe('second');
});

it('who gives up waiting lets nobody in', async () => {
	const { run, end, isRunning } = setUp();
	const controller = new AbortController();
	void run('first');
	const canceled = run('canceled', 'key', controller.signal);
	void run('last');
	controller.abort(new Error('canceled'));
	expect(await canceled).toBe('canceled');
	expect(isRunning('last')).toBe(false);
	await end('first');
	expect([isRunning('canceled'), isRunning('last')]).toEqual([false, true]);
	await end('last');
	void run('late');
	expect(isRunning('late')).toBe(false);
	await end('late');
});

it('tasks of different keys do not wait for each other', async () => {
	const { run, end, settle, isRunning } = setUp();
	void run('first');
	void run('other', 'another key');
	await settle();
	expect(isRunning('other')).toBe(true);
	await end('first');
	await end('other');
});
