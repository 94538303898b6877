import { setImmediate as nextTurn } from 'node:timers/promises';
import { getMedianSeconds, measureRounds, type Case, type Sample } from '../measurements.cts';
import { formatSeconds, getRatio, type ScenarioResult } from '../report.cts';
import type { ScenarioContext } from './scenario.cts';

const REQUESTS = 100_000;
const CONCURRENCY = 5;
const MAX_SECONDS = 1;
const MAX_RATIO = 6;

/** Measures the processor time of requests that wait in the node's queue, beside that of the same requests without one. */
export async function queue({ settings, progress }: ScenarioContext): Promise<ScenarioResult> {
	// tsx can load a module of nodes/ only with import().
	const { Limiter } = await import('../../nodes/shared/client/limiter.ts');
	const turns = Array.from({ length: REQUESTS }, (_value, turn) => turn);
	const run = (createSend: () => (turn: number) => Promise<unknown>) => async () => {
		const send = createSend();
		return await measureProcessor(async () => await Promise.all(turns.map(send)));
	};
	const cases = await measureRounds(
		settings.rounds,
		{
			none: run(() => async () => await nextTurn()),
			inOrder: run(() => {
				const limiter = new Limiter(CONCURRENCY);
				return async (turn) => await limiter.run(turn, nextTurn);
			}),
			reversed: run(() => {
				const limiter = new Limiter(CONCURRENCY);
				return async (turn) => await limiter.run(REQUESTS - turn, nextTurn);
			}),
		},
		(name, round) => progress.log(`Queue, round ${round}: ${name}`),
	);
	const { none, inOrder, reversed } = cases;
	const count = REQUESTS.toLocaleString('en');
	const toRow = (title: string, measured: Case) => [
		title,
		formatSeconds(getMedianSeconds(measured)),
		measured.samples.map(({ seconds }) => seconds.toFixed(2)).join(', '),
		toRatio(measured, none)?.toFixed(1) ?? '',
	];
	return {
		title: `${count} requests that wait at the same time`,
		note: `The processor time of the queue alone, in Node.js ${process.version}: the requests are empty. With the queue, ${CONCURRENCY} of them run at a time; without it, all of them run at once.`,
		header: ['', 'Processor time (median)', 'All rounds', 'Relative to no queue'],
		rows: [
			toRow('No queue (Promise.all)', none),
			toRow("This node's queue, in order", inOrder),
			toRow("This node's queue, the last one first", reversed),
		],
		expectations: [inOrder, reversed].flatMap((measured, index) => {
			const what = `Processor time of ${count} waiting requests${index === 0 ? '' : ', the last one first'}`;
			return [
				{ title: `${what}, in seconds`, value: getMedianSeconds(measured), max: MAX_SECONDS },
				{ title: `${what}, relative to no queue`, value: toRatio(measured, none), max: MAX_RATIO },
			];
		}),
	};
}

function toRatio(measured: Case, base: Case): number | undefined {
	return getRatio(getMedianSeconds(measured), getMedianSeconds(base));
}

async function measureProcessor(task: () => Promise<unknown>): Promise<Sample> {
	const start = process.cpuUsage();
	await task();
	const { user, system } = process.cpuUsage(start);
	return { seconds: (user + system) / 1e6 };
}
