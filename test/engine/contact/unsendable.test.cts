import type { IDataObject } from 'n8n-workflow';
import { mockService } from '../../support/nock.cts';
import { contact, contactsOf, fields, pathOf, sync, table, upsert } from '../support/contacts.cts';
import { encode } from '../support/encode.cts';
import { containerId, contactEmail, expectRefusal, operation } from '../support/operations.cts';

const service = mockService();
const { holds } = contactsOf(service);

const hidden = '[hidden]';
const update = operation('drm: update', { containerId: containerId('c-1'), specifyRules: 'json' });
const autoMap = { dataToSend: 'autoMapInputData' };
const inputOf = (values: IDataObject) => table({ ...contact, id: contact.email, ...values });

describe('what the node hid in its output is never sent', () => {
	it('by Auto-Map, from Get to Create or Update', async () => {
		service.get(pathOf(contact.email)).reply(200, { ...contact, pin: '4711' });
		const get = operation('contact: get', { contactEmail: contactEmail(contact.email) });
		const [{ json }] = (await get()).items;
		service.requests.length = 0;

		await expectRefusal(
			service,
			upsert(autoMap, {}, { items: inputOf({ ...json, company: 'New' }) }),
			'The value of "pin" in "Auto-Map Input Data to Fields" is "[hidden]"',
			{
				advice:
					'Nothing was sent. The node hid the value in its output, and would now overwrite it. Remove the field "pin", or enter the input field that has it in "Inputs to Ignore".',
			},
		);
	});

	const container = { name: 'A', recipients: ['a@x.example'], password: hidden };
	it.each([
		['"pin" in "Auto-Map', async () => await sync(table({ ...contact, pin: hidden }))],
		['"pin" in "Fields"', async () => await upsert({ fieldsUi: fields({ pin: hidden }) })],
		[
			'"pin" in "Fields (JSON)"',
			async () =>
				await upsert({ dataToSend: 'json', bodyJson: `{ "a": [{ "pin": "${hidden}" }] }` }),
		],
		[
			'"password" in "Rules (JSON)"',
			async () => await update({ rulesJson: `{ "opens": 1, "password": "${hidden}" }` }),
		],
		[
			'"password" in "Manifest (JSON)"',
			async () =>
				await encode({ specifyManifest: 'json', manifestJson: JSON.stringify({ container }) }),
		],
		[
			'"Password" in "More Access Rules"',
			async () => await encode({ drmRules: { password: hidden } }),
		],
	])('as %s', async (place, run) => {
		await expectRefusal(service, run(), `The value of ${place}`);
	});

	it('but an ignored field and a text that only has it are no problem', async () => {
		holds();
		service.patch(pathOf(contact.email)).reply(204);
		const items = table({ ...contact, note: `It is ${hidden}.`, PIN: hidden });

		const { error } = await sync(items, { parameters: { inputsToIgnore: 'pin' } });

		expect(error).toBeUndefined();
		expect(service.requests[1].body).toEqual({ first_name: 'Anna', note: `It is ${hidden}.` });
	});
});

it('a number that is none is not sent as null by Auto-Map', async () => {
	const message = 'The value of "score" in "Auto-Map Input Data to Fields" is not a number';
	await expectRefusal(service, sync(inputOf({ score: [Number.NaN] })), message);
});
