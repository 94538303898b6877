import { writeSync } from 'node:fs';
import { findDoubles, startCountingService, type CountingService } from './support/doubles.cts';

/** DOUBLES_SECONDS=600 searches for ten minutes; DOUBLES_SEED repeats the cases of another run. */
const SECONDS = Number(process.env.DOUBLES_SECONDS ?? 20);
const SEED = Number(process.env.DOUBLES_SEED ?? Date.now() % 1e9);

let service: CountingService;

beforeAll(async () => {
	service = await startCountingService();
}, 60_000);

afterAll(async () => await service.stop());

it(
	`whatever the settings and timings, no container is created twice, with the seed ${SEED}`,
	async () => {
		const end = Date.now() + SECONDS * 1000;
		let seed = SEED;
		for (; Date.now() < end; seed += 1) {
			expect({ seed, wrong: await findDoubles(service, seed) }).toEqual({ seed, wrong: [] });
		}
		writeSync(1, `  ${seed - SEED} cases without a double, from seed ${SEED} on\n`);
	},
	(SECONDS + 60) * 1000,
);
