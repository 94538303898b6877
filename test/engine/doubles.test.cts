import {
	findDoubles,
	startCountingService,
	type CountingService,
} from '../faults/support/doubles.cts';

let service: CountingService;

beforeAll(async () => {
	service = await startCountingService();
});

afterAll(async () => await service.stop());

// test/faults/doubles.test.cts tries many more.
it('no container is created twice, and nothing is sent after the end', async () => {
	for (let seed = 1; seed <= 20; seed += 1) {
		expect({ seed, wrong: await findDoubles(service, seed) }).toEqual({ seed, wrong: [] });
	}
});
