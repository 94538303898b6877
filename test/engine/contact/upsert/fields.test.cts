import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { mockService } from '../../../support/nock.cts';
import { anna, fields, pathOf, upsert } from '../../support/contacts.cts';

const service = mockService();

describe('the fields of the contact', () => {
	const input = {
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

	it.each<[string, INodeParameters, IDataObject]>([
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
			'fields defined below',
			{
				fieldsUi: fields({
					first_name: '={{ $json.first_name }}',
					' note ': '',
				}) as INodeParameters,
			},
			{ first_name: 'Anna', note: '' },
		],
		[
			'fields of other types defined below',
			{
				fieldsUi: fields({
					score: '={{ $json.score }}',
					tags: '={{ $json.tags }}',
				}) as INodeParameters,
			},
			{ score: 4.5, tags: ['a', { b: 1 }] },
		],
		['empty when no field is defined below', { fieldsUi: {} }, {}],
		[
			'JSON',
			{ dataToSend: 'json', bodyJson: '{ "first_name": "Anna", "nested": { "a": [1] } }' },
			{ first_name: 'Anna', nested: { a: [1] } },
		],
		[
			'an object from an expression',
			{
				dataToSend: 'json',
				bodyJson: '={{ { first_name: $json.first_name, email: $json.id.toUpperCase() } }}',
			},
			{ first_name: 'Anna', email: anna.toUpperCase() },
		],
		[
			'JSON with an expression in it',
			{ dataToSend: 'json', bodyJson: '={ "first_name": {{ JSON.stringify($json.first_name) }} }' },
			{ first_name: 'Anna' },
		],
	])('are %s', async (_what, parameters, body) => {
		service.patch(pathOf(anna)).reply(204);

		const { error } = await upsert(parameters, {}, { items: [{ json: input as IDataObject }] });

		expect(error).toBeUndefined();
		expect(service.requests[0].body).toEqual(body);
		expect(service.requests[0].headers['content-type']).toBe('application/json');
	});

	it.each([
		[' ', 'x', 'Enter a name such as first_name in each row of "Fields", or remove the row.'],
		[
			'company',
			'={{ $json.missing }}',
			'The expression returned nothing. Check that the field exists in the input item, or remove the row of "company" from "Fields".',
		],
	])('are rejected with what to do: name %j', async (name, value, description) => {
		const { error } = await upsert({ fieldsUi: { fields: [{ name, value }] } });

		expect(error?.description).toBe(description);
	});

	it.each<[string, INodeParameters, RegExp]>([
		[
			'a field whose name is not text',
			{ fieldsUi: { fields: [{ name: '={{ {} }}', value: 'x' }] } },
			/"Fields > Name" is not text/,
		],
		[
			'JSON with a comma too many',
			{ dataToSend: 'json', bodyJson: '{\n "a": 1,\n}' },
			/"Fields \(JSON\)" is not valid JSON at line 3, column 1/,
		],
		[
			'JSON that is cut off',
			{ dataToSend: 'json', bodyJson: '{ "a": ' },
			/"Fields \(JSON\)" is not valid JSON: it ends too early/,
		],
		[
			'JSON that is a list',
			{ dataToSend: 'json', bodyJson: '[1]' },
			/"Fields \(JSON\)" is not a JSON object/,
		],
		[
			'the address of another contact',
			{ dataToSend: 'json', bodyJson: '{ "email": "bob@example.com" }' },
			/The field "email" has another address than "Email"/,
		],
		['no JSON', { dataToSend: 'json', bodyJson: '' }, /"Fields \(JSON\)" is empty/],
		[
			'a field without a name',
			{ fieldsUi: fields({ ' ': 'x' }) as INodeParameters },
			/A contact field has no name/,
		],
		[
			'a field that would reach a prototype',
			{ fieldsUi: { fields: [{ name: '__proto__', value: 'x' }] } },
			/"Fields" contains a field with the name "__proto__"/,
		],
		[
			'a value with a field that would reach a prototype',
			{ fieldsUi: { fields: [{ name: 'a', value: '={{ ({ constructor: 1 }) }}' }] } },
			/"Fields" contains a field with the name "constructor"/,
		],
		[
			'ignored inputs that are not text',
			{ dataToSend: 'autoMapInputData', inputsToIgnore: '={{ [5] }}' },
			/"Inputs to Ignore" contains an entry that is not text/,
		],
		[
			'an option that is not a boolean',
			{ options: { skipUnchanged: '={{ "perhaps" }}' } },
			/"Skip Unchanged" must be true or false/,
		],
	])('are rejected before anything is sent: %s', async (_what, parameters, message) => {
		const { options = {}, ...others } = parameters as INodeParameters & { options?: IDataObject };
		const { error } = await upsert(others as INodeParameters, options as IDataObject);

		expect(error?.message).toMatch(message);
		expect(error?.message).toMatch(/\[item 0\]$/);
		expect(service.requests).toEqual([]);
	});

	it('keep the email address in the error item when they are rejected', async () => {
		const { items } = await upsert(
			{ dataToSend: 'json', bodyJson: '{' },
			{},
			{ onError: 'continueRegularOutput' },
		);

		expect(items[0].json).toMatchObject({ contactEmail: anna, error: expect.any(String) });
	});
});

it.each([
	[404, 'The contact "anna@example.com" was not found [item 0]'],
	[503, 'The service could not create or update the contact (status 503) [item 0]'],
])(
	'names the contact, or what could not be done, when the service responds with %i',
	async (status, message) => {
		service.patch(pathOf(anna)).reply(status);

		const { error } = await upsert();

		expect(error?.message).toBe(message);
	},
);
