import { setTimeout as delay } from 'node:timers/promises';
import { FairQueue, type Job } from '../../src/viewing/fairQueue.mts';
import { times } from '../support/service.mts';

type Options = Partial<Job<string>> & { name: string; canStop?: boolean };

/** A queue, with jobs that run until the test ends them. */
function createQueue(options: ConstructorParameters<typeof FairQueue>[0] = {}) {
	const queue = new FairQueue(options);
	const started: string[] = [];
	const ends = new Map<string, { done(): void; fail(): void }>();
	const add = ({ name, client = name, document = name, canStop = true, ...options }: Options) =>
		queue.add({
			client,
			document,
			...options,
			run: () => {
				started.push(name);
				return new Promise<string>((resolve, reject) => {
					const fail = () => reject(new Error(`${name} was stopped`));
					ends.set(name, { done: () => resolve(name), fail });
				});
			},
			stop: canStop ? () => ends.get(name)?.fail() : undefined,
		});
	const finish = async (name: string) => {
		ends.get(name)?.done();
		await delay(0);
	};
	const fail = async (name: string) => {
		ends.get(name)?.fail();
		await delay(0);
	};
	return { add, finish, fail, started };
}

test('two jobs run at once', async () => {
	const { add, finish, started } = createQueue();
	const all = ['a', 'b', 'c'].map((name) => add({ name }));
	expect(started).toEqual(['a', 'b']);
	await finish('b');
	expect(started).toEqual(['a', 'b', 'c']);
	await finish('a');
	await finish('c');
	expect(await Promise.all(all)).toEqual(['a', 'b', 'c']);
});

test('one person has one job at a time, and a document too', async () => {
	const { add, finish, started } = createQueue();
	const all = [
		add({ name: 'a1', client: 'anna' }),
		add({ name: 'a2', client: 'anna' }),
		add({ name: 'b', document: 'a1' }),
		add({ name: 'c' }),
	];
	expect(started).toEqual(['a1', 'c']);
	await finish('a1');
	await finish('c');
	expect(started).toEqual(['a1', 'c', 'b', 'a2']);
	await finish('a2');
	await finish('b');
	await Promise.all(all);
});

test('who asks for much waits while others ask for little', async () => {
	const { add, finish, started } = createQueue();
	const all = times(20, (n) => add({ name: `a${n}`, client: 'anna' }));
	all.push(add({ name: 'b0', client: 'ben' }), add({ name: 'b1', client: 'ben' }));
	all.push(add({ name: 'c0', client: 'carla' }));
	expect(started).toEqual(['a0', 'b0']);
	await finish('a0');
	expect(started.at(-1)).toBe('c0');
	await finish('b0');
	await finish('c0');
	expect(started.slice(3).sort()).toEqual(['a1', 'b1']);
	for (const index of all.keys()) await finish(started[index]);
	await Promise.all(all);
});

test('an urgent job overtakes the others of its client, and nobody else', async () => {
	const { add, finish, started } = createQueue();
	const all = times(3, (n) => add({ name: `a${n}`, client: 'anna' }));
	all.push(add({ name: 'b' }), add({ name: 'c' }));
	all.push(...['first', 'second'].map((name) => add({ name, client: 'anna', isUrgent: true })));
	for (const index of all.keys()) await finish(started[index]);
	expect(started).toEqual(['a0', 'b', 'c', 'first', 'second', 'a1', 'a2']);
	await Promise.all(all);
});

test('what nobody waits for any more is not begun', async () => {
	const { add, finish, started } = createQueue();
	const all = [add({ name: 'a' }), add({ name: 'b' })];
	const gone = new AbortController();
	const third = add({ name: 'c', signal: gone.signal });
	gone.abort();
	await expect(third).rejects.toThrow('aborted');
	await finish('a');
	expect(started).toEqual(['a', 'b']);
	await finish('b');
	await Promise.all(all);
});

test('nobody has more than 60 jobs that wait', async () => {
	const { add, finish } = createQueue();
	const all = times(61, (n) => add({ name: `a${n}`, client: 'anna' }));
	await expect(add({ name: 'a61', client: 'anna' })).rejects.toMatchObject({ problem: 'busy' });
	const other = add({ name: 'b' });
	await finish('b');
	expect(await other).toBe('b');
	for (const [index] of all.entries()) await finish(`a${index}`);
	await Promise.all(all);
});

test('two that take long make room for a third, and the one that was stopped is run again', async () => {
	const { add, finish, started } = createQueue();
	const all = [add({ name: 'slow 1' }), add({ name: 'slow 2' }), add({ name: 'quick' })];
	await delay(1200);
	expect(started).toEqual(['slow 1', 'slow 2', 'quick']);
	await finish('quick');
	// One place stays free for what is quick.
	expect(started).toHaveLength(3);
	await finish('slow 1');
	expect(started.at(-1)).toBe('slow 2');
	await finish('slow 2');
	expect(await Promise.all(all)).toEqual(['slow 1', 'slow 2', 'quick']);
});

test('what can not be stopped keeps its place however long it takes, and is run once', async () => {
	const { add, finish, fail, started } = createQueue({ slowMs: 30 });
	const first = add({ name: 'slow 1', canStop: false });
	const failing = add({ name: 'slow 2', canStop: false });
	const third = add({ name: 'quick' });
	await delay(100);
	expect(started).toEqual(['slow 1', 'slow 2']);
	const refused = expect(failing).rejects.toThrow('slow 2 was stopped');
	await fail('slow 2');
	await refused;
	await finish('quick');
	await finish('slow 1');
	expect(await Promise.all([first, third])).toEqual(['slow 1', 'quick']);
	expect(started).toEqual(['slow 1', 'slow 2', 'quick']);
});

test.each(['left', 'waited too long'])(
	'one that was stopped is not run again for somebody who %s meanwhile',
	async (what) => {
		const isLeaving = what === 'left';
		const { add, finish, started } = createQueue({
			slowMs: 30,
			waitingMs: isLeaving ? undefined : 50,
		});
		const gone = new AbortController();
		const first = add({ name: 'slow 1' });
		const stopped = add({ name: 'slow 2', signal: gone.signal });
		await delay(100);
		if (isLeaving) gone.abort();
		const quick = add({ name: 'quick' });
		await expect(stopped).rejects.toThrow(isLeaving ? 'aborted' : 'busy');
		await finish('quick');
		await finish('slow 1');
		expect(await Promise.all([first, quick])).toEqual(['slow 1', 'quick']);
		expect(started).toEqual(['slow 1', 'slow 2', 'quick']);
	},
);
