import { setTimeout as wait } from 'node:timers/promises';
import type { IDataObject } from 'n8n-workflow';
import { mockService } from '../../support/nock.cts';
import { anna, contact, fields, pathOf, upsert } from '../support/contacts.cts';
import { contactEmail, expectRefusal, outputOf, run } from '../support/operations.cts';
import { responsesWithoutRecord, unusableResponses } from '../support/shapes.cts';

const service = mockService();
const patches = () =>
	service.requests
		.filter(({ method }) => method === 'PATCH')
		.map(({ path, body }) => [decodeURIComponent(path.split('/').at(-1) ?? ''), body]);
const autoMap = { email: '={{ $json.email }}', dataToSend: 'autoMapInputData' };
const inJson = (bodyJson: string) => ({ dataToSend: 'json', bodyJson });
const named = (values: IDataObject) => ({ fieldsUi: fields(values) });
const itemOf = (json: IDataObject) => ({ items: [{ json }] });

describe('the response', () => {
	it.each([contact, { data: contact }, { message: 'The change was made' }])(
		'is the output where it is an object: %j',
		async (body) => {
			service.patch(pathOf(anna)).reply(201, body);

			expect(await outputOf(upsert())).toEqual([body]);
		},
	);

	it.each(responsesWithoutRecord)('is success and the address otherwise: $shape', async (shape) => {
		service.patch(pathOf(anna)).reply(...shape.reply);

		expect(await outputOf(upsert())).toEqual([{ success: true, email: anna }]);
	});

	it.each(unusableResponses)('is an error when it is $shape', async (shape) => {
		service.patch(pathOf(anna)).reply(...shape.reply);

		expect((await upsert()).error?.message).toMatch(shape.message);
	});

	it.each<[string, IDataObject, IDataObject | undefined, RegExp | undefined]>([
		['the value in a form of the service', { first_name: 'ANNA ' }, undefined, undefined],
		['the value of before', { first_name: 'Old' }, contact, undefined],
		[
			'another value, also afterwards',
			{ first_name: 'Old' },
			{ first_name: 'Old' },
			/"first_name" with the value "Old" instead of "first_name" with the value "Anna"/,
		],
		[
			'another person',
			{ email: 'bob@example.com' },
			undefined,
			/the contact "bob@example.com" instead of the contact "anna@example.com"/,
		],
	])('is compared with what was sent: %s', async (_how, shown, current, message) => {
		service.patch(pathOf(anna)).reply(200, shown);
		if (current !== undefined) service.get(pathOf(anna)).reply(200, current);

		const { error } = await upsert();

		if (message === undefined) expect(error).toBeUndefined();
		else expect(error?.message).toMatch(message);
	});

	it.each([
		[404, 'The contact "anna@example.com" was not found [item 0]'],
		[503, 'The service could not create or update the contact (status 503) [item 0]'],
	])('names the contact, or what could not be done, with status %i', async (status, message) => {
		service.patch(pathOf(anna)).reply(status);

		expect((await upsert()).error?.message).toBe(message);
	});

	it('is waited for again after a rate limit', async () => {
		service.patch(pathOf(anna)).reply(429, '', { 'retry-after': '0' });
		service.patch(pathOf(anna)).reply(200, contact);

		await outputOf(upsert({}, { maxRetries: 1 }));

		expect(patches()).toEqual([1, 2].map(() => [anna, { first_name: 'Anna' }]));
	});
});

