import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { mockService } from '../../../support/nock.cts';
import { describeOperationContract, rejectedContacts } from '../../support/operationContract.cts';
import {
	responsesWithoutRecord,
	responsesWithRecord,
	headersOf,
	unusableResponses,
} from '../../support/shapes.cts';
import { anna, base, contact, fields, pathOf, upsert } from '../../support/upsert.cts';
import { describeUserContract } from '../../support/userContract.cts';

const service = mockService();

const isWhole = true;

describeOperationContract(
	service,
	{
		parameters: base,
		ids: ['a@example.com', 'b@example.com', 'c@example.com'],
		method: 'PATCH',
		path: pathOf,
		response: { first_name: 'Anna' },
		output: { first_name: 'Anna' },
		errorFields: (id) => ({ contactEmail: id }),
		rejected: rejectedContacts('Email'),
	},
	isWhole,
);

describeUserContract(service, {
	parameters: { ...base, email: anna },
	method: 'PATCH',
	path: (user) => `/users/${user}/contacts/anna%40example.com`,
	response: contact,
});

describe('creating or updating a contact', () => {
	it.each(responsesWithRecord(contact))("returns the service's response: $shape", async (shape) => {
		service.scope().patch(pathOf(anna)).reply(shape.status, shape.body, headersOf(shape));

		const { items } = await upsert();

		expect(items.map(({ json }) => json)).toEqual([shape.record]);
	});

	it.each(responsesWithoutRecord)(
		'returns success and the email address for $shape',
		async (shape) => {
			service.scope().patch(pathOf(anna)).reply(shape.status, shape.body, headersOf(shape));

			const { items, error } = await upsert();

			expect(error).toBeUndefined();
			expect(items.map(({ json }) => json)).toEqual([{ success: true, email: anna }]);
		},
	);

	it.each(unusableResponses)('fails when the service responds with $shape', async (shape) => {
		service.scope().patch(pathOf(anna)).reply(shape.status, shape.body, headersOf(shape));

		const { error } = await upsert();

		expect(error?.message).toMatch(shape.message);
	});

	it('is retried after an outage, because it is idempotent', async () => {
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

describe('two items about the same contact', () => {
	it('are sent one after the other, so that the later one wins', async () => {
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
