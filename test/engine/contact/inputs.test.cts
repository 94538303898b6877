import type { INodeParameters } from 'n8n-workflow';
import { runNode } from '../../support/engine.cts';
import { mockService } from '../../support/nock.cts';
import { listPath } from '../support/contacts.cts';
import { contactEmail, sequential, userId } from '../support/operations.cts';

const service = mockService();

const run = async (parameters: INodeParameters) =>
	await runNode({ parameters: { resource: 'contact', ...parameters } });

describe('User ID', () => {
	it.each([
		['an object', '={{ { id: "user-1" } }}', '"User ID" is not text'],
		['an array', '={{ ["user-1"] }}', '"User ID" is not text'],
		['a boolean', '={{ true }}', '"User ID" is not text'],
		['a date', '={{ $now }}', '"User ID" is not an ID'],
		['a number that was rounded', '={{ 12345678901234567890 }}', '"User ID" is not text'],
		['undefined', '={{ $json.missing }}', '"User ID" is empty'],
		['null', '={{ null }}', '"User ID" is empty'],
		['empty text', '={{ "" }}', '"User ID" is empty'],
		['spaces', '={{ "  " }}', '"User ID" is empty'],
	])("is refused by name and never the key's own user: %s", async (_what, user, message) => {
		for (const parameters of [
			{ operation: 'getAll' },
			{ operation: 'delete', contactEmail: contactEmail('anna@x.example') },
			{ operation: 'upsert', email: 'anna@x.example' },
		]) {
			const { error } = await run({ ...parameters, options: { ...sequential, userId: user } });

			expect(error?.message).toContain(message);
		}
		expect(service.requests).toEqual([]);
	});
});

it.each(['anna', 'anna@x.example, bob@x.example', 'anna@x.example now'])(
	'%j is not one address, with what to enter instead',
	async (email) => {
		const { error } = await run({ operation: 'upsert', email, options: { userId } });

		expect(error?.message).toBe(`"${email}" in "Email" is not an email address [item 0]`);
		expect(error?.description).toBe('Enter one address, for example anna@example.com.');
		expect(service.requests).toEqual([]);
	},
);

describe('Return All and Limit', () => {
	const contacts = [1, 2, 3].map((id) => ({ email: `${id}@x.example` }));
	const list = async (parameters: INodeParameters) =>
		await run({ operation: 'getAll', options: { ...sequential, userId }, ...parameters });

	it.each([
		['"false"', { returnAll: '={{ "false" }}', limit: 2 }, 2],
		['"False"', { returnAll: '={{ "False" }}', limit: 1 }, 1],
		['"true"', { returnAll: '={{ "true" }}', limit: 1 }, 3],
		['"false" with the usual limit', { returnAll: '={{ "false" }}' }, 3],
		['a limit in text', { returnAll: false, limit: '={{ "2" }}' }, 2],
	])('are understood: %s', async (_what, parameters, count) => {
		service.get(listPath).reply(200, contacts);

		const { error, items } = await list(parameters as INodeParameters);

		expect(error).toBeUndefined();
		expect(items).toHaveLength(count);
	});

	it.each([
		['nothing', { returnAll: '={{ undefined }}' }, '"Return All" must be true or false'],
		['an object', { returnAll: '={{ {} }}' }, '"Return All" must be true or false'],
		['words', { returnAll: '={{ "no" }}' }, '"Return All" must be true or false'],
		['no limit', { limit: '={{ undefined }}' }, '"Limit" must be a whole number'],
		['a limit that is a list', { limit: '={{ [5] }}' }, '"Limit" must be a whole number'],
		[
			'a query parameter without a value',
			{ query: { name: 'sort', value: '={{ $json.missing }}' } },
			'"Query Parameters > Value" is empty',
		],
		[
			'a query parameter that is an object',
			{ query: { name: 'sort', value: '={{ {} }}' } },
			'"Query Parameters > Value" is not text',
		],
		[
			'a query parameter without a name',
			{ query: { name: '={{ $json.missing }}', value: 'name' } },
			'"Query Parameters > Name" is empty',
		],
	])('are refused by name before anything is sent: %s', async (_what, parameters, message) => {
		const { query, ...others } = parameters as { query?: object };
		const rows = query === undefined ? {} : { parameters: [query] };
		const { error } = await list({
			...others,
			options: { ...sequential, userId, query: rows },
		} as INodeParameters);

		expect(error?.message).toContain(message);
		expect(service.requests).toEqual([]);
	});
});

describe('Email', () => {
	it.each([
		['with quotes', '"anna@x.example"'],
		['with mailto:', 'mailto:anna@x.example'],
		['with a separator at the end', 'anna@x.example;'],
		['with separators at the end', 'anna@x.example,;'],
		['in an object', '={{ { email: "anna@x.example" } }}'],
	])('is understood: %s', async (_what, email) => {
		service.patch(`${listPath}/anna%40x.example`).reply(204);

		const { error, items } = await run({
			operation: 'upsert',
			email,
			options: { ...sequential, userId },
		});

		expect(error).toBeUndefined();
		expect(items[0].json).toEqual({ success: true, email: 'anna@x.example' });
	});

	it.each([
		['undefined', '={{ $json.missing }}', '"Email" is empty'],
		['an object without email', '={{ { mail: "a@x.example" } }}', '"Email" is not text'],
		['a list', '={{ ["a@x.example"] }}', '"Email" is not text'],
		['two addresses', 'a@x.example, b@x.example', 'in "Email" is not an email address'],
	])('is refused by name before anything is sent: %s', async (_what, email, message) => {
		const { error } = await run({
			operation: 'upsert',
			email,
			options: { ...sequential, userId },
		});

		expect(error?.message).toContain(message);
		expect(service.requests).toEqual([]);
	});
});

describe('Data to Send', () => {
	it.each<[string, INodeParameters, string]>([
		['an unknown choice', { dataToSend: 'all' }, '"Data to Send" has an unknown value'],
		[
			'a choice spelled in another way, for which n8n hides the field',
			{ dataToSend: 'JSON', bodyJson: '{}' },
			'"Fields (JSON)" is empty',
		],
		[
			'a field whose name is nothing',
			{ fieldsUi: { fields: [{ name: '={{ $json.missing }}', value: 'x' }] } },
			'A contact field has no name',
		],
	])('is refused before anything is sent: %s', async (_what, parameters, message) => {
		const { error } = await run({
			operation: 'upsert',
			email: 'anna@x.example',
			options: { ...sequential, userId },
			...parameters,
		});

		expect(error?.message).toContain(message);
		expect(service.requests).toEqual([]);
	});
});

it.each([
	['={{ 5 }}', 5],
	['={{ {} }}', ''],
])(
	'an error item holds what was entered where it is text or a number: %s',
	async (email, shown) => {
		const { items } = await runNode({
			parameters: {
				resource: 'contact',
				operation: 'upsert',
				email,
				options: { ...sequential, userId },
			},
			onError: 'continueRegularOutput',
		});

		expect(items[0].json).toMatchObject({ contactEmail: shown, error: expect.any(String) });
	},
);
