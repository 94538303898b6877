import { findDoubles, startCountingService, type CountingService } from './support/doubles.cts';

let service: CountingService;

beforeAll(async () => {
	service = await startCountingService();
});

afterAll(async () => await service.stop());

/** DOUBLES_CASES=1000 tries many more; DOUBLES_SEED repeats the cases of another run. */
const CASES = Number(process.env.DOUBLES_CASES ?? 20);
const SEED = Number(process.env.DOUBLES_SEED ?? 1);

it('no container is created twice, and nothing is sent after the end', async () => {
	for (let seed = SEED; seed < SEED + CASES; seed += 1) {
		expect({ seed, wrong: await findDoubles(service, seed) }).toEqual({ seed, wrong: [] });
	}
});
