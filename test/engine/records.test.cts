import { mockService, type MockedService } from '../support/nock.cts';
import {
	contactEmail,
	contactPath,
	containerId,
	itemsWith,
	operation,
	outputOf,
	userId,
	type Run,
} from './support/operations.cts';
import { revoke, update, withoutCurrentRules } from './support/rules.cts';
import { invalidRecords, unusableResponses } from './support/shapes.cts';

const service = mockService();
const byContainer = { containerId: containerId('={{ $json.id }}') };
const byContact = { contactEmail: contactEmail('={{ $json.id }}') };
const anna = 'anna@example.com';

const get = operation('container: get', byContainer, itemsWith('c-1'));
const getRules = operation('drm: get', byContainer, itemsWith('c-1'));
const getContact = operation('contact: get', byContact, itemsWith(anna));
const container = { uuid: 'c-1', name: 'Invoice', files: [{ name: 'a.pdf', size: 3 }] };
const rules = { dynamic: true, opens: 3, recipients: ['a@example.com'] };

describe('getting a record', () => {
	it.each<[string, Run, string, Array<Record<string, unknown>>]>([
		[
			'a container',
			get,
			'/containers/c-1',
			[
				container,
				{ org_id: userId, container },
				{ data: container },
				{ uuid: {}, name: null, nested: [[{}]] },
			],
		],
		[
			'a contact',
			getContact,
			contactPath(anna),
			[{ email: anna, first_name: 'Anna' }, { contact: { email: anna } }, { company: 'X' }],
		],
	])('returns it unchanged in each form: %s', async (_what, run, path, forms) => {
		for (const form of forms) {
			service.get(path).reply(200, form);
			expect(await outputOf(run())).toEqual([form]);
		}
	});

	it('returns rules unchanged beside the container ID, in each form', async () => {
		for (const form of [rules, { drm: rules }, { rules }, { data: { drm: rules } }, {}]) {
			service.get('/containers/c-1/drm').reply(200, form);
			expect(await outputOf(getRules())).toEqual([{ containerId: 'c-1', ...form }]);
		}
	});

	it.each(invalidRecords)('fails when the service responds with $shape', async (shape) => {
		service.get('/containers/c-1').reply(...shape.reply);

		const { error, items } = await get();

		expect(error?.message).toMatch(shape.message);
		expect(items).toEqual([]);
	});

	it.each<[Run, string, object, string]>([
		[get, '/containers/c-1', {}, 'an empty JSON object instead of a record'],
		[get, '/containers/c-1', { uuid: 'c-2' }, 'the container "c-2" instead of the container "c-1"'],
		[
			getContact,
			contactPath(anna),
			{ email: 'b@x.org' },
			'the contact "b@x.org" instead of the co',
		],
	])('fails for another record, or one without fields: %#', async (run, path, form, message) => {
		service.get(path).reply(200, form);

		expect((await run()).error?.message).toContain(message);
	});

	it('redacts the API key and passwords in the response', async () => {
		service.get('/containers/c-1').reply(function () {
			const echoed = String(this.req.headers.authorization);
			return [200, { uuid: 'c-1', echoed, container: { password: 'hunter2' } }];
		});

		expect(await outputOf(get())).toEqual([
			{ uuid: 'c-1', echoed: 'Bearer [hidden]', container: { password: '[hidden]' } },
		]);
	});
});

describe('an identifier', () => {
	it.each([
		['a?b=c#d', 'a%3Fb%3Dc%23d'],
		['%2e%2e', '%252e%252e'],
		['größe 1', 'gr%C3%B6%C3%9Fe%201'],
	])('of a container is sent as one segment: %j', async (id, segment) => {
		const items = itemsWith(id);
		const ended = { time: { end: '2020-01-01' } };
		service.get(`/containers/${segment}`).reply(200, { uuid: id });
		service.get(`/containers/${segment}/drm`).times(2).reply(200, ended);
		service.patch(`/containers/${segment}/drm`).reply(204);

		await outputOf(get({}, {}, { items }));
		await outputOf(getRules({}, {}, { items }));
		await outputOf(revoke({}, {}, { items }));
		await outputOf(update({}, withoutCurrentRules, { items }));
	});

	it.each([
		['anna+news@example.com', 'anna%2Bnews%40example.com'],
		["o'neil&co@example.com", "o'neil%26co%40example.com"],
		['用户@例え.jp', '%E7%94%A8%E6%88%B7%40%E4%BE%8B%E3%81%88.jp'],
		['a%2fb@example.com', 'a%252fb%40example.com'],
		['a?b#c@example.com', 'a%3Fb%23c%40example.com'],
	])('of a contact arrives intact: %j', async (address, segment) => {
		service.get(`/users/${userId}/contacts/${segment}`).reply(200, { email: address });

		await outputOf(getContact({}, {}, { items: itemsWith(address) }));
	});
});

