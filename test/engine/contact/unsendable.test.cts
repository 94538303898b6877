import type { IDataObject } from 'n8n-workflow';
import { mockService } from '../../support/nock.cts';
import { contact, fields, sync, table, upsert } from '../support/contacts.cts';
import { encode } from '../support/encode.cts';
import { containerId, expectRefusal, operation } from '../support/operations.cts';

const service = mockService();
const hidden = '[hidden]';
const update = operation('drm: update', { containerId: containerId('c-1'), specifyRules: 'json' });
const container = { name: 'A', recipients: ['a@x.example'], password: hidden };
const json = (value: object) => JSON.stringify(value);
const syncFields = async (values: IDataObject) => await sync(table({ ...contact, ...values }));

it.each([
	['"pin" in "Auto-Map Input Data to Fields" is "[hidden]"', () => syncFields({ pin: hidden })],
	['"pin" in "Auto-Map Input Data to Fields" is not a', () => syncFields({ pin: Number.NaN })],
	['"pin" in "Fields" is', () => upsert({ fieldsUi: fields({ pin: hidden }) })],
	[
		'"pin" in "Fields (JSON)" is',
		() => upsert({ dataToSend: 'json', bodyJson: json({ pin: hidden }) }),
	],
	['"password" in "Rules (JSON)" is', () => update({ rulesJson: json({ password: hidden }) })],
	[
		'"password" in "Manifest (JSON)" is',
		() => encode({ specifyManifest: 'json', manifestJson: json({ container }) }),
	],
	['"Password" in "More Access Rules" is', () => encode({ drmRules: { password: hidden } })],
])('what the node hid, or what is no number, is not sent: %s', async (place, run) => {
	await expectRefusal(service, run(), place, { advice: /Remove|Check/ });
});
