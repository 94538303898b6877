import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { runNode } from '../support/engine.cts';
import { useService } from '../support/service.cts';
import { byId, contactEmail } from './support/operations.cts';
import { findSchemaErrors } from './support/outputSchemas.cts';

const service = useService();

const email = 'anna@example.com';
const contact = {
	...{ first_name: 'Anna', last_name: 'Ada', company: 'Example Ltd' },
	phone_number: '+41 44 000 00 00',
};
const rules = {
	...{ opens: 5, downloadable: true, recipients: [email, 'bob@example.com'] },
	geo: { allow: [{ country: 'CH' }], block: [{ country: 'US' }] },
	ip: { allow: ['192.168.1.0/24'], block: ['10.0.0.0/8'] },
	time: { start: '2026-01-01', end: '2999-12-31' },
};
const text = {
	...{ fileSource: 'text', textContent: 'x', name: 'Invoice', recipients: email },
	...{ accessEnds: 'never', options: { includeFileDigests: true, ifExists: 'reuse' } },
};
const policyFields = { forbidDownload: true, maxAccessDays: 1, allowedRecipients: email };
const ofContact = { contactEmail: contactEmail(email) };
const fields = { fieldsUi: { fields: [{ name: 'company', value: 'New Ltd' }] } };

/** The parameters of each operation on a container, or on a contact. */
const cases: Array<[operation: string, parametersOf: (id: string) => IDataObject]> = [
	['container/encode', () => text],
	['container/get', byId],
	['container/getEnvelope', byId],
	['container/getAll', () => ({})],
	['container/getActivity', () => ({ actions: ['created'] })],
	['container/delete', byId],
	['drm/get', byId],
	['drm/update', (id) => ({ ...byId(id), rules: { opens: 6 } })],
	['drm/check', () => ({ policy: 'fields', policyFields, dryRun: true })],
	['drm/removeEverywhere', () => ({ email, dryRun: true })],
	['drm/syncRecipients', () => ({ containers: 'byName', nameContains: 'A', email, dryRun: true })],
	['drm/revoke', byId],
	['contact/get', () => ofContact],
	['contact/getAll', () => ({})],
	['contact/upsert', () => ({ email, ...fields })],
	['contact/sync', () => ({ email, ...fields, dataToSend: 'defineBelow', dryRun: true })],
	['contact/delete', () => ofContact],
	['user/getMe', () => ({})],
];

/** Without a User ID: it is that of the API key. */
it.each(cases)('%s has outputs of its schema in the service', async (path, parametersOf) => {
	await service.addContact(email, contact);
	const id = await service.addContainer({ rules });
	const [resource, operation] = path.split('/');

	const { items, error } = await runNode({
		parameters: { resource, operation, ...parametersOf(id) } as INodeParameters,
		credentials: service.credentials,
	});

	expect(error?.message).toBeUndefined();
	const outputs = items.map(({ json }) => json);
	expect(outputs.length).toBeGreaterThan(0);
	expect(findSchemaErrors(outputs, 'EncryptedContainers', path)).toEqual([]);
});
