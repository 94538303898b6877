import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { runNode, type RunNodeOptions } from '../../support/engine.cts';
import { mockService } from '../../support/nock.cts';
import {
	promisesOfEveryOperation,
	refusedContacts,
	unusualContacts,
} from '../support/everyOperation.cts';
import { oneByOne, userId } from '../support/parameters.cts';
import {
	answersWithoutRecord,
	answersWithRecord,
	headersOf,
	listShapes,
	unusableChanges,
} from '../support/shapes.cts';
import { promisesOfTheUser } from '../support/userOfTheKey.cts';

const service = mockService();

const fields = (values: IDataObject): IDataObject => ({
	fields: Object.entries(values).map(([name, value]) => ({ name, value })),
});
const base: INodeParameters = {
	resource: 'contact',
	operation: 'upsert',
	email: '={{ $json.id }}',
	dataToSend: 'defineBelow',
	fieldsUi: fields({ first_name: 'Anna' }) as INodeParameters,
	options: { userId },
};
const listPath = `/users/${userId}/contacts`;
const pathOf = (address: string) => `${listPath}/${encodeURIComponent(address)}`;
const anna = 'anna@example.com';
const contact = { email: anna, first_name: 'Anna' };

const upsert = async (
	parameters: INodeParameters = {},
	options: IDataObject = {},
	more: Partial<RunNodeOptions> = {},
) =>
	await runNode({
		items: [{ json: { id: anna } }],
		...more,
		parameters: {
			...base,
			...parameters,
			options: { userId, ...oneByOne, ...options },
		} as INodeParameters,
	});

promisesOfEveryOperation(service, {
	parameters: base,
	ids: ['a@example.com', 'b@example.com', 'c@example.com'],
	method: 'PATCH',
	path: pathOf,
	answer: contact,
	outcome: contact,
	identity: (id) => ({ contactEmail: id }),
	refused: refusedContacts('Email'),
});

promisesOfTheUser(service, {
	parameters: { ...base, email: anna },
	method: 'PATCH',
	path: (user) => `/users/${user}/contacts/anna%40example.com`,
	answer: contact,
});

describe('creating or updating a contact', () => {
	it.each(answersWithRecord(contact))('answers what the service does: $shape', async (shape) => {
		service.scope().patch(pathOf(anna)).reply(shape.status, shape.body, headersOf(shape));

		const { items } = await upsert();

		expect(items.map(({ json }) => json)).toEqual([shape.record]);
	});

	it.each(answersWithoutRecord)('answers success and address for $shape', async (shape) => {
		service.scope().patch(pathOf(anna)).reply(shape.status, shape.body, headersOf(shape));

		const { items, error } = await upsert();

		expect(error).toBeUndefined();
		expect(items.map(({ json }) => json)).toEqual([{ success: true, email: anna }]);
	});

	it.each(unusableChanges)('is an error when the service answers $shape', async (shape) => {
		service.scope().patch(pathOf(anna)).reply(shape.status, shape.body, headersOf(shape));

		const { error } = await upsert();

		expect(error?.message).toMatch(shape.message);
	});

	it.each(unusualContacts)('sends %j so that it arrives intact', async (address, segment) => {
		service.scope().patch(`${listPath}/${segment}`).reply(200, contact);

		const { error } = await upsert({}, {}, { items: [{ json: { id: address } }] });

		expect(error).toBeUndefined();
	});

	it('is tried again after an outage: it has the same effect twice', async () => {
		service.scope().patch(pathOf(anna)).reply(429, '', { 'retry-after': '0' });
		service.scope().patch(pathOf(anna)).reply(200, contact);

		const { items } = await upsert({}, { maxRetries: 1 });

		expect(items[0].json).toEqual(contact);
		expect(service.requests.map(({ body }) => body)).toEqual([
			{ first_name: 'Anna' },
			{ first_name: 'Anna' },
		]);
	});
});

