import type { FaultKind } from '../../../sandbox/index.cts';
import { useDurableScheduler } from '../support/durableScheduler.cts';
import { until } from '../support/polls.cts';

const LIST = /\/containers$/;

describe("the trigger with n8n's durable scheduler", () => {
	const n8n = useDurableScheduler();

	it('reports nothing as deleted that the service only did not show', async () => {
		const { sandbox, errorsOf, itemsOf, countOf } = n8n;
		const ids = ['One', 'Two', 'Three'].map((name) => sandbox.addContainer({ name }).uuid);
		const id = await n8n.start('containerDeleted', 5);
		const answers: FaultKind[] = [
			{ kind: 'status', status: 204, body: '' },
			{ kind: 'webPage' },
			{ kind: 'body', body: '{"error":"try again"}' },
		];
		for (const [number, answer] of answers.entries()) {
			sandbox.faults.add({ ...answer, path: LIST });
			await until(`${number + 1} failed polls`, async () => (await errorsOf(id)).length > number);
		}
		sandbox.faults.add({ kind: 'body', body: '[]', path: LIST });
		const before = countOf(LIST);
		await until('two more polls', () => countOf(LIST) >= before + 2);

		expect(await errorsOf(id)).toHaveLength(answers.length);
		expect(await itemsOf(id)).toEqual([]);

		sandbox.state.containers.delete(ids[1]);
		await until('the deletion', async () => (await itemsOf(id)).length > 0);
		expect(await itemsOf(id)).toEqual([{ containerId: ids[1], name: 'Two' }]);
	});
});
