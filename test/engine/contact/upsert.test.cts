import { setTimeout as wait } from 'node:timers/promises';
import type { IDataObject } from 'n8n-workflow';
import { mockService } from '../../support/nock.cts';
import { rowsOf } from '../../support/texts.cts';
import { anna, contactsOf, fields, listPath, pathOf, upsert } from '../support/contacts.cts';
import { expectRefusal, outputOf } from '../support/operations.cts';

const service = mockService();
const { holds, changes } = contactsOf(service);
const autoMap = { email: '={{ $json.email }}', dataToSend: 'autoMapInputData' };
const inJson = (bodyJson: string) => ({ dataToSend: 'json', bodyJson });
const named = (values: IDataObject) => ({ fieldsUi: fields(values) });
const itemsOf = (...rows: IDataObject[]) => ({ items: rows.map((json) => ({ json })) });

it('the response is a failure where it shows another contact, whatever else it shows', async () => {
	const masked = { contact: { email: 'Anna@Example.com', phone: '+41 ** *** ** 00' }, id: 7 };
	for (const shown of [{ email: 'bob@example.com' }, masked, '']) {
		service.patch(pathOf(anna)).reply(200, shown);
	}

	expect((await upsert()).error?.message).toMatch(
		/the contact "bob@example.com" instead of the contact "anna@example.com"/,
	);
	expect(await outputOf(upsert())).toEqual([masked]);
	expect(await outputOf(upsert())).toEqual([{ success: true, email: anna }]);
});

describe('the fields of the contact', () => {
	beforeEach(() => service.contract.skipBodies('lists are for the service to refuse'));

	const input: IDataObject = {
		...{ id: anna, email: 'other@example.com', 'E-Mail': anna, first_name: 'Anna', company: null },
		...{ score: 4.5, tags: ['a', { b: 1 }], crm_id: 7 },
	};

	const sent = rowsOf<[parameters: IDataObject, body: IDataObject]>(`
		the input fields, without the email address: [{ dataToSend: autoMapInputData }, { first_name: Anna, company: null, score: 4.5, tags: [a, { b: 1 }], crm_id: 7 }]
		the input fields, without the ignored ones: [{ dataToSend: autoMapInputData, inputsToIgnore: "crm_id, tags; score\\ncompany" }, { first_name: Anna }]
		fields of any type defined below: [{ fieldsUi: { fields: [{ name: " note ", value: "" }, { name: tags, value: "={{ $json.tags }}" }] } }, { note: "", tags: [a, { b: 1 }] }]
		an object from an expression: [{ dataToSend: json, bodyJson: "={{ { first_name: $json.first_name, email: $json.id.toUpperCase() } }}" }, { first_name: Anna }]
		JSON without what the service sets: [{ dataToSend: json, bodyJson: '{ "company": null, "created_date": "2026-01-01", "updated_date": 1 }' }, { company: null }]
	`);

	it.each(sent)('are %s', async (_what, [parameters, body]) => {
		service.patch(pathOf(anna)).reply(204);

		await outputOf(upsert(parameters, {}, itemsOf(input)));

		expect(changes()).toEqual([['PATCH', anna, body]]);
	});

	/** What JSON can be is in the unit tests. */
	it.each<[message: string, parameters: IDataObject]>([
		// n8n hides the field, because the choice is spelled in another way.
		['"Fields (JSON)" is empty', { ...inJson('{}'), dataToSend: 'JSON' }],
		['"pin" in "Fields" is', named({ pin: '[hidden]' })],
		['"Fields > Name" is empty', named({ ' ': 'x' })],
		['"Fields > company" is empty', named({ company: '={{ $json.missing }}' })],
		[
			'"Fields" contains "company" twice',
			{ fieldsUi: { fields: ['One', 'Two'].map((value) => ({ name: 'company', value })) } },
		],
		[
			'The field "email" has another address than "Email"',
			inJson('{ "email": "bob@example.com" }'),
		],
		[
			'"Inputs to Ignore" is empty',
			{ dataToSend: 'autoMapInputData', inputsToIgnore: '={{ $json.missing }}' },
		],
		['"Skip Unchanged" must be true', { options: { skipUnchanged: '={{ "perhaps" }}' } }],
		['"Email" is not text', { email: '={{ ["a@x.example"] }}' }],
		['"*@x.example" in "Email" is not the address of one person', { email: '*@x.example' }],
		['"a@x.example, b@x.example" in "Email" is not', { email: 'a@x.example, b@x.example' }],
	])('are refused before anything is sent: %s', async (message, parameters) => {
		await expectRefusal(service, upsert(parameters), message);
	});

	const others = { login: anna, old: `;${anna}` };
	it.each<[string, string, keyof typeof others | undefined]>([
		['login', '={{ $json.login.toLowerCase() }}', 'login'],
		['none, as it was entered', anna, undefined],
		['none, as the field holds more', '={{ $json.old.slice(1) }}', undefined],
	])('are without the one that the address came from: %s', async (_field, email, dropped) => {
		service.patch(pathOf(anna)).reply(204);

		await outputOf(upsert({ ...autoMap, email }, {}, itemsOf({ email: anna, ...others })));

		const rest: IDataObject = { ...others };
		if (dropped !== undefined) delete rest[dropped];
		expect(changes()).toEqual([['PATCH', anna, rest]]);
	});
});

it('two items for one contact are sent one after the other, also in other capitals', async () => {
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
	const items = itemsOf({ id: anna, name: 'First' }, { id: anna.toUpperCase(), name: 'Second' });

	await outputOf(upsert(named({ first_name: '={{ $json.name }}' }), { maxConcurrent: 5 }, items));

	expect(events).toEqual(['First begins', 'First ends', 'Second begins', 'Second ends']);
});

describe('Skip Unchanged', () => {
	const skip = { skipUnchanged: true };
	const existing = [
		{ email: 'a@example.com', first_name: 'A', company: 'X' },
		{ contact: { email: 'C@Example.com', first_name: 'C' } },
	];

	it('fetches all pages of the list once, and returns what it has', async () => {
		service.get(listPath).reply(200, existing.slice(0, 1), { link: '<?page=2>; rel="next"' });
		service.get(`${listPath}?page=2`).reply(200, existing.slice(1));
		const rows = ['a', 'c'].map((name) => ({
			...{ email: `${name}@example.com`, first_name: name.toUpperCase(), phone: null },
		}));

		expect(await outputOf(upsert(autoMap, skip, itemsOf(...rows)))).toEqual(existing);
		expect(service.requests).toHaveLength(2);
	});

	it('compares with what the items before changed', async () => {
		holds({ email: anna, first_name: 'Anna' });
		service.patch(pathOf(anna)).times(2).reply(204);
		// The list says Anna, but the first item has changed it.
		const items = itemsOf({ name: 'New' }, { name: 'Anna' });

		const parameters = { email: anna, ...named({ first_name: '={{ $json.name }}' }) };
		await outputOf(upsert(parameters, { ...skip, maxConcurrent: 5 }, items));

		const bodies = changes().map(([, , body]) => body);
		expect(bodies).toEqual([{ first_name: 'New' }, { first_name: 'Anna' }]);
	});
});
