import { declareValuePlugin, PluginKind } from '@stryker-mutator/api/plugin';

const descriptionType = /\b(INodeProperties|INodePropertyOptions|INodeTypeDescription|\w*Choice)\b/;
const definitionKeys = new Set(['name', 'value', 'displayName', 'action', 'description']);

const editorKeys = new Set(['displayName', 'icon', 'documentationUrl']);

const keyOf = (property) => property.key?.name ?? property.key?.value;

const isDescription = (type) => type !== undefined && descriptionType.test(JSON.stringify(type));

const isTopLevel = (path) =>
	path.parentPath.parentPath.isProgram() || path.parentPath.parentPath.isExportNamedDeclaration();

/** Whether a piece of code is only what the editor shows: fields and their options, names, descriptions. */
function shouldIgnore(path) {
	const { node } = path;
	if (path.isObjectExpression()) {
		const keys = node.properties.map(keyOf);
		return keys.includes('displayName') || (keys.includes('value') && keys.includes('action'));
	}
	if (path.isVariableDeclarator()) return isTopLevel(path) && isDescription(node.id.typeAnnotation);
	if (path.isClassProperty())
		return editorKeys.has(keyOf(node)) || isDescription(node.typeAnnotation);
	const call = path.parentPath?.parentPath;
	return (
		path.isObjectProperty() &&
		definitionKeys.has(keyOf(node)) &&
		call?.isCallExpression() &&
		/^define(Operation|Resource)$/.test(call.node.callee.name)
	);
}

export const strykerPlugins = [
	declareValuePlugin(PluginKind.Ignore, 'editor texts', {
		shouldIgnore: (path) => (shouldIgnore(path) ? 'Only shown in the editor' : undefined),
	}),
];
