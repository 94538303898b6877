import type { INodeParameters } from 'n8n-workflow';
import type { NodeOptions } from '../../../tools/realN8n/workflow.cts';

/** Reads files below a folder that n8n may read, into the binary field `data`; a file in n8n's own store has an id. */
export function readFiles(name: string, selector: string): NodeOptions {
	return {
		name,
		type: 'n8n-nodes-base.readWriteFile',
		parameters: { operation: 'read', fileSelector: selector, options: {} },
	};
}

/** Runs JavaScript once for all items; its answer is the node's output. */
export function code(name: string, jsCode: string): NodeOptions {
	return { name, type: 'n8n-nodes-base.code', typeVersion: 2, parameters: { jsCode } };
}

/** The parameters that name a container by its id. */
export function containerById(id: string): INodeParameters {
	return { containerId: { __rl: true, mode: 'id', value: id } };
}
