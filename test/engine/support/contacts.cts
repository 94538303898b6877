import type { IDataObject } from 'n8n-workflow';
import type { MockedService } from '../../support/nock.cts';
import type { RunNodeOptions, RunNodeResult } from '../../support/engine.cts';
import { contactsPath, operation, userId } from './operations.cts';

export { contactPath as pathOf, contactsPath as listPath } from './operations.cts';

export const fields = (values: IDataObject): IDataObject => ({
	fields: Object.entries(values).map(([name, value]) => ({ name, value })),
});

export const anna = 'anna@example.com';

export const upsertBase: IDataObject = {
	resource: 'contact',
	operation: 'upsert',
	email: '={{ $json.id }}',
	dataToSend: 'defineBelow',
	fieldsUi: fields({ first_name: 'Anna' }),
	options: { userId },
};

export const upsert = operation('contact: upsert', upsertBase, [{ json: { id: anna } }]);

/** Input items of a table whose fields are those of the contacts. */
export const table = (...rows: IDataObject[]) => rows.map((json) => ({ json }));

const synchronize = operation('contact: sync', {
	email: '={{ $json.email }}',
	dataToSend: 'autoMapInputData',
});

/** Runs Contact > Sync with the fields of the input items. */
export const sync = async (
	items: Array<{ json: IDataObject }>,
	{
		parameters = {},
		options = {},
		...more
	}: { parameters?: IDataObject; options?: IDataObject } & Partial<
		Omit<RunNodeOptions, 'parameters'>
	> = {},
): Promise<RunNodeResult> => await synchronize(parameters, options, { items, ...more });

/** What the service holds, and what was sent to it. */
export function contactsOf(service: MockedService) {
	return {
		/** Expects one request for the list. */
		holds: (...contacts: unknown[]) => void service.get(contactsPath).reply(200, contacts),
		/** Method, address and body of each request that changes something. */
		changes: () =>
			service.requests
				.filter(({ method }) => method !== 'GET')
				.map(({ method, path, body }) => [
					method,
					decodeURIComponent(path.split('/').at(-1) ?? ''),
					...(method === 'PATCH' ? [body] : []),
				]),
	};
}
