import type { IDataObject } from 'n8n-workflow';
import { runListSearch } from '../support/engine.cts';
import { mockService } from '../support/nock.cts';
import { encode, path as encodePath, uploadsTo } from './support/encode.cts';
import {
	containerId,
	containersPath,
	itemsWith,
	operation,
	outputOf,
	run,
	userId,
} from './support/operations.cts';
import { pollingsOf } from './support/polling.cts';
import { path as rulesPath, rules, update } from './support/rules.cts';

const service = mockService();
const { uploads } = uploadsTo(service);

const path = '/containers/c-1';
const get = operation('container: get', { containerId: containerId('c-1') });
const remove = operation('container: delete', { containerId: containerId('c-1') });
const NOT_FOUND = { message: 'No such thing' };

describe('a user who was not found', () => {
	it.each(['container', 'contact'])(
		'is named where a list of theirs is fetched: %s',
		async (resource) => {
			service.get(`/users/u-42/${resource}s`).reply(404, NOT_FOUND);

			const { error } = await run(`${resource}: getAll`, {}, { userId: 'u-42' });

			expect(error?.message).toBe('User "u-42" was not found [item 0]');
			expect(error?.description).toBe(
				'Check Options > User ID. Message from the service: No such thing.',
			);
		},
	);

	it('is named by the trigger', async () => {
		service.get('/users/u-42/containers').reply(404, NOT_FOUND);
		const options = { userId: 'u-42', maxRetries: 0 };

		const { error } = await pollingsOf(service)('containerCreated', { options }).poll({});

		expect(error?.message).toBe('User "u-42" was not found');
	});
});

it('a Base URL without the version is named where nobody chose a user', async () => {
	service.get('/me').reply(404, NOT_FOUND);

	const { error } = await run('container: getAll', {}, { userId: '' });

	expect(error?.message).toMatch(/^Nothing found here/);
	expect(error?.description).toMatch(/^The Base URL must end with the version/);
	expect(error?.description).not.toContain('User ID');
});

it.each([
	['get', 404],
	['delete', 404],
	['get', 400],
	['get', 422],
] as const)('the name of a container in place of its ID is recognized: %s, %i', async (...test) => {
	const [method, status] = test;
	service[method]('/containers/Invoice%202026-0042').reply(status, NOT_FOUND);

	const { error } = await run(`container: ${method}`, {
		containerId: containerId('Invoice 2026-0042'),
	});

	expect(error?.description).toMatch(
		/^"Invoice 2026-0042" looks like a name\. Choose it From List, or enter the ID\./,
	);
});

/** The unit tests of the outcome of a response know more of these. */
describe('a failure with a status of success', () => {
	it.each<[number, IDataObject, RegExp]>([
		[200, { error: 'storage full' }, /the failure "storage full"/],
		[200, { container: { uuid: 'c-1' }, error: 'encryption failed' }, /"encryption failed"/],
		[202, { id: 'job-1', status: 'queued' }, /says that it is not done yet/],
	])('is not an encoded container: %i %j', async (status, body, message) => {
		service.post(encodePath).reply(status, body);

		const { error, items } = await encode({}, { maxRetries: 3 });

		expect(items).toEqual([]);
		expect(error?.message).toMatch(message);
		expect(error?.description).toMatch(/might have been created/);
		expect(uploads()).toHaveLength(1);
	});

	it.each<[IDataObject, RegExp]>([
		[{ error: 'storage full' }, /the failure "storage full"/],
		[{ id: 'c-1', deleted: false }, /reports a failure/],
	])('is not a deletion: %j', async (body, message) => {
		service.delete(path).reply(200, body);

		const { error, items } = await remove();

		expect(items).toEqual([]);
		expect(error?.message).toMatch(message);
	});

	it.each<IDataObject>([
		{ uuid: 'c-1', error: 'none of your business', success: false },
		{ container: { uuid: 'c-1', status: false }, status: false },
	])('is not reported by a record that has such a field itself: %j', async (record) => {
		service.get(path).reply(200, record);

		expect(await outputOf(get())).toEqual([record]);
	});
});