describe('the fields of the contact', () => {
	const input: IDataObject = {
		id: anna,
		email: 'other@example.com',
		'E-Mail': anna,
		first_name: 'Anna',
		company: null,
		score: 4.5,
		tags: ['a', { b: 1 }],
		nested: [JSON.parse('{"b":1,"__proto__":{"c":2}}') as IDataObject],
		crm_id: 7,
		constructor: 1,
		prototype: 2,
	};
	Object.defineProperty(input, '__proto__', { value: { admin: true }, enumerable: true });

	it.each<[string, IDataObject, IDataObject]>([
		[
			'the input fields, without the email address',
			{ dataToSend: 'autoMapInputData' },
			{
				...{ first_name: 'Anna', company: null, score: 4.5, tags: ['a', { b: 1 }], crm_id: 7 },
				nested: [{ b: 1 }],
			},
		],
		[
			'the input fields, without the ignored ones',
			{ dataToSend: 'autoMapInputData', inputsToIgnore: 'crm_id, tags; score\ncompany;nested' },
			{ first_name: 'Anna' },
		],
		[
			'the input fields, without a list of ignored ones',
			{
				dataToSend: 'autoMapInputData',
				inputsToIgnore: '={{ ["crm_id", "tags", "score", "nested"] }}',
			},
			{ first_name: 'Anna', company: null },
		],
		[
			'fields of any type defined below',
			named({ ' note ': '', score: '={{ $json.score }}', tags: '={{ $json.tags }}' }),
			{ note: '', score: 4.5, tags: ['a', { b: 1 }] },
		],
		['empty when no field is defined below', { fieldsUi: {} }, {}],
		['JSON', inJson('{ "nested": { "a": [1] } }'), { nested: { a: [1] } }],
		[
			'an object from an expression',
			inJson('={{ { first_name: $json.first_name, email: $json.id.toUpperCase() } }}'),
			{ first_name: 'Anna', email: anna.toUpperCase() },
		],
		[
			'JSON with an expression in it',
			inJson('={ "first_name": {{ JSON.stringify($json.first_name) }} }'),
			{ first_name: 'Anna' },
		],
	])('are %s', async (_what, parameters, body) => {
		service.patch(pathOf(anna)).reply(204);

		await outputOf(upsert(parameters, {}, itemOf(input)));

		expect(patches()).toEqual([[anna, body]]);
		expect(service.requests[0].headers['content-type']).toBe('application/json');
	});

	it.each<[string, IDataObject, RegExp, string?]>([
		['an unknown choice', { dataToSend: 'all' }, /"Data to Send" has an unknown value/],
		[
			'a choice spelled in another way, for which n8n hides the field',
			{ ...inJson('{}'), dataToSend: 'JSON' },
			/"Fields \(JSON\)" is empty/,
		],
		[
			'a field without a name',
			named({ ' ': 'x' }),
			/A contact field has no name/,
			'Enter a name such as first_name in each row of "Fields", or remove the row.',
		],
		[
			'a field whose name is not text',
			{ fieldsUi: { fields: [{ name: '={{ {} }}', value: 'x' }] } },
			/"Fields > Name" is not text/,
		],
		[
			'a field that would reach a prototype',
			{ fieldsUi: { fields: [{ name: '__proto__', value: 'x' }] } },
			/"Fields" contains a field with the name "__proto__"/,
		],
		[
			'a value with a field that would reach a prototype',
			named({ a: '={{ ({ constructor: 1 }) }}' }),
			/"Fields" contains a field with the name "constructor"/,
		],
		[
			'a field whose expression returns nothing',
			named({ first_name: 'Anna', company: '={{ $json.missing }}' }),
			/contact field "company" is empty/,
			'The expression returned nothing. Check that the field exists in the input item, or remove the row of "company" from "Fields".',
		],
		['JSON with a comma too many', inJson('{\n "a": 1,\n}'), /is not valid JSON at line 3, column/],
		['JSON that is a list', inJson('[1]'), /"Fields \(JSON\)" is not a JSON object/],
		['no JSON', inJson(''), /"Fields \(JSON\)" is empty/],
		[
			'the address of another contact',
			inJson('{ "email": "bob@example.com" }'),
			/The field "email" has another address than "Email"/,
		],
		[
			'ignored inputs that are not text',
			{ dataToSend: 'autoMapInputData', inputsToIgnore: '={{ [5] }}' },
			/"Inputs to Ignore" contains an entry that is not text/,
		],
		[
			'ignored inputs that are nothing, as all fields would be sent',
			{ dataToSend: 'autoMapInputData', inputsToIgnore: '={{ $json.missing }}' },
			/"Inputs to Ignore" is empty/,
		],
		[
			'an option that is not a boolean',
			{ options: { skipUnchanged: '={{ "perhaps" }}' } },
			/"Skip Unchanged" must be true or false/,
		],
	])('are refused before anything is sent: %s', async (...test) => {
		const [, parameters, message, advice] = test;

		await expectRefusal(service, upsert(parameters), message, { advice });
	});

	it('can have names that only contain email', async () => {
		const body = { email_consent: true, work_email: 'a@example.org', user: 42 };
		service.patch(pathOf(anna)).reply(204);
		const parameters = { ...autoMap, email: `={{ $json.user && '${anna}' }}` };

		await outputOf(upsert(parameters, {}, itemOf({ ...body, 'e-mail': anna })));

		expect(patches()).toEqual([[anna, body]]);
	});

	const others = {
		login: `${anna};`,
		reply_to: ` ${anna} `,
		'Mail address': anna,
		old: `;${anna}`,
	};
	it.each<[string, string, keyof typeof others | undefined]>([
		['email', '={{ $json.email }}', undefined],
		['login', '={{ $json.login.toLowerCase() }}', 'login'],
		['Mail address', '={{ $json[ "Mail address" ] }}', 'Mail address'],
		['reply_to', "={{ $('Input').item.json.reply_to }}", 'reply_to'],
		['none, as it was entered', anna, undefined],
		['none, as the field holds more', '={{ $json.old.slice(1) }}', undefined],
	])('are without the one that the address came from: %s', async (_field, email, dropped) => {
		service.patch(pathOf(anna)).reply(204);

		await outputOf(upsert({ ...autoMap, email }, {}, itemOf({ email: anna, ...others })));

		const rest: IDataObject = { ...others };
		if (dropped !== undefined) delete rest[dropped];
		expect(patches()).toEqual([[anna, rest]]);
	});
});

