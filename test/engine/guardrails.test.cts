import type { INodeParameters } from 'n8n-workflow';
import { runNode } from '../support/engine.cts';
import { mockService } from '../support/nock.cts';
import { base } from './support/encode.cts';
import { newService, userId } from './support/operations.cts';

const service = mockService();
const rules = {
	recipients: ['anna@example.com'],
	downloadable: false,
	time: { end: '2026-12-01' },
};
const encode = { ...base, name: 'A', recipients: 'anna@example.com' };
const update = { resource: 'drm', operation: 'update', containerId: 'c-1' };
const inFields = (fields: object) => ({ ...update, rules: fields }) as INodeParameters;
const inJson = (fields: object) =>
	({ ...update, specifyRules: 'json', rulesJson: JSON.stringify(fields) }) as INodeParameters;
const manifest = (fields: object): INodeParameters => ({
	...{ ...encode, specifyManifest: 'json' },
	manifestJson: JSON.stringify({ container: { name: 'A', ...fields } }),
});
const evil = 'eve@evil.example';

describe('the guardrails of the credential', () => {
	it.each<[string, object, INodeParameters]>([
		[
			'recipients of Encode',
			{ allowedRecipients: '*@example.com' },
			{ ...encode, recipients: evil },
		],
		['its manifest', { allowedRecipients: '*@example.com' }, manifest({ recipients: [evil] })],
		['an end of Encode', { maxAccessDays: '30' }, encode],
		['an end in its manifest', { maxAccessDays: '30' }, manifest({ drm: { time: {} } })],
		['downloads of Encode', { forbidDownload: true }, { ...encode, downloadable: true }],
		['those of its manifest', { forbidDownload: true }, manifest({ downloadable: true })],
		[
			'recipients of Update',
			{ allowedRecipients: '*@example.com' },
			inFields({ addRecipients: evil }),
		],
		['those in its JSON', { allowedRecipients: '*@example.com' }, inJson({ recipients: [evil] })],
		['an end of Update', { maxAccessDays: '30' }, inFields({ timeEnd: '2099-12-31' })],
		['an end in its JSON', { maxAccessDays: '30' }, inJson({ time: { end: '2099-12-31' } })],
		['downloads of Update', { forbidDownload: true }, inFields({ downloadable: true })],
		['those in its JSON', { forbidDownload: true }, inJson({ downloadable: true })],
		[
			'Sync Recipients',
			{ allowedRecipients: '*@example.com' },
			{ resource: 'drm', operation: 'syncRecipients', containerId: 'c-1', email: evil },
		],
	])('bind %s: %j', async (_what, guardrails, parameters) => {
		service.get('/containers/c-1/drm').optionally().reply(200, rules);
		service.get('/containers/c-1').optionally().reply(200, { uuid: 'c-1', name: 'A' });
		const options = { ...(parameters.options as object), userId, maxRetries: 0 };

		const { error } = await runNode({
			parameters: { ...parameters, options } as INodeParameters,
			credentials: { ...newService(), ...guardrails },
		});

		expect(error?.message).toMatch(/^The credential doesn't allow /);
		expect(service.requests.filter(({ method }) => method !== 'GET')).toEqual([]);
	});
});
