import { setTimeout as wait } from 'node:timers/promises';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { mockService } from '../../../support/nock.cts';
import { anna, fields, listPath, pathOf, upsert } from '../../support/contacts.cts';
import { itemsWith } from '../../support/operations.cts';

const service = mockService();
const otherHost = 'other.example.com';
const otherService = mockService(`https://${otherHost}/api/v1`);
const patches = () =>
	service.requests
		.filter(({ method }) => method === 'PATCH')
		.map(({ path, body }) => [decodeURIComponent(path.split('/').at(-1) ?? ''), body]);

describe('auto-mapping', () => {
	const withoutEmail = {
		login: anna,
		reply_to: ` ${anna} `,
		'Mail address': anna,
		manager: 'bob@example.com',
	};
	const json = { email: anna, ...withoutEmail };

	it('sends fields whose names only contain email', async () => {
		const body = { email_consent: true, work_email: 'a@example.org', user: 42 };
		service.patch(pathOf(anna)).reply(204);

		const { error } = await upsert(
			{ email: `={{ $json.user && '${anna}' }}`, dataToSend: 'autoMapInputData' },
			{},
			{ items: [{ json: { ...body, 'e-mail': anna } }] },
		);

		expect(error).toBeUndefined();
		expect(patches()).toEqual([[anna, body]]);
	});

	it('drops a field that holds the address with a separator at its end', async () => {
		service.patch(pathOf(anna)).reply(204);

		const { error } = await upsert(
			{ email: '={{ $json.login }}', dataToSend: 'autoMapInputData' },
			{},
			{ items: [{ json: { login: `${anna};`, first_name: 'Anna' } }] },
		);

		expect(error).toBeUndefined();
		expect(patches()).toEqual([[anna, { first_name: 'Anna' }]]);
	});

	it('sends a field that holds more than the address', async () => {
		const login = `;${anna}`;
		service.patch(pathOf(anna)).reply(204);

		const { error } = await upsert(
			{ email: '={{ $json.login.slice(1) }}', dataToSend: 'autoMapInputData' },
			{},
			{ items: [{ json: { login } }] },
		);

		expect(error).toBeUndefined();
		expect(patches()).toEqual([[anna, { login }]]);
	});

	it.each<[string, string, IDataObject]>([
		['email', '={{ $json.email }}', withoutEmail],
		[
			'login',
			'={{ $json.login.toLowerCase() }}',
			{ reply_to: withoutEmail.reply_to, 'Mail address': anna, manager: withoutEmail.manager },
		],
		[
			'Mail address',
			'={{ $json[ "Mail address" ] }}',
			{ login: anna, reply_to: withoutEmail.reply_to, manager: withoutEmail.manager },
		],
		[
			'Mail address',
			"={{ $json['Mail address'] }}",
			{ login: anna, reply_to: withoutEmail.reply_to, manager: withoutEmail.manager },
		],
		[
			'reply_to',
			"={{ $('Input').item.json.reply_to }}",
			{ login: anna, 'Mail address': anna, manager: withoutEmail.manager },
		],
		['none, as it was entered', anna, withoutEmail],
		[
			'none, as the expression uses a field with another value',
			"={{ $json.manager.replace('bob', 'anna') }}",
			withoutEmail,
		],
	])('drops only the field that the address came from: %s', async (_field, email, body) => {
		service.patch(pathOf(anna)).reply(204);

		const { error } = await upsert(
			{ email, dataToSend: 'autoMapInputData' },
			{},
			{ items: [{ json }] },
		);

		expect(error).toBeUndefined();
		expect(patches()).toEqual([[anna, body]]);
	});
});

describe('Inputs to Ignore', () => {
	it.each(['={{ $json.missing }}', '={{ null }}'])(
		'is refused by name when its expression returns nothing, as all fields would be sent: %s',
		async (inputsToIgnore) => {
			const { error } = await upsert({ dataToSend: 'autoMapInputData', inputsToIgnore });

			expect(error?.message).toContain('"Inputs to Ignore" is empty');
			expect(service.requests).toEqual([]);
		},
	);
});

describe('a field that is defined below', () => {
	it('is refused by name when its expression returns nothing', async () => {
		const { error } = await upsert({
			fieldsUi: fields({ first_name: 'Anna', company: '={{ $json.missing }}' }) as INodeParameters,
		});

		expect(error?.message).toContain('contact field "company" is empty');
		expect(service.requests).toEqual([]);
	});
});

