import { runNode } from '../support/engine.cts';
import { mockService } from '../support/nock.cts';
import { withUnhandledRejections } from '../support/unhandled.cts';
import { encode, path, uploadsTo } from './support/encode.cts';
import { containerId, itemsWith } from './support/operations.cts';

const service = mockService();
const { uploads } = uploadsTo(service);

const created =
	/Created before the execution stopped: container "A" \(c-A\)\. Might have been created: container "B"\./;

/** Cancels the execution, as a stop and a timeout do, while the second of the uploads is in flight. */
async function cancelAtSecond(ids: string, onError?: 'continueRegularOutput') {
	const stop = new AbortController();
	service.post(path).reply(200, { container: { uuid: 'c-A', name: 'A' } });
	service.post(path).reply(() => {
		setTimeout(() => stop.abort(), 50);
		return new Promise(() => undefined);
	});
	return await withUnhandledRejections(
		async () => await encode({}, {}, { items: itemsWith(...ids), onError, signal: stop.signal }),
	);
}

describe('an execution that is canceled', () => {
	it.each([
		['ABC', undefined],
		['ABC', 'continueRegularOutput'],
		['AB', undefined],
	] as const)(
		'names what was created and what might have been, in its error and once in the log (%s, On Error: %s)',
		async (ids, onError) => {
			const { result, unhandled } = await cancelAtSecond(ids, onError);

			expect(unhandled).toEqual([]);
			expect(result.status).toBe('canceled');
			expect(uploads()).toHaveLength(2);
			const lines = result.log.filter((line) => created.test(line) && line.startsWith('warn'));
			expect(lines).toHaveLength(1);
			expect(lines[0]).toContain('"Tested": The execution was canceled.');
			// Where the node continues, n8n takes an error for the input: the items tell what became of them.
			if (onError !== undefined) return expect(result.error).toBeUndefined();
			expect(result.error?.message).toMatch(/The execution was canceled/);
			expect(result.error?.description).toMatch(created);
			expect(result.error?.description).toMatch(/before you run the workflow again\.$/);
		},
	);

	it('writes nothing to the log where nothing was created', async () => {
		const stop = new AbortController();
		service.get('/containers/c-1').reply(() => {
			setTimeout(() => stop.abort(), 50);
			return new Promise(() => undefined);
		});

		const { status, log } = await runNode({
			parameters: { resource: 'container', operation: 'get', containerId: containerId('c-1') },
			signal: stop.signal,
		});

		expect(status).toBe('canceled');
		expect(log.filter((line) => line.startsWith('warn'))).toEqual([]);
	});
});