type Method = 'get' | 'patch' | 'delete';

it.each<[string, Run, Method, string, RegExp, RegExp]>([
	['container: get', get, 'get', '/containers/c-1', /The container "c-1" was/, /get the container/],
	[
		'contact: get',
		getContact,
		'get',
		contactPath(anna),
		/The contact "anna@example.com" was not found/,
		/to get the contact/,
	],
	[
		'drm: update',
		async (parameters, options, more) =>
			await update(parameters, { ...withoutCurrentRules, ...options }, more),
		'patch',
		'/containers/c-1/drm',
		/^The container "c-1" was not found/,
		/to change the rules of the container/,
	],
])('%s names what was not found, and what was not accepted', async (_name, run, ...rest) => {
	const [method, path, notFound, notAccepted] = rest;
	const expected = (service as MockedService)[method];
	expected(path).reply(404, { message: 'Unknown' });
	expect((await run()).error?.message).toMatch(notFound);
	expected(path).reply(422, '');
	expect((await run()).error?.message).toMatch(notAccepted);
});

describe.each([
	['container', operation('container: delete', byContainer), 'c-1', '/containers/c-1'],
	['contact', operation('contact: delete', byContact), anna, contactPath(anna)],
])('deleting a %s', (resource, run, id, path) => {
	const remove = async (maxRetries = 0) => await run({}, { maxRetries }, { items: itemsWith(id) });
	const deleted = { deleted: true, [resource === 'container' ? 'containerId' : 'email']: id };

	it.each<[number, string | Record<string, unknown>]>([
		[204, ''],
		[200, 'Deleted'],
		[200, { code: 200, message: 'The record was deleted' }],
	])('succeeds when the service responds with %i %j', async (status, body) => {
		service.delete(path).reply(status, body);

		expect(await outputOf(remove())).toEqual([deleted]);
		expect(service.requests).toMatchObject([{ method: 'DELETE', body: '' }]);
	});

	it.each<[number, string | Record<string, unknown>]>([
		[202, ''],
		[200, 'The change was made'],
		[200, { uuid: 'c-1' }],
	])('is checked when the service responds with %i %j', async (code, body) => {
		for (const status of [404, 200]) {
			service.delete(path).reply(code, body);
			service.get(path).reply(status, { name: 'N' });
		}

		expect(await outputOf(remove())).toEqual([deleted]);
		const { error, items } = await remove();
		expect(error?.message).toMatch(/does not confirm it, and the record is still there/);
		expect(items).toEqual([]);
	});

	it.each(unusableResponses)('fails when the service responds with $shape', async (shape) => {
		service.delete(path).reply(...shape.reply);

		expect((await remove()).error?.message).toMatch(shape.message);
	});

	it.each([404, 410])(
		'succeeds when the record is gone (%i) after an attempt with an unknown outcome',
		async (status) => {
			service.delete(path).reply(504, '');
			service.delete(path).reply(status, { message: 'Unknown' });

			expect(await outputOf(remove(1))).toEqual([deleted]);
		},
	);

	it.each([
		['is refused after an attempt with an unknown outcome', 504, 403],
		['was gone before the first attempt that was processed', 429, 404],
	])('fails when it %s', async (_what, first, second) => {
		service.delete(path).reply(first, '', { 'retry-after': '0' });
		service.delete(path).reply(second, { message: 'No' });

		const { items, error } = await remove(1);

		expect(error?.httpCode).toBe(String(second));
		expect(items).toEqual([]);
	});
});
