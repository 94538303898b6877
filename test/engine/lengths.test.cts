import type { INodeParameters } from 'n8n-workflow';
import { runNode } from '../support/engine.cts';
import { mockService } from '../support/nock.cts';
import { base as encode } from './support/encode.cts';
import { containerId, userId } from './support/parameters.cts';

const service = mockService();
const text = (length: number) => 'x'.repeat(length);

describe('a value that is too long', () => {
	it.each<[string, INodeParameters, string]>([
		['a name', { ...encode, name: text(1001) }, '"Container Name" is longer than 1000 characters'],
		[
			'a name in JSON',
			{
				...encode,
				specifyManifest: 'json',
				manifestJson: JSON.stringify({ container: { name: text(1001) } }),
			},
			'The name in "Manifest (JSON)" is longer than 1000 characters',
		],
		[
			'a password',
			{ ...encode, name: 'x', drmRules: { password: text(201) } },
			'"Password" is longer than 200 characters',
		],
		[
			'a password in JSON',
			{
				...encode,
				specifyManifest: 'json',
				manifestJson: JSON.stringify({ container: { name: 'x' }, files: [{ pin: text(201) }] }),
			},
			'A password in "Manifest (JSON)" is longer than 200 characters',
		],
		[
			'an address',
			{ ...encode, name: 'x', recipients: `${text(320)}@example.com` },
			'An address in "Recipients" is longer than 320 characters',
		],
		[
			'an ID',
			{ resource: 'container', operation: 'get', containerId: containerId(text(2001)) },
			'"Container" is longer than 2000 characters',
		],
		[
			'a part of a URL',
			{
				resource: 'container',
				operation: 'getAll',
				options: { userId, query: { parameters: [{ name: 'a', value: text(2001) }] } },
			},
			'"Query Parameters > Value" is longer than 2000 characters',
		],
	])('is refused before anything is sent: %s', async (_what, parameters, message) => {
		const { error, items } = await runNode({ parameters });

		expect(error?.message).toContain(message);
		expect(items).toEqual([]);
		expect(service.requests).toEqual([]);
	});
});
