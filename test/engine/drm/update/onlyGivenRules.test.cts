import type { IDataObject } from 'n8n-workflow';
import { mockService } from '../../../support/nock.cts';
import { mockRules } from '../../support/mockRules.cts';
import {
	withoutCurrentRules,
	path,
	currentRules,
	rules,
	update,
} from '../../support/updateRules.cts';

const service = mockService();

describe('sending only the given rules', () => {
	it.each<[string, IDataObject, IDataObject]>([
		['a number', { opens: '3' }, { opens: 3 }],
		['an end', { timeEnd: '2099-12-31T00:00:00' }, { time: { end: '2099-12-31' } }],
		[
			'lists',
			{ geoBlock: ['US', 'CA'], ipAllow: '10.0.0.1-10.0.0.9' },
			{
				geo: { block: [{ country: 'US' }, { country: 'CA' }] },
				ip: { allow: ['10.0.0.1-10.0.0.9'] },
			},
		],
		['recipients', { recipients: 'a@example.com' }, { recipients: ['a@example.com'] }],
	])('is one request: %s', async (_what, fields, body) => {
		service.scope().patch(path).reply(204);

		await update(rules(fields), withoutCurrentRules);

		expect(service.requests.map((request) => request.body)).toEqual([body]);
	});

	it('fetches the recipients when some are added or removed, and sends no other rule', async () => {
		const store = mockRules(service, path, currentRules(), { reads: 1, changes: 1 });

		await update(rules({ opens: 2, removeRecipients: 'bob@example.com' }), withoutCurrentRules);

		expect(store.changes).toEqual([{ opens: 2, recipients: ['anna@example.com'] }]);
	});

	it("explains fixed rules when the service refuses, and quotes the service's message", async () => {
		service.scope().patch(path).reply(409, { message: 'The rules are sealed' });

		const { error } = await update({}, withoutCurrentRules);

		expect(error?.message).toMatch(/can't change the rules of the container in the current state/);
		expect(error?.description).toMatch(/Allow Changes Later.*The rules are sealed/);
	});
});
