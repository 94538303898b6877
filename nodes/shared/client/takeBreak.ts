import { sleep } from 'n8n-workflow';

/** Milliseconds after which others get their turn. */
const MAX_BLOCK = 40;

let lastBreak = 0;
let currentBreak: Promise<void> | undefined;

/**
 * Interrupts long work, so that n8n can do something else meanwhile. To be called often; all that work at a time take the
 * same break.
 */
export async function takeBreak(): Promise<void> {
	if (currentBreak === undefined && Date.now() - lastBreak < MAX_BLOCK) return;
	currentBreak ??= rest();
	await currentBreak;
}

async function rest(): Promise<void> {
	await sleep(0);
	lastBreak = Date.now();
	currentBreak = undefined;
}
