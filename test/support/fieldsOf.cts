import { NodeHelpers, type INodeProperties } from 'n8n-workflow';

/**
 * Returns the fields that n8n shows for an operation, whatever the other fields are set to.
 * @param root what leads to the node's parameters in the display options of the fields: '/' in a collection
 */
export function getFieldsOf(
	{ resource, operation }: { resource: string; operation: string },
	fields: INodeProperties[],
	root: '' | '/' = '',
): INodeProperties[] {
	const keys = [`${root}resource`, `${root}operation`];
	return fields.filter((field) => {
		if (['resource', 'operation'].includes(field.name)) return false;
		const show = Object.entries(field.displayOptions?.show ?? {});
		const own = { show: Object.fromEntries(show.filter(([key]) => keys.includes(key))) };
		const parameters = { resource, operation };
		const values = root === '' ? parameters : {};
		return NodeHelpers.displayParameter(
			values,
			{ ...field, displayOptions: own },
			null,
			null,
			parameters,
		);
	});
}
