import { waitFor } from '../../../tools/processes.cts';

/** Poll times for a trigger. n8n polls at most once a minute for each, so there are as many as needed. */
export const pollEvery = (seconds: number, offset = 0) => ({
	item: Array.from({ length: 60 / seconds }, (_, number) => ({
		mode: 'custom',
		cronExpression: `${number * seconds + (offset % seconds)} * * * * *`,
	})),
});

/** Waits for what polls lead to. */
export const until = async (what: string, isTrue: () => boolean | Promise<boolean>) =>
	await waitFor(isTrue, 240_000, `It did not come to this in time: ${what}`);
