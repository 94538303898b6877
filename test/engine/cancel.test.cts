import { mockService } from '../support/nock.cts';
import { withUnhandledRejections } from '../support/unhandled.cts';
import { encode, path, uploadsTo } from './support/encode.cts';
import { itemsWith } from './support/parameters.cts';

const service = mockService();
const { uploads } = uploadsTo(service);
const items = itemsWith('A', 'B', 'C');

const created =
	/Created before the execution stopped: container "A" \(c-A\)\. Might have been created: container "B"\./;

/** Cancels the execution, as a stop and a timeout do, while the second of three uploads is in flight. */
async function cancelAtSecond(onError?: 'continueRegularOutput') {
	const stop = new AbortController();
	service
		.scope()
		.post(path)
		.reply(200, { container: { uuid: 'c-A', name: 'A' } });
	service
		.scope()
		.post(path)
		.reply(() => {
			setTimeout(() => stop.abort(), 50);
			return new Promise(() => undefined);
		});
	return await withUnhandledRejections(
		async () => await encode({}, {}, { items, onError, signal: stop.signal }),
	);
}

describe('an execution that is canceled', () => {
	it.each([undefined, 'continueRegularOutput'] as const)(
		'names what was created and what might have been, in its error and once in the log (On Error: %s)',
		async (onError) => {
			const { result, unhandled } = await cancelAtSecond(onError);

			expect(unhandled).toEqual([]);
			expect(result.status).toBe('canceled');
			expect(uploads()).toHaveLength(2);
			const lines = result.log.filter((line) => created.test(line) && line.startsWith('warn'));
			expect(lines).toHaveLength(1);
			expect(lines[0]).toContain('The execution of "Tested" was canceled.');
			// Where the node continues, n8n passes an error on as an item.
			const recorded = result.error ?? result.items.find(({ error }) => error !== undefined)?.error;
			expect(recorded?.message).toMatch(/The execution was canceled/);
			expect(recorded?.description).toMatch(created);
		},
	);
});
