import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { runNode, type RunNodeOptions } from '../../support/engine.cts';
import type { MockedService } from '../../support/nock.cts';
import { sequential, userId } from './parameters.cts';
import { listPath } from './upsert.cts';

/** Input items of a table whose fields are those of the contacts. */
export const table = (...rows: IDataObject[]) => rows.map((json) => ({ json }));

/** Runs Contact > Sync with the fields of the input items. */
export const sync = async (
	items: Array<{ json: IDataObject }>,
	{
		parameters = {},
		options = {},
		...more
	}: { parameters?: INodeParameters; options?: IDataObject } & Partial<RunNodeOptions> = {},
) =>
	await runNode({
		items,
		...more,
		parameters: {
			resource: 'contact',
			operation: 'sync',
			email: '={{ $json.email }}',
			dataToSend: 'autoMapInputData',
			...parameters,
			options: { userId, ...sequential, ...options },
		} as INodeParameters,
	});

/** What the service holds, and what was sent to it. */
export function contactsOf(service: MockedService) {
	return {
		/** Expects one request for the list. */
		holds: (...contacts: unknown[]) => {
			service.scope().get(listPath).reply(200, contacts);
		},
		/** Method, address and body of each request that changes something. */
		changes: () =>
			service.requests
				.filter(({ method }) => method !== 'GET')
				.map(({ method, path, body }) => [
					method,
					decodeURIComponent(path.split('/').at(-1) ?? ''),
					...(method === 'PATCH' ? [body] : []),
				]),
		listCount: () => service.requests.filter(({ method }) => method === 'GET').length,
	};
}
