import { runNode } from '../../support/engine.cts';
import { mockService } from '../../support/nock.cts';
import {
	describeOperationContract,
	rejectedContacts,
	unusualContacts,
} from '../support/operationContract.cts';
import { contactEmail, sequential, userId } from '../support/parameters.cts';
import { describeUserContract } from '../support/userContract.cts';

const service = mockService();

const parameters = {
	resource: 'contact',
	operation: 'get',
	contactEmail: contactEmail('={{ $json.id }}'),
	options: { userId },
};
const contact = { email: 'anna@example.com', first_name: 'Anna' };
const pathOf = (address: string) => `/users/${userId}/contacts/${address}`;
const anna = pathOf('anna%40example.com');

const get = async (id: string) =>
	await runNode({
		parameters: { ...parameters, options: { userId, ...sequential } },
		items: [{ json: { id } }],
	});

describeOperationContract(service, {
	parameters,
	ids: ['a@example.com', 'b@example.com', 'c@example.com'],
	method: 'GET',
	path: (id) => pathOf(encodeURIComponent(id)),
	response: (email) => ({ ...contact, email }),
	output: (email) => ({ ...contact, email }),
	errorFields: (id) => ({ contactEmail: id }),
	rejected: rejectedContacts('Contact'),
});

describeUserContract(service, {
	parameters: { ...parameters, contactEmail: contactEmail('anna@example.com') },
	method: 'GET',
	path: (user) => `/users/${user}/contacts/anna%40example.com`,
	response: contact,
});

describe('getting a contact', () => {
	it.each([
		['a plain record', contact],
		['a record under a key', { contact }],
		['a record without an email address', { company: 'X' }],
	])('returns %s unchanged', async (_shape, body) => {
		service.scope().get(anna).reply(200, body);

		const { items } = await get('anna@example.com');

		expect(items.map(({ json }) => json)).toEqual([body]);
	});

	it.each(unusualContacts)('sends %j intact', async (address, segment) => {
		service.scope().get(pathOf(segment)).reply(200, { email: address });

		const { error } = await get(address);

		expect(error).toBeUndefined();
		expect(decodeURIComponent(service.requests[0].path.split('/').at(-1) ?? '')).toBe(address);
	});

	it('states what the service did not accept', async () => {
		service.scope().get(anna).reply(422, '');

		const { error } = await get('anna@example.com');

		expect(error?.message).toMatch(/did not accept the request to get the contact \[item 0\]/);
	});

	it('names the contact that was not found', async () => {
		service.scope().get(anna).reply(404, '');

		const { error } = await get('anna@example.com');

		expect(error?.message).toContain('The contact "anna@example.com" was not found');
	});
});
