import { createHash, randomInt, randomUUID } from 'node:crypto';

export const MAX_KILLS = 100;
export const MAX_MS = Number(process.env.CRASH_SECONDS || 1800) * 1000;
const MAX_BYTES = 20_000_000;

const seed = process.env.CRASH_SEED || String(randomInt(2 ** 31));
let counter = 0;

export const printSeed = () =>
	process.stderr.write(`The seed of the random numbers (CRASH_SEED) is ${seed}.\n`);

/** From 0 to before 1, the same for each seed. How fast the service answers is not. */
export const random = () =>
	createHash('sha256').update(`${seed} ${counter++}`).digest().readUInt32BE() / 2 ** 32;

export const pick = <T,>(list: T[]): T | undefined => list[Math.floor(random() * list.length)];

/** Small ones are as likely as large ones. */
export const createContent = () => Buffer.alloc(Math.ceil(MAX_BYTES ** random()), randomUUID());

/** Repeats an action until the service is killed. Only that can lose an answer. */
export async function repeatUntil(isKilled: () => boolean, action: () => Promise<unknown>) {
	while (!isKilled()) {
		await action().catch((error: NodeJS.ErrnoException) => {
			if (!isKilled() || typeof error.code !== 'string') throw error;
		});
	}
}
