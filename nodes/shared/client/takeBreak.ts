import { sleep } from 'n8n-workflow';

/** Milliseconds after which others get their turn. */
const MAX_BLOCK = 40;

let lastBreak = 0;
let currentBreak: Promise<void> | undefined;

/**
 * Interrupts long work, so that n8n can do something else meanwhile. To be called often; all that work at a time take the
 * same break.
 *
 * @param maxBlock milliseconds since the last break in which there is no need for one
 */
export async function takeBreak(maxBlock = MAX_BLOCK): Promise<void> {
	if (currentBreak === undefined && Date.now() - lastBreak < maxBlock) return;
	currentBreak ??= rest();
	await currentBreak;
}

async function rest(): Promise<void> {
	await sleep(0);
	lastBreak = Date.now();
	currentBreak = undefined;
}