describe('the fields of the contact', () => {
	const input = {
		id: anna,
		email: 'other@example.com',
		'E-Mail': anna,
		first_name: 'Anna',
		company: null,
		score: 4.5,
		tags: ['a', { b: 1 }],
		crm_id: 7,
	};

	it.each<[string, INodeParameters, IDataObject]>([
		[
			'the input fields, without the address',
			{ dataToSend: 'autoMapInputData' },
			{ first_name: 'Anna', company: null, score: 4.5, tags: ['a', { b: 1 }], crm_id: 7 },
		],
		[
			'the input fields, without those to ignore',
			{ dataToSend: 'autoMapInputData', inputsToIgnore: 'crm_id, tags; score\ncompany' },
			{ first_name: 'Anna' },
		],
		[
			'the input fields, without a list to ignore',
			{ dataToSend: 'autoMapInputData', inputsToIgnore: '={{ ["crm_id", "tags", "score"] }}' },
			{ first_name: 'Anna', company: null },
		],
		[
			'fields by hand',
			{
				fieldsUi: fields({
					first_name: '={{ $json.first_name }}',
					' note ': '',
				}) as INodeParameters,
			},
			{ first_name: 'Anna', note: '' },
		],
		[
			'fields by hand of other types',
			{
				fieldsUi: fields({
					score: '={{ $json.score }}',
					tags: '={{ $json.tags }}',
				}) as INodeParameters,
			},
			{ score: 4.5, tags: ['a', { b: 1 }] },
		],
		['no field by hand', { fieldsUi: {} }, {}],
		[
			'JSON',
			{ dataToSend: 'json', bodyJson: '{ "first_name": "Anna", "nested": { "a": [1] } }' },
			{ first_name: 'Anna', nested: { a: [1] } },
		],
		[
			'an object by expression',
			{ dataToSend: 'json', bodyJson: '={{ { first_name: $json.first_name, email: "kept@x" } }}' },
			{ first_name: 'Anna', email: 'kept@x' },
		],
		[
			'JSON with an expression in it',
			{ dataToSend: 'json', bodyJson: '={ "first_name": {{ JSON.stringify($json.first_name) }} }' },
			{ first_name: 'Anna' },
		],
	])('are %s', async (_what, parameters, body) => {
		service.scope().patch(pathOf(anna)).reply(200, contact);

		const { error } = await upsert(parameters, {}, { items: [{ json: input as IDataObject }] });

		expect(error).toBeUndefined();
		expect(service.requests[0].body).toEqual(body);
		expect(service.requests[0].headers['content-type']).toBe('application/json');
	});

	it.each<[string, INodeParameters, RegExp]>([
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
		['no JSON', { dataToSend: 'json', bodyJson: '' }, /"Fields \(JSON\)" is empty/],
		[
			'a field without a name',
			{ fieldsUi: fields({ ' ': 'x' }) as INodeParameters },
			/A field of the contact has no name/,
		],
		[
			'a field that would reach a prototype',
			{ fieldsUi: { fields: [{ name: '__proto__', value: 'x' }] } },
			/cannot be named "__proto__"/,
		],
		[
			'inputs to ignore that are no texts',
			{ dataToSend: 'autoMapInputData', inputsToIgnore: '={{ [5] }}' },
			/"Inputs to Ignore" holds an entry that is not text/,
		],
		[
			'an option that is neither on nor off',
			{ options: { skipUnchanged: '={{ "perhaps" }}' } },
			/"Skip Unchanged" is neither true nor false/,
		],
	])('are refused before anything is sent: %s', async (_what, parameters, message) => {
		const { options = {}, ...others } = parameters as INodeParameters & { options?: IDataObject };
		const { error } = await upsert(others as INodeParameters, options as IDataObject);

		expect(error?.message).toMatch(message);
		expect(error?.message).toMatch(/\[item 0\]$/);
		expect(service.requests).toEqual([]);
	});

	it('that are refused leave the address in the error item', async () => {
		const { items } = await upsert(
			{ dataToSend: 'json', bodyJson: '{' },
			{},
			{ onError: 'continueRegularOutput' },
		);

		expect(items[0].json).toMatchObject({ contactEmail: anna, error: expect.any(String) });
	});
});

describe('two items about the same contact', () => {
	it('are sent one after the other, so that the later one has the last word', async () => {
		const events: string[] = [];
		service
			.scope()
			.patch(pathOf(anna))
			.times(2)
			.reply(async (_uri, body) => {
				const name = String((body as IDataObject).first_name);
				events.push(`${name} begins`);
				await new Promise((resolve) => setTimeout(resolve, 30));
				events.push(`${name} ends`);
				return [200, body as Record<string, unknown>];
			});

		const { items } = await upsert(
			{ email: anna, fieldsUi: fields({ first_name: '={{ $json.name }}' }) as INodeParameters },
			{ maxConcurrent: 5 },
			{ items: [{ json: { name: 'First' } }, { json: { name: 'Second' } }] },
		);

		expect(events).toEqual(['First begins', 'First ends', 'Second begins', 'Second ends']);
		expect(items.map(({ json }) => json.first_name)).toEqual(['First', 'Second']);
	});
});

