import type { IDataObject } from 'n8n-workflow';
import { mockService } from '../../../support/nock.cts';
import { contactsOf, pathOf, sync, table, upsert } from '../../support/contacts.cts';

const service = mockService();
const { holds, changes } = contactsOf(service);

const options = { maxDeletions: 100 };
const parameters = { deleteMissing: true };
const email = 'anna@example.com';

describe('Sync of a table that is in step', () => {
	it.each([
		['a domain in Unicode', 'anna@münchen.de', 'anna@xn--mnchen-3ya.de'],
		['a domain as xn--', 'anna@xn--mnchen-3ya.de', 'anna@münchen.de'],
		['another form of Unicode', 'jose\u0301@example.com', 'josé@example.com'],
		['capitals', 'Anna@Example.com', email],
		['blanks', email, ` ${email} `],
	])('knows a person in any form of the address: %s', async (_form, entered, shown) => {
		holds({ email: shown, company: 'X' });

		const rows = table({ email: entered, company: 'X' });
		const { items, error } = await sync(rows, { parameters, options });

		expect(error).toBeUndefined();
		expect(items.map(({ json }) => json.action)).toEqual(['unchanged']);
		expect(changes()).toEqual([]);
	});

	it.each<[string, IDataObject, IDataObject]>([
		['an empty cell and null', { company: '' }, { company: null }],
		['an empty cell and no field', { company: '' }, {}],
		[
			'a timestamp in another form',
			{ since: '2026-01-02T03:04:05Z' },
			{ since: '2026-01-02T03:04:05.000Z' },
		],
		['an address in capitals', { private: 'Anna@Example.com' }, { private: email }],
	])('sends nothing for %s', async (_what, row, shown) => {
		holds({ email, ...shown });

		const { items } = await sync(table({ email, ...row }), { parameters, options });

		expect(items.map(({ json }) => json.action)).toEqual(['unchanged']);
		expect(changes()).toEqual([]);
	});

	it('sends nothing for a Date and its text', async () => {
		holds({ email, since: '2026-01-02T03:04:05.000Z' });
		const fields = [{ name: 'since', value: '={{ new Date("2026-01-02T03:04:05Z") }}' }];

		const { items } = await sync(table({ email }), {
			parameters: { dataToSend: 'defineBelow', fieldsUi: { fields } },
		});

		expect(items.map(({ json }) => json.action)).toEqual(['unchanged']);
	});

	it('deletes no contact that a response names in place of the one that was written', async () => {
		const other = 'anna.berg@example.com';
		holds({ email: other });
		service.patch(pathOf(email)).reply(200, { email: other });
		service.get(pathOf(email)).reply(200, { email: other });

		const { items } = await sync(table({ email }), {
			parameters,
			options,
			onError: 'continueRegularOutput',
		});

		expect(items.map(({ json }) => json.error)).toEqual([
			expect.stringContaining(`the contact "${other}" instead of the contact "${email}"`),
			'No contacts were deleted, because an input item failed',
		]);
		expect(changes()).toHaveLength(1);
	});
});

describe('too many deletions', () => {
	it('name the first five contacts, and no item', async () => {
		holds(...Array.from({ length: 7 }, (_contact, index) => ({ email: `p${index}@example.com` })));

		const { error } = await sync(table({ email }), { parameters });

		expect(error?.message).toMatch(/would delete 7 of 7 contacts, more than 10%$/);
		expect(error?.description).toContain(
			'p0@example.com, p1@example.com, p2@example.com, p3@example.com, p4@example.com and 2 more.',
		);
		expect(changes()).toEqual([]);
	});
});

describe('a contact that was written', () => {
	const sent = { email, first_name: 'Anna' };

	it.each<[string, IDataObject, IDataObject | undefined, RegExp | undefined]>([
		['in a form of the service', { first_name: 'ANNA ' }, undefined, undefined],
		['as it was before', { first_name: 'Old' }, sent, undefined],
		[
			'with another value',
			{ first_name: 'Old' },
			{ first_name: 'Old' },
			/"first_name" with the value "Old" instead of "first_name" with the value "Anna"/,
		],
		[
			'as another person',
			{ email: 'bob@example.com' },
			{ email: 'bob@example.com' },
			/the contact "bob@example.com" instead of the contact "anna@example.com"/,
		],
	])('is compared with what the service shows: %s', async (_how, shown, current, message) => {
		service.patch(pathOf(email)).reply(200, shown);
		if (current !== undefined) service.get(pathOf(email)).reply(200, current);

		const { error } = await upsert();

		if (message === undefined) expect(error).toBeUndefined();
		else expect(error?.message).toMatch(message);
	});
});
