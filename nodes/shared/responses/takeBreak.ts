import { sleep } from 'n8n-workflow';

/** Milliseconds of work after which others get their turn. */
const MAX_BLOCK = 20;

let lastBreak = 0;
let currentBreak: Promise<void> | undefined;

/** Interrupts long work, so that n8n can do something else meanwhile. To be called often: all that work take one together. */
export async function takeBreak(): Promise<void> {
	if (currentBreak === undefined && Date.now() - lastBreak < MAX_BLOCK) return;
	currentBreak ??= sleep(0).then(() => {
		lastBreak = Date.now();
		currentBreak = undefined;
	});
	await currentBreak;
}
