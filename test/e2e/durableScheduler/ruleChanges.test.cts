import { getN8nVersion } from '../../../tools/realN8n/versions.cts';
import { useDurableScheduler } from '../support/durableScheduler.cts';
import { until } from '../support/polls.cts';

const IS_N8N_1 = getN8nVersion().name === '1';
const RULES = /\/drm$/;
const LIST = /\/users\/[^/]+\/containers(\?|$)/;

describe("the trigger with n8n's durable scheduler", () => {
	const n8n = useDurableScheduler();

	it('finds all changes of rules, also where one poll has no time to read them all', async () => {
		const { sandbox, itemsOf, countOf } = n8n;
		const ids = Array.from(
			{ length: 20 },
			(_, number) => sandbox.addContainer({ name: `Slow ${number}`, rules: { opens: 1 } }).uuid,
		);
		const id = await n8n.start('drmChanged', 10);
		expect(countOf(RULES)).toBeGreaterThanOrEqual(ids.length);
		sandbox.faults.add({
			kind: 'stallHeaders',
			ms: 1500,
			path: RULES,
			times: Number.POSITIVE_INFINITY,
		});
		// n8n drops what the poll at activation saved, so the first round of scheduled polls counts. What one poll reads is
		// saved when the next one has begun.
		const listCount = () => countOf(LIST);
		const readIds = (from: number) =>
			new Set(
				sandbox.requests
					.slice(from)
					.filter(({ path }) => RULES.test(path))
					.map(({ path }) => path.split('/').at(-2)),
			);
		const start = sandbox.requests.length;
		await until('one round', () => readIds(start).size === ids.length);
		const lists = listCount();
		await until('two more polls', () => listCount() >= lists + 2);
		const changed = [...ids].sort().filter((_id, place) => [0, 9, 19].includes(place));
		for (const uuid of changed) {
			const container = sandbox.state.containers.get(uuid);
			if (container) container.rules = { ...container.rules, opens: 2 };
		}

		await until('all changes', async () => (await itemsOf(id)).length >= changed.length);
		const before = countOf(RULES);
		await until('one more round', () => countOf(RULES) > before + ids.length);

		const items = await itemsOf(id);
		expect(items.map(({ containerId }) => containerId).sort()).toEqual(changed);
		// n8n 1 has no such scheduler: it starts polls while a longer one runs, and those fail.
		const failures = (await n8n.errorsOf(id)).filter(
			(message) => !IS_N8N_1 || message !== 'The previous poll is still running',
		);
		expect(failures).toEqual([]);
		expect(await n8n.log()).not.toContain('was abandoned');
	}, 600_000);
});
