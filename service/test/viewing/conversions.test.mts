import { setTimeout as delay } from 'node:timers/promises';
import { Conversions } from '../../src/viewing/office/conversions.mts';
import { withOffice } from '../../src/viewing/office/officeViewing.mts';
import type { Converter } from '../../src/viewing/office/converter.mts';
import { ViewingError } from '../../src/viewing/viewingError.mts';
import { times } from '../support/service.mts';
import { openViewing, toView } from '../support/viewing.mts';

const MEGABYTES = 1024 * 1024;
const zip = Buffer.from('PK\x03\x04 a document');
const toDocument = (key: string, client = key) => toView(zip, { key, client, name: `${key}.docx` });

const all: Conversions[] = [];
afterAll(() => {
	for (const conversions of all) conversions.close();
});

/** @param convert how its converter works, from the number of the document, counted from 1 */
function createConversions(
	convert: (number: number, signal: AbortSignal) => Promise<Uint8Array>,
	options: { convertMs?: number } = {},
) {
	let count = 0;
	const converter: Converter = {
		convert: async (_, signal) => await convert((count += 1), signal),
		findProblem: () => Promise.resolve(undefined),
		isOwn: true,
	};
	const conversions = new Conversions(converter, options);
	all.push(conversions);
	return { open: async (view = toDocument('a')) => await conversions.open(view, 'docx') };
}

test('two documents at most are converted at once', async () => {
	let running = 0;
	let most = 0;
	const { open } = createConversions(async () => {
		running += 1;
		most = Math.max(most, running);
		await delay(20);
		running -= 1;
		return zip;
	});
	await Promise.all(times(7, async (n) => await open(toDocument(`file ${n}`))));
	expect(most).toBe(2);
});

test('one that hangs is stopped after its time, and the next one has its place', async () => {
	const { open } = createConversions(
		async (number, signal) =>
			await new Promise((resolve, reject) => {
				if (number === 2) resolve(zip);
				signal.addEventListener('abort', () => reject(signal.reason as Error));
			}),
		{ convertMs: 50 },
	);
	const hanging = open(toDocument('a', 'anna'));
	const next = open(toDocument('b', 'anna'));
	await expect(hanging).rejects.toMatchObject({ problem: 'timedOut' });
	expect((await next).size).toBe(zip.length);
});

test('those that run or wait are counted', async () => {
	const converter: Converter = {
		convert: async (_, signal) => await delay(60_000, zip, { signal }),
		findProblem: () => Promise.resolve(undefined),
		isOwn: true,
	};
	const viewing = withOffice(openViewing(), converter);
	const asked = times(3, async (n) => {
		const view = toDocument(`file ${n}`);
		await expect(viewing.describe(view, { from: 1, to: 1 })).rejects.toThrow(ViewingError);
	});
	await delay(0);
	expect(viewing.countTasks()).toEqual({ running: 2, waiting: 1 });
	await viewing.close();
	await Promise.all(asked);
	expect(viewing.countTasks()).toEqual({ running: 0, waiting: 0 });
});

test('PDFs of 256 MB are kept: then those that were viewed last', async () => {
	let count = 0;
	const { open } = createConversions(async (number) => {
		count = number;
		return await Promise.resolve(Buffer.alloc(60 * MEGABYTES));
	});
	for (const key of ['a', 'b', 'c', 'd', 'a', 'e', 'a']) await open(toDocument(key));
	expect(count).toBe(5);
	await open(toDocument('b'));
	expect(count).toBe(6);
});

test('what a document is refused for is forgotten after half an hour, also when it is asked for', async () => {
	jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] });
	let count = 0;
	const { open } = createConversions(async (number) => {
		count = number;
		throw await Promise.resolve(new ViewingError('unread'));
	});
	for (const minutes of [0, 20, 20]) {
		jest.advanceTimersByTime(minutes * 60 * 1000);
		await expect(open()).rejects.toMatchObject({ problem: 'unread' });
	}
	jest.useRealTimers();
	expect(count).toBe(2);
});