describe('skipping what is unchanged', () => {
	const skip = { skipUnchanged: true };
	const known = [
		{ email: 'a@example.com', first_name: 'A', company: 'X', tags: [1, { b: 2, c: 3 }] },
		{ email: 'B@Example.com', first_name: 'B' },
		{ contact: { email: 'c@example.com', first_name: 'C' } },
	];
	const listed = () => service.requests.filter(({ method }) => method === 'GET').length;
	const patched = () =>
		service.requests.filter(({ method }) => method === 'PATCH').map(({ path }) => path);

	it.each(listShapes(known))('reads the list once, in the shape of $shape', async (shape) => {
		service.scope().get(listPath).reply(shape.status, shape.body, headersOf(shape));

		const { items, error } = await upsert(
			{ fieldsUi: fields({ first_name: '={{ $json.name }}' }) as INodeParameters },
			skip,
			{
				items: ['a', 'b', 'c'].map((name) => ({
					json: { id: `${name}@example.com`, name: name.toUpperCase() },
				})),
			},
		);

		expect(error).toBeUndefined();
		expect(items.map(({ json }) => json)).toEqual(known);
		expect(items.map(({ pairedItem }) => pairedItem)).toEqual([
			{ item: 0 },
			{ item: 1 },
			{ item: 2 },
		]);
		expect(service.requests).toHaveLength(1);
	});

	it.each<[string, IDataObject, boolean]>([
		['the same value', { first_name: 'A' }, true],
		['some of the values', { first_name: 'A', company: 'X' }, true],
		['the same value in another order', { tags: [1, { c: 3, b: 2 }] }, true],
		['no value', {}, true],
		['another value', { first_name: 'Z' }, false],
		['one of two changed', { first_name: 'A', company: 'Z' }, false],
		['a new field', { phone_number: '1' }, false],
		['another type', { tags: '1' }, false],
		['an inherited name', { toString: 'x' }, false],
	])('sends nothing only where nothing would change: %s', async (_what, values, isUnchanged) => {
		service.scope().get(listPath).reply(200, known);
		if (!isUnchanged) service.scope().patch(pathOf('a@example.com')).reply(204);

		const { items, error } = await upsert(
			{ email: 'a@example.com', dataToSend: 'json', bodyJson: JSON.stringify(values) },
			skip,
		);

		expect(error).toBeUndefined();
		expect(items[0].json).toEqual(
			isUnchanged ? known[0] : { success: true, email: 'a@example.com' },
		);
		expect(patched()).toHaveLength(isUnchanged ? 0 : 1);
	});

	it('sends a contact that is not there', async () => {
		service.scope().get(listPath).reply(200, known);
		service.scope().patch(pathOf('new@example.com')).reply(201, { email: 'new@example.com' });

		const { items } = await upsert({ email: 'new@example.com' }, skip);

		expect(items[0].json).toEqual({ email: 'new@example.com' });
	});

	it('does not trust the list any more about a contact that it has changed', async () => {
		service.scope().get(listPath).reply(200, known);
		service.scope().patch(pathOf('a@example.com')).times(2).reply(204);

		const { error } = await upsert(
			{
				email: 'a@example.com',
				fieldsUi: fields({ first_name: '={{ $json.name }}' }) as INodeParameters,
			},
			{ ...skip, maxConcurrent: 5 },
			{ items: [{ json: { name: 'Z' } }, { json: { name: 'A' } }] },
		);

		expect(error).toBeUndefined();
		expect(service.requests.map(({ body }) => body)).toEqual([
			'',
			{ first_name: 'Z' },
			{ first_name: 'A' },
		]);
	});

	it('reads the list over all its pages', async () => {
		service.scope().get(listPath).reply(200, known.slice(0, 1), { link: '<?page=2>; rel="next"' });
		service.scope().get(`${listPath}?page=2`).reply(200, known.slice(1));

		const { items } = await upsert(
			{ email: 'b@example.com', fieldsUi: fields({ first_name: 'B' }) as INodeParameters },
			skip,
		);

		expect(items[0].json).toEqual(known[1]);
	});

	it('fails every item when the list cannot be read, and changes nothing', async () => {
		service.scope().get(listPath).reply(500, { message: 'Words of the service' });

		const { items } = await upsert({}, skip, {
			items: [{ json: { id: 'a@example.com' } }, { json: { id: 'b@example.com' } }],
			onError: 'continueRegularOutput',
		});

		expect(items.map(({ json }) => json.contactEmail)).toEqual(['a@example.com', 'b@example.com']);
		for (const { json } of items) expect(json.error).toMatch(/list the contacts/);
		expect(listed()).toBe(1);
	});

	it('costs at most 25 requests for 1,000 contacts of which 20 changed', async () => {
		const addresses = Array.from({ length: 1000 }, (_value, index) => `p${index}@example.com`);
		const changed = new Set(addresses.filter((_address, index) => index % 50 === 7));
		service
			.scope()
			.get(listPath)
			.reply(
				200,
				addresses.map((email) => ({ email, first_name: 'Old', company: 'X' })),
			);
		for (const address of changed) {
			service.scope().patch(pathOf(address)).reply(200, { email: address, first_name: 'New' });
		}

		const { items, error, next } = await upsert(
			{ dataToSend: 'autoMapInputData' },
			{ ...skip, maxConcurrent: 5 },
			{
				items: addresses.map((address) => ({
					json: { id: address, first_name: changed.has(address) ? 'New' : 'Old' },
				})),
				next: { id: "={{ $('Input').item.json.id }}" },
			},
		);

		expect(error).toBeUndefined();
		expect(changed.size).toBe(20);
		expect(service.requests.length).toBeLessThanOrEqual(25);
		expect(new Set(patched())).toEqual(
			new Set([...changed].map((address) => `/api/v1${pathOf(address)}`)),
		);
		expect(items.map(({ json }) => json.email)).toEqual(addresses);
		expect(next.map(({ id }) => id)).toEqual(addresses);
	}, 60_000);
});
