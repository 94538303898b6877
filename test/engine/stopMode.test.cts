import { runNode } from '../support/engine.cts';
import { mockService } from '../support/nock.cts';
import { encode, envelope, path, uploadsTo, withoutSettings } from './support/encode.cts';
import { containerId, itemsWith } from './support/operations.cts';

const service = mockService();
const { uploads } = uploadsTo(service);
const many = itemsWith(...Array.from({ length: 30 }, (_item, index) => `Item ${index}`));

describe('an execution that stops at an error', () => {
	it.each([
		['an HTML page', 200, '<!doctype html><title>Sign in</title>'],
		['invalid JSON', 200, '{"id":'],
		['a failure with status 200', 200, { error: 'storage full' }],
		['a status', 422, { message: 'no' }],
	])('sends nothing after %s', async (_what, status, body) => {
		service.post(path).reply(status, body);

		const { error } = await encode({}, { maxConcurrent: 1 }, { items: many });

		expect(error).toBeDefined();
		expect(uploads()).toHaveLength(1);
	});

	it('waits for what is still in flight, and names it', async () => {
		service.post(path, /"name":"A"/).reply(422, { message: 'no' });
		service
			.post(path, /"name":"B"/)
			.delay(200)
			.reply(200, { container: { uuid: 'c-B', name: 'B' } });

		const { error } = await encode({}, { maxConcurrent: 2 }, { items: itemsWith('A', 'B') });

		expect(error?.message).toMatch(/\[item 0\]/);
		expect(error?.description).toContain(
			'Created before the execution stopped: container "B" (c-B).',
		);
	});

	it('names the item that failed, not one before it that waits to try again', async () => {
		service.get('/containers/A').reply(503);
		service.get('/containers/B').delay(50).reply(422, { message: 'no' });

		const { error } = await runNode({
			parameters: {
				resource: 'container',
				operation: 'get',
				containerId: containerId('={{ $json.id }}'),
				options: { maxRetries: 1, maxConcurrent: 2 },
			},
			items: itemsWith('A', 'B'),
		});

		// Longer than the pause before the retry, which nothing may follow.
		await new Promise((resolve) => setTimeout(resolve, 1500));

		expect(error?.message).toMatch(/did not accept .* \[item 1\]$/);
		expect(service.requests).toHaveLength(2);
	});

	it('names every container that was created, beyond twenty too, and every one that might have been', async () => {
		for (let index = 0; index < 25; index += 1) {
			service.post(path).reply(200, { container: { uuid: `c-${index}`, name: `Item ${index}` } });
		}
		service.post(path).reply(500);

		const { error } = await encode({}, { maxConcurrent: 1 }, { items: many });

		const description = String(error?.description);
		for (let index = 0; index < 25; index += 1) expect(description).toContain(`(c-${index})`);
		expect(description).toMatch(
			/Might have been created: container "Item 25"\. .* To keep the output of successful items, set "On Error" to Continue/,
		);
	});

	it.each([
		['created', 200, envelope, /Created before the execution stopped: container "Invoice" \(c-1\)/],
		[
			'might have created',
			500,
			{},
			/Might have been created: container "Slow A", container "Slow B"\./,
		],
	])('waits for what is in flight, and names what it %s', async (_what, status, body, expected) => {
		service.post(path, /Slow/).times(2).delay(300).reply(status, body);
		service.post(path, /Wrong/).reply(422, {});

		const { error } = await encode(
			{},
			{ maxConcurrent: 3 },
			{ items: itemsWith('Slow A', 'Slow B', 'Wrong') },
		);

		expect(error?.description).toMatch(expected);
	});
});

it('an error item has no status where the service did not respond', async () => {
	service.post(path).replyWithError('closed');

	const { items } = await encode({}, {}, { onError: 'continueRegularOutput' });

	expect(Object.keys(items[0].json)).toEqual(['name', 'error', 'errorDescription']);
});

describe('a Retry-After of hours', () => {
	it('holds back the other items too', async () => {
		service.post(path).reply(429, { message: 'quota' }, { 'retry-after': '7200' });

		const { items } = await encode(
			{},
			{ maxConcurrent: 1, maxRetries: 3 },
			{ items: itemsWith('One', 'Two', 'Three'), onError: 'continueRegularOutput' },
		);

		expect(uploads()).toHaveLength(1);
		expect(items.map(({ json }) => String(json.error))).toEqual(
			[0, 1, 2].map((index) =>
				expect.stringMatching(new RegExp(`too many requests.*\\[item ${index}\\]`)),
			),
		);
	});
});

describe('a response in another charset', () => {
	it('is decoded', async () => {
		service
			.post(path)
			.reply(200, Buffer.from('{"container":{"uuid":"c-1","name":"Gr\u00fc\u00dfe"}}', 'latin1'), {
				'content-type': 'application/json; charset=iso-8859-1',
			});

		const { items } = await encode();

		expect(withoutSettings(items)).toEqual([{ container: { uuid: 'c-1', name: 'Grüße' } }]);
	});
});
