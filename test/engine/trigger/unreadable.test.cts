import { NodeApiError } from 'n8n-workflow';
import { mockService } from '../../support/nock.cts';
import { containers, createIds, dayFromNow, pollingsOf, type Poll } from '../support/polling.cts';

const service = mockService();
const start = pollingsOf(service);

const idsOf = ({ emitted }: Poll) => emitted.map(({ containerId }) => containerId);
const warningsOf = ({ log }: Poll) => log.filter((line) => line.startsWith('warn'));
const rules = (opens: number) => ({ opens });
const refused = { status: 403, body: { message: 'Not yours' } };

describe('a container whose rules cannot be read', () => {
	it.each<[string, unknown]>([
		['403', refused],
		['500', { status: 500 }],
		['a page', { status: 200, body: '<html>Portal</html>' }],
		['other fields', { drm: { Opens: 2 } }],
		['a value that is none', { opens: 'many' }],
		['too many recipients', { recipients: createIds(10_001, '@') }],
	])('costs only itself, also at the first poll: %s', async (_what, odd) => {
		const polling = start('drmChanged');
		const list = { containers: containers('a', 'b', 'odd') };

		const polls = [
			await polling.poll({ ...list, rules: { a: rules(1), b: rules(1), odd } }),
			await polling.poll({ ...list, rules: { a: rules(2), b: rules(1), odd } }),
			await polling.poll({ ...list, rules: { a: rules(2), b: rules(1), odd: rules(1) } }),
			await polling.poll({ ...list, rules: { a: rules(2), b: rules(1), odd } }),
			await polling.poll({ ...list, rules: { a: rules(2), b: rules(1), odd: rules(2) } }),
		];

		expect(polls.map(({ error }) => error)).toEqual(Array(5).fill(undefined));
		// What was known of it before it was odd still counts.
		expect(polls.map(idsOf)).toEqual([[], ['a'], [], [], ['odd']]);
		expect(polls.map((poll) => warningsOf(poll).length)).toEqual([1, 1, 0, 1, 0]);
		expect(warningsOf(polls[0])[0]).toMatch(
			/rules of 1 of 3 containers could not be read \(.*\)\. .* "Name of odd" \(odd\) \{/,
		);
	});

	it('has no ID that can be in a URL, or an end that is not a date', async () => {
		const end = (value: string) => ({ time: { end: value } });
		const list = { containers: containers('a/b', 'c', 'odd') };
		const polling = start('accessEnding', {}, { timezone: 'UTC' });
		const far = end(dayFromNow(90, 'UTC'));
		const first = await polling.poll({ ...list, rules: { c: far, odd: end('12/31/2099') } });

		const second = await polling.poll({
			...list,
			rules: { c: end(dayFromNow(1, 'UTC')), odd: end('12/31/2099') },
		});

		expect([first.error, second.error]).toEqual([undefined, undefined]);
		expect(idsOf(second)).toEqual(['c']);
		expect(warningsOf(second)[0]).toMatch(
			/2 of 3 .*The end of access is not a date.*without "Name of odd" \(odd\), "Name of a\/b" \(a\/b\) /,
		);
	});

	it('that existed at the first poll is no event once it can be read', async () => {
		const near = { time: { end: dayFromNow(1, 'UTC') } };
		const polling = start('accessEnding', {}, { timezone: 'UTC' });
		const first = { containers: containers('a', 'odd') };
		await polling.poll({ ...first, rules: { a: {}, odd: refused } });
		const later = { containers: containers('a', 'odd', 'new') };
		const still = await polling.poll({ ...later, rules: { a: {}, odd: refused, new: refused } });

		const { emitted } = await polling.poll({ ...later, rules: { a: {}, odd: near, new: near } });

		expect(still.items).toBeNull();
		expect(emitted).toEqual([expect.objectContaining({ containerId: 'new' })]);
	});

	it('is asked once only after three others failed', async () => {
		const options = { maxConcurrent: 1, maxRetries: 1 };
		service
			.get((path) => path.endsWith('/drm'))
			.times(1 + 3 * 2 + 2)
			.reply((path) =>
				path.includes('/good/') ? [200, {}] : [503, undefined, { 'retry-after': '0' }],
			);

		const list = containers('good', ...createIds(5));
		const poll = await start('drmChanged', { options }).poll({ containers: list });

		expect(poll.error).toBeUndefined();
		expect(warningsOf(poll)[0]).toContain('5 of 6');
	});

	it('is in one line of the log, whatever its name is', async () => {
		const name = `Offer\n\u001b[31mERROR\u202e ${'x'.repeat(2000)}`;
		const list = { containers: [{ uuid: 'odd', name }, ...containers('a')] };

		const poll = await start('drmChanged').poll({ ...list, rules: { a: {}, odd: refused } });

		const [warning] = warningsOf(poll);
		expect(warning).toMatch(/"Offer \[31mERROR x+/);
		expect(warning).not.toMatch(/[\p{Cc}\p{Cf}]/u);
		expect(warning.length).toBeLessThan(600);
	});
});

describe('rules that cannot be read of any container', () => {
	const list = { containers: containers('a', 'b') };

	it.each([
		[403, 'no permission to get the rules of the container'],
		[500, 'could not get the rules of the container'],
		[401, 'did not accept the API key'],
		[404, 'not found'],
	])('fail the poll, which saves nothing: %i', async (status, text) => {
		const odd = { status };
		const polling = start('drmChanged', { options: { maxConcurrent: 1, maxRetries: 0 } });
		await polling.poll({ ...list, rules: { a: rules(1), b: rules(1) } });
		const before = structuredClone(polling.staticData);
		// The key is refused for all: after the first, no other is asked for.
		const asked = status === 401 ? { b: odd } : { a: odd, b: odd };

		const { error, staticData } = await polling.poll({ ...list, rules: asked });

		expect(error).toBeInstanceOf(NodeApiError);
		expect(error).toMatchObject({ httpCode: String(status) });
		expect(error?.message).toContain(text);
		expect(staticData).toEqual(before);
	});

	it('fail the poll also where there are many, without a word about each', async () => {
		const ids = createIds(40);
		const all = Object.fromEntries(ids.map((id) => [id, refused]));

		const poll = await start('accessEnding').poll({ containers: containers(...ids), rules: all });

		expect(poll.error).toMatchObject({ httpCode: '403' });
		expect(warningsOf(poll)).toEqual([]);
	});
});
