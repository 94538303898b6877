import { isDeepStrictEqual } from 'node:util';
import type { INode, INodeParameters, INodeProperties, INodeTypeDescription } from 'n8n-workflow';
import { NodeHelpers } from 'n8n-workflow';

/**
 * Returns the issues that the editor would show for a node's parameters, and the values that it would
 * drop because the node has no such parameter or hides it.
 * @param description of the node's type and version
 */
export function getParameterFindings(node: INode, description: INodeTypeDescription): string[] {
	const { properties } = description;
	const parameters =
		NodeHelpers.getNodeParameters(properties, node.parameters, true, false, node, description) ??
		{};
	const complete = { ...node, parameters };
	const issues = NodeHelpers.getNodeParametersIssues(properties, complete, description, []);
	const visible = properties.filter((property) =>
		NodeHelpers.displayParameter(parameters, property, node, description),
	);
	return [
		...Object.values(issues?.parameters ?? {}).flat(),
		...visible.flatMap((property) => getUnknownOptions(property, parameters[property.name])),
		...getDropped(node.parameters, parameters, ''),
	].map((finding) => `${node.name}: ${finding}`);
}

/** Whether a finding is a required field that is empty: an example leaves to you who gets what. */
export function isToFillIn(finding: string): boolean {
	return /Parameter "[^"]+" is required\.$/.test(finding);
}

/** Returns the node's description as a tool of an AI agent, with the parameters that n8n adds. */
export function toToolDescription(description: INodeTypeDescription): INodeTypeDescription {
	const added = [
		{
			displayName: 'Tool Description',
			name: 'descriptionType',
			type: 'options' as const,
			options: [
				{ name: 'Set Automatically', value: 'auto' },
				{ name: 'Set Manually', value: 'manual' },
			],
			default: 'auto',
		},
		{ displayName: 'Description', name: 'toolDescription', type: 'string' as const, default: '' },
	];
	return { ...description, properties: [...added, ...description.properties] };
}

function getUnknownOptions(property: INodeProperties, value: unknown): string[] {
	const { displayName, type, options = [] } = property;
	if (type === 'collection' && isObject(value)) {
		return (options as INodeProperties[]).flatMap((option) =>
			option.name in value ? getUnknownOptions(option, value[option.name]) : [],
		);
	}
	const isLoaded = property.typeOptions?.loadOptionsMethod !== undefined;
	if ((type !== 'options' && type !== 'multiOptions') || isLoaded) return [];
	const known = options.map((option) => ('value' in option ? option.value : undefined));
	return [value]
		.flat()
		.filter((option) => !known.includes(option as string) && !String(option).startsWith('='))
		.map((option) => `${displayName} has no option "${String(option)}".`);
}

function getDropped(given: INodeParameters, kept: INodeParameters, path: string): string[] {
	return Object.entries(given).flatMap(([name, value]) => {
		const other = kept[name];
		if (isDeepStrictEqual(value, other)) return [];
		if (isObject(value) && isObject(other)) return getDropped(value, other, `${path}${name}.`);
		return [`The parameter ${path}${name} doesn't exist here, or not with this value.`];
	});
}

function isObject(value: unknown): value is INodeParameters {
	return typeof value === 'object' && value !== null;
}