describe('Skip Unchanged', () => {
	const skip = { skipUnchanged: true };
	const autoMap = { email: '={{ $json.email }}', dataToSend: 'autoMapInputData' };

	it.each<[string, IDataObject, IDataObject, boolean]>([
		['a number and its digits', { phone: 41791234567 }, { phone: '41791234567' }, true],
		['digits and a number', { score: '4.5' }, { score: 4.5 }, true],
		['another number', { score: 4.5 }, { score: '4.50' }, false],
		['null and no field', { company: null }, {}, true],
		['null and null', { company: null }, { company: null }, true],
		['null and a value', { company: null }, { company: 'X' }, false],
		['a value and null', { company: 'X' }, { company: null }, false],
		['empty text and null', { company: '' }, { company: null }, true],
		['0 and null', { score: 0 }, { score: null }, false],
		['other capitals', { first_name: 'ANNA' }, { first_name: 'Anna' }, false],
		['nested values', { a: { b: [1, { c: 2 }] } }, { a: { b: ['1', { c: 2, d: null }] } }, true],
		['another nested value', { a: { b: [1, { c: 2 }] } }, { a: { b: [1, { c: 3 }] } }, false],
		['another order of a list', { a: [1, 2] }, { a: [2, 1] }, false],
		['a nested value that is missing', { a: { b: 1 } }, { a: {} }, false],
	])('compares %s', async (_what, item, current, isUnchanged) => {
		service.get(listPath).reply(200, [{ email: 'ANNA@Example.com', ...current }]);
		if (!isUnchanged) service.patch(pathOf(anna)).reply(204);

		const { error } = await upsert(autoMap, skip, { items: [{ json: { email: anna, ...item } }] });

		expect(error).toBeUndefined();
		expect(patches()).toEqual(isUnchanged ? [] : [[anna, item]]);
	});

	it('prefers the contact in the same capitals, and changes it when there are others only', async () => {
		const list = [
			{ email: 'ANNA@example.com', first_name: 'Other' },
			{ email: anna, first_name: 'Anna' },
			{ email: 'BOB@example.com', first_name: 'Bob' },
			{ email: 'Bob@example.com', first_name: 'Bob' },
		];
		service.get(listPath).reply(200, list);
		service.patch(pathOf('bob@example.com')).reply(204);

		const { items } = await upsert(autoMap, skip, {
			items: [
				{ json: { email: anna, first_name: 'Anna' } },
				{ json: { email: 'bob@example.com', first_name: 'Bob' } },
			],
		});

		expect(items.map(({ json }) => json)).toEqual([
			list[1],
			{ success: true, email: 'bob@example.com' },
		]);
	});

	it('finds the contact that an item spells in other capitals', async () => {
		const list = [{ email: anna, first_name: 'Anna' }];
		service.get(listPath).reply(200, list);

		const { items } = await upsert(autoMap, skip, {
			items: [{ json: { email: 'ANNA@Example.com', first_name: 'Anna' } }],
		});

		expect(items.map(({ json }) => json)).toEqual(list);
	});

	it('sends a contact that the list shows twice', async () => {
		service.get(listPath).reply(200, [
			{ email: anna, first_name: 'Anna' },
			{ email: anna, first_name: 'Old' },
		]);
		service.patch(pathOf(anna)).reply(204);

		const { error } = await upsert(autoMap, skip, {
			items: [{ json: { email: anna, first_name: 'Anna' } }],
		});

		expect(error).toBeUndefined();
		expect(patches()).toEqual([[anna, { first_name: 'Anna' }]]);
	});

	it('does not mix up two services that have a user with the same ID', async () => {
		service.get(listPath).reply(200, [{ email: anna, first_name: 'Old' }]);
		service.patch(pathOf(anna)).reply(204);
		// While this list is fetched, the contact of the first service changes.
		otherService
			.get(listPath)
			.delay(100)
			.reply(200, [{ email: anna, first_name: 'Anna' }]);

		const { error } = await upsert(
			{ email: anna },
			{ ...skip, maxConcurrent: 5 },
			{
				items: [{ json: { host: 'share.example.com' } }, { json: { host: otherHost } }],
				credentials: { baseUrl: '=https://{{ $json.host }}/api/v1' },
			},
		);

		expect(error).toBeUndefined();
		expect(otherService.requests).toHaveLength(1);
	});

	it('compares with the list of the user of each item, and with what the items before changed', async () => {
		service.get('/users/me/contacts').reply(200, [{ email: anna, first_name: 'Anna' }]);
		service.get('/users/other/contacts').reply(200, []);
		service
			.patch(`/users/me/contacts/${encodeURIComponent(anna)}`)
			.times(2)
			.reply(204);
		service.patch(`/users/other/contacts/${encodeURIComponent(anna)}`).reply(204);

		const { error } = await upsert(
			{ email: anna, fieldsUi: fields({ first_name: '={{ $json.name }}' }) as INodeParameters },
			{ ...skip, maxConcurrent: 5, userId: '={{ $json.user }}' },
			{
				items: [
					{ json: { name: 'New', user: 'me' } },
					{ json: { name: 'Anna', user: 'other' } },
					// The list says Anna, but the first item has changed it.
					{ json: { name: 'Anna', user: 'me' } },
				],
			},
		);

		expect(error).toBeUndefined();
		expect(
			service.requests.filter(({ method }) => method === 'GET').map(({ path }) => path),
		).toEqual(['/api/v1/users/me/contacts', '/api/v1/users/other/contacts']);
		expect(patches().map(([, body]) => body)).toEqual([
			{ first_name: 'New' },
			{ first_name: 'Anna' },
			{ first_name: 'Anna' },
		]);
	});
});

describe('two items for one contact', () => {
	it('are sent one after the other, also in different capitals', async () => {
		let inFlight = 0;
		let peak = 0;
		for (const address of [anna, anna.toUpperCase()]) {
			service.patch(pathOf(address)).reply(async () => {
				inFlight += 1;
				peak = Math.max(peak, inFlight);
				await wait(50);
				inFlight -= 1;
				return [204];
			});
		}

		const { error } = await upsert(
			{},
			{ maxConcurrent: 5 },
			{ items: itemsWith(anna, anna.toUpperCase()) },
		);

		expect(error).toBeUndefined();
		expect(peak).toBe(1);
	});
});