/** One line without anything that n8n could show as HTML or that can't be seen. */
const isPlain = expect.not.stringMatching(/[<\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
const hostile = `<a href="https://evil.example">Sign in</a>\r\n\u001b[2J\u202etxt.exe\u200b\u2028${'long '.repeat(2000)}`;

describe('text of the service in an error', () => {
	it.each([
		['a message', 422, { message: hostile }],
		['errors by field', 400, { errors: { [hostile]: [hostile], b: [hostile] } }],
		['a failure', 200, { success: false, message: hostile }],
		['an HTML page', 200, `<html><title>\u202e${'x'.repeat(300)}</title>${hostile}</html>`],
		['another list of fields', 200, [hostile]],
	])('is one plain line of at most 500 characters: %s', async (_what, status, body) => {
		service.get(path).reply(status, body);

		const { error } = await get();

		for (const text of [error?.message, error?.description]) {
			expect(text).toEqual(isPlain);
			expect(text?.length).toBeLessThan(1300);
		}
		expect(JSON.stringify(error).split('long '.repeat(90)).length - 1).toBeLessThanOrEqual(4);
		expect(JSON.stringify(error)).not.toContain('long '.repeat(101));
	});

	it('is plain in the ID of a container that exists', async () => {
		const id = `<a href="evil.example">${'long'.repeat(50)}`;
		service.get(containersPath).reply(200, [{ uuid: id, name: 'Invoice' }]);
		service.get(`/containers/${encodeURIComponent(id)}`).reply(200, { uuid: id });

		const { error } = await encode({}, { ifExists: 'fail' });

		expect(error?.description).toContain('‹a href');
		expect(error?.description).toEqual(isPlain);
		expect(error?.description?.length).toBeLessThan(800);
	});

	it('is plain where the rules can’t be understood', async () => {
		service.get(rulesPath).reply(200, { drm: { recipients: [{ name: hostile }] } });

		const { error } = await update(rules({ addRecipients: 'a@x.example' }));

		expect(error?.message).toContain('‹a href');
		expect(error?.message).toEqual(isPlain);
		expect(error?.message.length).toBeLessThan(700);
	});

	it('is plain in a picker', async () => {
		service.get(containersPath).reply(200, [{ uuid: 'c-1', name: hostile }]);

		const { results } = await runListSearch({
			method: 'searchContainers',
			parameters: { options: { userId } },
		});

		expect(results).toEqual([{ name: isPlain, value: 'c-1' }]);
		expect(results[0].name.length).toBe(501);
	});
});

it('names from the input in an error are plain text, too', async () => {
	const binary = { ['<img src=x>\u202e']: { mimeType: '', data: '' } };
	const { error } = await encode(
		{ fileSource: 'named', binaryPropertyName: 'data', name: 'Invoice' },
		{},
		{ items: [{ json: {}, binary }] },
	);

	expect(error?.description).toContain('‹img src=x>');
	expect(error?.description).toEqual(isPlain);
});

/** The unit tests of the client know more of retries: here, several items meet. */
describe('retries', () => {
	const getAll = async (ids: string[], options: IDataObject) =>
		await get({ containerId: containerId('={{ $json.id }}') }, options, {
			items: itemsWith(...ids),
			onError: 'continueRegularOutput',
		});
	const respond = (id: string, status: number, headers: Record<string, string> = {}) =>
		service
			.get(`/containers/${id}`)
			.reply(status, status === 200 ? { uuid: id } : { message: 'No' }, headers);
	const sentIds = () => service.requests.map((request) => request.path.split('/').at(-1));
	/** How many seconds the service asks to wait. */
	const limit = { 'retry-after': '0.2' };

	it('after a rate limit pause the other items, too, and keep their order', async () => {
		const start = Date.now();
		respond('a', 429, limit);
		const times: number[] = [];
		for (const id of ['a', 'b']) {
			service.get(`/containers/${id}`).reply(() => {
				times.push(Date.now() - start);
				return [200, { uuid: id }];
			});
		}

		await getAll(['a', 'b'], { maxRetries: 2 });

		expect(sentIds()).toEqual(['a', 'a', 'b']);
		for (const time of times) expect(time).toBeGreaterThanOrEqual(190);
	});

	it.each([
		['429 is answered at once, to all others too', 429, ['a']],
		['503 fails alone', 503, ['a', 'b']],
	])('do not follow after a Retry-After of more than an hour: %s', async (_what, status, sent) => {
		respond('a', status, { 'retry-after': '3601' });
		if (sent.includes('b')) respond('b', 200);

		const { items } = await getAll(['a', 'b'], { maxRetries: 5 });

		expect(sentIds()).toEqual(sent);
		expect(items.map(({ json }) => json.httpCode)).toEqual([
			String(status),
			status === 429 ? '429' : undefined,
		]);
		if (status === 429) expect(items[1].json.error).toMatch(/too many requests.*\[item 1\]/);
	});
});
