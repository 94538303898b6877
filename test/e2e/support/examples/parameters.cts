import { isDeepStrictEqual } from 'node:util';
import type { INode, INodeParameters, INodeProperties, INodeTypeDescription } from 'n8n-workflow';
import { NodeHelpers } from 'n8n-workflow';

/**
 * What the editor would find wrong with the parameters of a node, and what it would drop because
 * the node has no such parameter, or does not show it with these values of the others.
 *
 * @param node a node of a workflow
 * @param description of its type in its version
 * @returns one line for each finding
 */
export function parameterFindings(node: INode, description: INodeTypeDescription): string[] {
	const { properties } = description;
	const parameters =
		NodeHelpers.getNodeParameters(properties, node.parameters, true, false, node, description) ??
		{};
	const complete = { ...node, parameters };
	const issues = NodeHelpers.getNodeParametersIssues(properties, complete, description, []);
	const shown = properties.filter((property) =>
		NodeHelpers.displayParameter(parameters, property, node, description),
	);
	return [
		...Object.values(issues?.parameters ?? {}).flat(),
		...shown.flatMap((property) => unknownChoices(property, parameters[property.name])),
		...dropped(node.parameters, parameters, ''),
	].map((finding) => `${node.name}: ${finding}`);
}

/** The description of a node as n8n makes an AI agent's tool of it: with the parameters that it adds. */
export function asTool(description: INodeTypeDescription): INodeTypeDescription {
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

function unknownChoices(property: INodeProperties, value: unknown): string[] {
	const { displayName, type, options = [] } = property;
	if (type === 'collection' && isObject(value)) {
		return (options as INodeProperties[]).flatMap((option) =>
			option.name in value ? unknownChoices(option, value[option.name]) : [],
		);
	}
	if (type !== 'options' && type !== 'multiOptions') return [];
	const known = options.map((option) => ('value' in option ? option.value : undefined));
	return [value]
		.flat()
		.filter((chosen) => !known.includes(chosen as string) && !String(chosen).startsWith('='))
		.map((chosen) => `${displayName} has no choice "${String(chosen)}".`);
}

function dropped(given: INodeParameters, kept: INodeParameters, path: string): string[] {
	return Object.entries(given).flatMap(([name, value]) => {
		const other = kept[name];
		if (isDeepStrictEqual(value, other)) return [];
		if (isObject(value) && isObject(other)) return dropped(value, other, `${path}${name}.`);
		return [`There is no parameter ${path}${name} with this value here.`];
	});
}

function isObject(value: unknown): value is INodeParameters {
	return typeof value === 'object' && value !== null;
}
