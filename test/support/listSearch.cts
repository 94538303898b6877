import './n8nEnvironment.cts';
import { LoadOptionsContext } from 'n8n-core';
import { NodeHelpers, type INodeListSearchResult, type INodeParameters } from 'n8n-workflow';
import type { ApiCredentials } from './credentials.cts';
import { singleNode } from './definition.cts';

export interface RunListSearchOptions {
	node?: string;
	/** Name in the node's `methods.listSearch`. */
	method: string;
	/** The current parameters, as the editor sends them. */
	parameters?: INodeParameters;
	/** The search text. */
	filter?: string;
	/** The parameter with the list. */
	parameter?: string;
	credentials?: Partial<ApiCredentials>;
}

/**
 * Fetches the list of a resource locator as n8n's editor does. Throws what the method throws,
 * which the editor shows.
 */
export async function runListSearch(options: RunListSearchOptions): Promise<INodeListSearchResult> {
	const { method, parameter = 'containerId' } = options;
	const { node, workflow, loaded, additionalDataIn } = await singleNode({
		node: options.node ?? 'encryptedContainers',
		parameters: options.parameters ?? {},
		credentials: options.credentials,
	});
	const nodeType = NodeHelpers.getVersionedNodeType(loaded.nodeTypes.getByName(node.type));
	const search = nodeType.methods?.listSearch?.[method];
	if (search === undefined) throw new Error(`The node has no list search "${method}"`);
	const context = new LoadOptionsContext(
		workflow,
		node,
		additionalDataIn('internal'),
		`parameters.${parameter}`,
	);
	return await search.call(context, options.filter);
}
