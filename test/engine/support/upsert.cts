import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { runNode, type RunNodeOptions } from '../../support/engine.cts';
import { sequential, userId } from './parameters.cts';

export const fields = (values: IDataObject): IDataObject => ({
	fields: Object.entries(values).map(([name, value]) => ({ name, value })),
});

export const base: INodeParameters = {
	resource: 'contact',
	operation: 'upsert',
	email: '={{ $json.id }}',
	dataToSend: 'defineBelow',
	fieldsUi: fields({ first_name: 'Anna' }) as INodeParameters,
	options: { userId },
};

export const listPath = `/users/${userId}/contacts`;

export const pathOf = (address: string) => `${listPath}/${encodeURIComponent(address)}`;

export const anna = 'anna@example.com';

export const contact = { email: anna, first_name: 'Anna' };

export const upsert = async (
	parameters: INodeParameters = {},
	options: IDataObject = {},
	more: Partial<RunNodeOptions> = {},
) =>
	await runNode({
		items: [{ json: { id: anna } }],
		...more,
		parameters: {
			...base,
			...parameters,
			options: { userId, ...sequential, ...options },
		} as INodeParameters,
	});