describe('Email', () => {
	it.each(['"anna@example.com"', 'anna@example.com,;', '={{ { email: "anna@example.com" } }}'])(
		'is understood: %s',
		async (email) => {
			service.patch(pathOf(anna)).reply(204);

			expect(await outputOf(upsert({ email }))).toEqual([{ success: true, email: anna }]);
		},
	);

	it.each([
		['={{ { mail: "a@x.example" } }}', '"Email" is not text', /\w/],
		['={{ ["a@x.example"] }}', '"Email" is not text', /\w/],
		[
			'a@x.example, b@x.example',
			'"a@x.example, b@x.example" in "Email" is not an email address',
			/^Enter one address, for example anna@example.com\.$/,
		],
	])('is refused before anything is sent: %s', async (email, message, advice) => {
		await expectRefusal(service, upsert({ email }), message, { advice });
	});

	it.each([
		['={{ 5 }}', 5],
		['={{ {} }}', ''],
	])('is in an error item where it is text or a number: %s', async (email, shown) => {
		const { items } = await upsert({ email }, {}, { onError: 'continueRegularOutput' });

		expect(items[0].json).toMatchObject({ contactEmail: shown, error: expect.any(String) });
	});
});

it.each([
	['an object', '={{ { id: "user-1" } }}', '"User ID" is not text'],
	['a number that was rounded', '={{ 12345678901234567890 }}', '"User ID" is not text'],
	['undefined', '={{ $json.missing }}', '"User ID" is empty'],
	['spaces', '={{ "  " }}', '"User ID" is empty'],
])(
	"User ID is refused by name, and never the key's own user: %s",
	async (_what, userId, message) => {
		for (const [name, parameters] of [
			['contact: getAll', {}],
			['contact: delete', { contactEmail: contactEmail('anna@x.example') }],
			['contact: upsert', { email: 'anna@x.example' }],
		] as const) {
			await expectRefusal(service, run(name, parameters, { userId }), message);
		}
	},
);

it('two items for one contact are sent one after the other, also in other capitals: the later one wins', async () => {
	const events: string[] = [];
	for (const address of [anna, anna.toUpperCase()]) {
		service.patch(pathOf(address)).reply(async (_uri, body) => {
			const name = String((body as IDataObject).first_name);
			events.push(`${name} begins`);
			await wait(30);
			events.push(`${name} ends`);
			return [204];
		});
	}
	const items = [
		{ json: { id: anna, name: 'First' } },
		{ json: { id: anna.toUpperCase(), name: 'Second' } },
	];

	const parameters = named({ first_name: '={{ $json.name }}' });
	await outputOf(upsert(parameters, { maxConcurrent: 5 }, { items }));

	expect(events).toEqual(['First begins', 'First ends', 'Second begins', 'Second ends']);
});
