import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { INodeParameters } from 'n8n-workflow';
import type { Fixture } from '../../../tools/probe/fixtures.cts';
import { loadOperations } from '../../../tools/probe/node.cts';
import { REQUIRED_STEPS } from '../../../tools/probe/walk.cts';
import { mockService } from '../../support/nock.cts';
import { repositoryRoot } from '../../support/package.cts';
import { SHAPES } from './support/shapes.cts';

/** Each file holds what one service answered to the probe: see `npm run probe -- --help`. */
const folder = join(__dirname, 'answers');
const fixtures = readdirSync(folder).map((file) => ({
	name: file.replace('.json', ''),
	...(JSON.parse(readFileSync(join(folder, file), 'utf8')) as Fixture),
}));

const service = mockService(fixtures[0].baseUrl);

it('there are answers of a service of each shape', () => {
	expect(fixtures.map(({ name }) => name)).toEqual(expect.arrayContaining(Object.keys(SHAPES)));
});

describe.each(fixtures)('the answers of the service "$name"', ({ baseUrl, steps }) => {
	const repeated = steps.filter(({ parameters }) => parameters !== undefined);

	it('are those to all operations', () => {
		expect(repeated.map(({ id }) => id)).toEqual(expect.arrayContaining(REQUIRED_STEPS));
	});

	it.each(repeated)('mean the same to the node as when they were saved: $id', async (step) => {
		const { parameters, exchanges, items, error } = step;
		// The node sends current dates back in the form of the service.
		service.contract.depart({ drmTimes: 'timestamp' });
		for (const { method, path, status, headers, body } of exchanges) {
			const text = typeof body === 'string' ? body : JSON.stringify(body);
			service.scope().intercept(path, method).reply(status, text, headers);
		}
		const run = await loadOperations(repositoryRoot);

		const outcome = await run(parameters as INodeParameters, { baseUrl, apiKey: 'saved' });

		expect(outcome.error?.message).toEqual(error === undefined ? undefined : expect.anything());
		expect(outcome.error?.httpCode ?? undefined).toBe(error);
		if (error === undefined) expect(outcome.items).toEqual(items);
	});
});
